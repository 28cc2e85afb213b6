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

// Create begins a file, or what becomes an object of a bucket.
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

// createObject begins an object. Until its run is complete it is a file without a name, in TMPDIR:
// so nothing is sent of a run that fails, and what breaks off can be sent again.
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
