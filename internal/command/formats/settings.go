package formats

import (
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// A Request is what a run wants to be read and written, as the user has said it.
type Request struct {
	layout.Settings
	Paths     []string // of inputs
	MaxRecord int      // bytes
	Destinations
	Texts

	Annotate  bool // members are added to records
	Resumable bool // outputs are to be gone on with
	PerInput  bool // kept records of each input go to a file of their own

	// Unreadable is how many records at the beginning of an input among others, if none of them can
	// be read, are enough to refuse the input; so are fewer if it has no more. 0 refuses none.
	Unreadable int
}

// Destinations are where records are written, by name; the name is empty if they are not written.
type Destinations struct {
	Output, Duplicates, Rejects string
	Pattern                     string // what files are called that Output is divided into
	Sketches                    string // is written in place of records
	Compress                    compress.Method
	Form                        Form
	Unwritten                   bool // records are read, and not written
}

// Texts say what is compared of records.
type Texts struct {
	Exact    bool // what is the same is a duplicate, not what is similar
	Key      bool // of Exact: a record that lacks one of the fields is the same as none
	Vector   bool // the field has vectors
	Tokens   bool // the field has tokens
	Dims     int  // of the vectors; 0 if the first record that has one is to tell
	Textless bool // no text is read
}

// A Form says how files of row groups are written.
type Form struct {
	GroupRows  uint64
	GroupBytes int64
}
