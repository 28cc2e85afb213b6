// Package shards divides what is kept of records into several files: what they are called, when one
// ends and the next begins, and what is left of an earlier run.
package shards

import "fmt"

// The parts of a pattern that stand for something.
const (
	NameOfInput = "{input}"
	NameOfStem  = "{stem}"
	NumberPart  = "{shard}"
)

// A Rule says how kept records are divided into files. The zero Rule stands for a run whose output
// is one.
type Rule struct {
	OutputDir string // a directory, or the beginning of objects
	Name      string // the pattern of their names; empty for a usual one
	Records   uint64 // of a file; 0 for any number
	Bytes     uint64 // the same
}

// IsSet reports whether records are divided into files.
func (r Rule) IsSet() bool { return r.OutputDir != "" }

// ByInput reports whether there is a file for each input.
func (r Rule) ByInput() bool { return r.Records == 0 && r.Bytes == 0 }

// String says how, so that a run is resumed with the same.
func (r Rule) String() string {
	switch {
	case r.Records > 0 && r.Bytes > 0:
		return fmt.Sprintf("%d records or %d bytes as %s", r.Records, r.Bytes, r.Name)
	case r.Records > 0:
		return fmt.Sprintf("%d records as %s", r.Records, r.Name)
	case r.Bytes > 0:
		return fmt.Sprintf("%d bytes as %s", r.Bytes, r.Name)
	}
	return "one for each input as " + r.Name
}
