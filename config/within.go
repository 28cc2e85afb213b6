package config

// WithinFlags restrict which records are compared with each other.
type WithinFlags struct {
	Within string `rule:"yes" not:"sketched" run:"same" way:"14" placeholder:"FIELD" brief:"Compare only records with the same value of a field" help:"@within/within"`
}
