package bloomlsh

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// A Reader is a read-only view of what an index held when it was opened. It is not safe for
// concurrent use, but any number of readers may be open at once, even while a program writes to the
// index.
type Reader struct {
	queryable
	committed Position
}

// OpenReadOnly loads the index in a directory as of its last commit. The index must have been built
// with the given identity and number of bands; its other parameters do not affect queries.
func OpenReadOnly(dir string, bands int, identity []Parameter) (*Reader, error) {
	return openReader(system, dir, bands, identity, 0)
}

// OpenReadOnlyIn is like OpenReadOnly with at most the given number of bytes of memory for filters,
// as with Params.Memory.
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
		} // otherwise it is another kind of index, or openDirectory reports the damage
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

// queryable implements the queries of Store and Reader.
type queryable struct{ index *Index }

// Query calls Index.Query.
func (a queryable) Query(keys []Key, votes []uint16) error { return a.index.Query(keys, votes) }

// Lookup calls Index.Lookup.
func (a queryable) Lookup(keys []Key, to *Answers) error { return a.index.Lookup(keys, to) }

// LookupAt calls Index.LookupAt.
func (a queryable) LookupAt(times []int64, keys []Key, to *Answers) error {
	return a.index.LookupAt(times, keys, to)
}

// IsTagged calls Index.IsTagged.
func (a queryable) IsTagged() bool { return a.index.IsTagged() }

// CanPrefetch calls Index.CanPrefetch.
func (a queryable) CanPrefetch() bool { return a.index.CanPrefetch() }

// Prefetch calls Index.Prefetch.
func (a queryable) Prefetch(keys []Key) error { return a.index.Prefetch(keys) }

// Stats calls Index.Stats.
func (a queryable) Stats() Stats { return a.index.Stats() }

// Usage calls Index.Usage.
func (a queryable) Usage() Usage { return a.index.Usage() }

// Committed returns the position of the last commit.
func (r *Reader) Committed() Position { return r.committed }

// Close releases the memory.
func (r *Reader) Close() error { return r.index.Close() }

// FilterBytes returns the size in bytes of the filters in an index's base files, or that of the
// planned filters if it is larger.
func FilterBytes(dir string) (stored uint64, err error) {
	err = index.Read(dir, func(s *index.Snapshot) error {
		stored = 0
		p, _, err := splitParameters(s.Parameters())
		if err != nil {
			return nil // opening it reports what is wrong
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

// ReadMadeBy returns the MadeByParameter of an index, and whether it has one.
func ReadMadeBy(dir string) (value string, isKept bool, err error) {
	list, err := index.ReadParameters(dir)
	if err != nil {
		return "", false, err
	}
	value, isKept = parameter.Value(list, MadeByParameter)
	return value, isKept, nil
}
