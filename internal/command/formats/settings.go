package formats

import (
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// A Request is what the user wants a run to read and write.
type Request struct {
	layout.Settings
	Paths     []string // of inputs
	MaxRecord int      // bytes
	Destinations
	Texts

	Annotate  bool // add members to records
	Resumable bool // outputs can be continued later
	PerInput  bool // the kept records of each input go to a separate file

	// Unreadable is how many records at the beginning of one of several inputs must be unreadable,
	// with none that can be read, to refuse the input. Fewer suffice if it has no more. 0 refuses
	// no input.
	Unreadable int
}

// Destinations says where records are written, by name. An empty name means that they are not
// written.
type Destinations struct {
	Output, Duplicates, Rejects string
	Pattern                     string // for the names of the files that Output is divided into
	Sketches                    string // is written instead of records
	Compress                    compress.Method
	Form                        Form
	Unwritten                   bool // records are read but not written
}

// Texts says what is compared of records.
type Texts struct {
	Exact    bool // a duplicate is equal, not just similar
	Key      bool // with Exact: a record that lacks one of the fields equals no other
	Vector   bool // the field has vectors
	Tokens   bool // the field has tokens
	Dims     int  // of the vectors; 0 takes it from the first record that has one
	Textless bool // no text is read
}

// A Form says how files of row groups are written.
type Form struct {
	GroupRows  uint64
	GroupBytes int64
}
