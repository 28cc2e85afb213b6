package bloomlsh

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// Reader is what an index held when it was opened, for queries only. It is not safe for concurrent
// use; any number of readers may be open at once, also beside a program that writes.
type Reader struct {
	queryable
	committed Position
}

// OpenReadOnly loads the index of a directory as of its last commit. It must have been built with
// the given identity and number of bands; its other parameters do not matter to a query.
func OpenReadOnly(dir string, bands int, identity []Parameter) (*Reader, error) {
	return openReader(system, dir, bands, identity, 0)
}

// OpenReadOnlyIn is OpenReadOnly with at most that many bytes of memory for filters, like
// Params.Memory.
func OpenReadOnlyIn(memory uint64, dir string, bands int, identity []Parameter) (*Reader, error) {
	return openReader(system, dir, bands, identity, memory)
}

func openReader(env environment, dir string, bands int, identity []Parameter, memory uint64) (*Reader, error) {
	return index.Open(env.files, dir, func(from *index.Snapshot) (*Reader, error) {
		own := func(bands int, identity []Parameter) []Parameter {
			return append(slices.Clip(identity), Parameter{Name: "bands", Value: strconv.Itoa(bands)})
		}
		stored := from.Parameters()
		if p, known, err := splitParameters(stored); err == nil {
			stored = own(p.Bands, known)
		} // else it is another kind of index, or openDirectory says that it is damaged
		if err := index.CheckParameters(dir, stored, own(bands, identity)); err != nil {
			return nil, err
		}
		d, err := openDirectory(from)
		if err != nil {
			return nil, err
		}
		defer d.close()
		x, _, err := d.load(env, memory)
		if err != nil {
			return nil, err
		}
		return &Reader{queryable{x}, from.Committed().Position}, nil
	})
}

// queryable is the part of an index that a Store and a Reader use to answer queries.
type queryable struct{ index *Index }

// Query is Index.Query.
func (a queryable) Query(keys []Key, votes []uint16) error { return a.index.Query(keys, votes) }

// Lookup is Index.Ask.
func (a queryable) Lookup(keys []Key, to *Answers) error { return a.index.Lookup(keys, to) }

// IsTagged is Index.IsTagged.
func (a queryable) IsTagged() bool { return a.index.IsTagged() }

// CanPrefetch is Index.CanPrefetch.
func (a queryable) CanPrefetch() bool { return a.index.CanPrefetch() }

// Prefetch is Index.Prefetch.
func (a queryable) Prefetch(keys []Key) error { return a.index.Prefetch(keys) }

// Stats is Index.Stats.
func (a queryable) Stats() Stats { return a.index.Stats() }

// Usage is Index.Usage.
func (a queryable) Usage() Usage { return a.index.Usage() }

// Committed returns the position of the last commit.
func (r *Reader) Committed() Position { return r.committed }

// Close gives the memory back.
func (r *Reader) Close() error { return r.index.Close() }

// FilterBytes is how many bytes the filters of an index take, those of its base files, or of what
// was planned for if that is more.
func FilterBytes(dir string) (stored uint64, err error) {
	err = index.Read(dir, func(s *index.Snapshot) error {
		stored = 0
		p, _, err := splitParameters(s.Parameters())
		if err != nil {
			return nil // opening it says what is wrong
		}
		for _, f := range s.Sealed() {
			stored += uint64(f.Bytes())
		}
		stored = max(stored, p.FilterBytes())
		return nil
	})
	return stored, err
}

// ReadParameters returns the parameters and the identity that an index was created with.
func ReadParameters(dir string) (p Params, identity []Parameter, err error) {
	list, err := index.ReadParameters(dir)
	if err != nil {
		return p, nil, err
	}
	p, identity, err = splitParameters(list)
	if err != nil {
		return p, nil, index.Corrupt(filepath.Join(dir, "MANIFEST"), "%v", err)
	}
	return p, index.Without(identity, MadeByParameter), nil
}

// ReadMadeBy returns what MadeByParameter says of an index, and whether it says anything.
func ReadMadeBy(dir string) (value string, isKept bool, err error) {
	list, err := index.ReadParameters(dir)
	if err != nil {
		return "", false, err
	}
	value, isKept = parameter.Value(list, MadeByParameter)
	return value, isKept, nil
}
