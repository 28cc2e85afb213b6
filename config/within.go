package config

// WithinFlags say which records are compared with each other at all.
type WithinFlags struct {
	Within string `not:"tlsh,samples,embedding,kinds" run:"same" way:"14" placeholder:"FIELD" help:"Compare a record only with those that have the same value in this field, or column, such as lang or dump: a string or a number as it is written. Records without the field are compared with each other. An index is bound to the field. (default: all records are compared)"`
}
