package formats

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// Names of the outputs of records.
const (
	KeptOutput       = "output"
	DuplicatesOutput = "duplicates"
	RejectsOutput    = "rejects"
)

// An Output describes a file that a run is going to write.
type Output struct {
	Name   string
	Path   string
	Method compress.Method
	Packed bool // what is written to it is already compressed
}

// Compression returns how to compress what is written. The zero Method leaves it as it is.
func (o Output) Compression() compress.Method {
	if o.Packed {
		return compress.Method{}
	}
	return o.Method
}

// MethodOf returns how a file is compressed: as requested, or else as its name says.
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
