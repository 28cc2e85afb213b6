package files

import (
	"errors"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// Create creates an output: a file, or an object in a bucket.
func (s Streams) Create(path string, m compress.Method, cores int, durable bool) (*Output, error) {
	if err := object.CheckScheme(path); err != nil {
		return nil, usage.Error(err)
	}
	if err := RefuseToMix(nil, []string{path}, s); err != nil {
		return nil, err
	}
	if object.IsRemote(path) {
		return s.createObject(path, m, cores)
	}
	return createOutFile(path, m, cores, durable)
}

// createObject creates an object. Until the run is complete, it is an unnamed file in TMPDIR. So a
// failed run sends nothing, and an upload that breaks off can be repeated.
func (s Streams) createObject(path string, m compress.Method, cores int) (*Output, error) {
	if err := s.Objects.CheckBucket(path); err != nil {
		return nil, err
	}
	f, err := private.Unnamed("")
	if err != nil {
		return nil, err
	}
	o := &Output{Path: path, put: func(file *os.File, size int64) error { return s.Objects.Put(path, file, size) }}
	if o.sink, err = newSink(store.Of(f), m, cores, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return o, nil
}
