package layout

import "fmt"

// The special parts of a pattern.
const (
	NameOfInput = "{input}"
	NameOfStem  = "{stem}"
	NumberPart  = "{shard}"
)

// Shards say how kept records are divided into files. The zero Shards mean one output.
type Shards struct {
	OutputDir string // a directory, or the beginning of objects
	Name      string // the pattern of their names; empty for a usual one
	Records   uint64 // of a file; 0 for any number
	Bytes     uint64 // the same
}

// IsSet reports whether records are divided into files.
func (s Shards) IsSet() bool { return s.OutputDir != "" }

// ByInput reports whether there is a file for each input.
func (s Shards) ByInput() bool { return s.Records == 0 && s.Bytes == 0 }

// String says how, so that a run is resumed with the same.
func (s Shards) String() string {
	switch {
	case s.Records > 0 && s.Bytes > 0:
		return fmt.Sprintf("%d records or %d bytes as %s", s.Records, s.Bytes, s.Name)
	case s.Records > 0:
		return fmt.Sprintf("%d records as %s", s.Records, s.Name)
	case s.Bytes > 0:
		return fmt.Sprintf("%d bytes as %s", s.Bytes, s.Name)
	}
	return "one for each input as " + s.Name
}
