package config

// Version asks which program this is.
type Version struct {
	Build bool `help:"@version/build"`
}
