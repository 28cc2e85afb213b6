package config

// Version asks for the version of the program.
type Version struct {
	Build bool `help:"@version/build"`
}
