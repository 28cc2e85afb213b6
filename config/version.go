package config

// Version asks which program this is.
type Version struct {
	Build bool `help:"Say also what it is made of: the version of Go, the commit and the settings that it was built with, and all modules that are linked, with their checksums. With these anybody can build the same bytes again."`
}
