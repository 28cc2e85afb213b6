package formats

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// What the outputs of records are called.
const (
	KeptOutput       = "output"
	DuplicatesOutput = "duplicates"
	RejectsOutput    = "rejects"
)

// An Output is a file that a run writes, before it is open.
type Output struct {
	Name   string
	Path   string
	Method compress.Method
	Packed bool // what is written to it is compressed already
}

// Compression is what is to be done to what is written.
func (o Output) Compression() compress.Method {
	if o.Packed {
		return compress.Method{}
	}
	return o.Method
}

// MethodOf is how a file is compressed: as its name says, or as is asked for.
func MethodOf(path string, asked compress.Method) (compress.Method, error) {
	method, err := compress.ByName(path)
	if err != nil || asked == (compress.Method{}) {
		return method, err
	}
	if method.Format != "" && method.Format != asked.Format {
		return method, fmt.Errorf("%s is %s by its name, but --compress says %s", path, method.Format, asked.Format)
	}
	return asked, asked.Check()
}
