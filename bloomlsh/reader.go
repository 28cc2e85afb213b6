package bloomlsh

import (
	"errors"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"os"
	"path/filepath"
	"strconv"
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

func openReader(env environment, dir string, bands int, identity []Parameter, memory uint64) (r *Reader, err error) {
	err = withDirectory(env, dir, func(d *directory) error {
		_, stored, _ := splitParameters(d.manifest.parameters)
		own := Parameter{Name: "bands", Value: strconv.Itoa(d.params.Bands)}
		wanted := Parameter{Name: "bands", Value: strconv.Itoa(bands)}
		if err := compareParameters(dir, append(stored[:len(stored):len(stored)], own),
			append(identity[:len(identity):len(identity)], wanted)); err != nil {
			return err
		}
		x, _, err := d.load(env, memory)
		if err != nil {
			return err
		}
		r = &Reader{queryable{x}, d.state.last.position}
		return nil
	})
	return r, err
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

// withDirectory opens an index without a lock. A writer may replace files, or truncate and rewrite
// the end of the log, while they are opened and scanned, so apparent damage is checked again: real
// damage stays.
func withDirectory(env environment, dir string, use func(*directory) error) (err error) {
	files, err := openDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	d, err := openDirectory(env, files, false)
	for try := 1; errors.Is(err, ErrCorrupt) && try < 3; try++ {
		d, err = openDirectory(env, files, false)
	}
	if err != nil {
		return err
	}
	defer d.close()
	return use(d)
}

// FilterBytes is how many bytes the filters of an index take, those of its base files, or of what
// was planned for if that is more.
func FilterBytes(dir string) (uint64, error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return 0, err
	}
	p, _, err := splitParameters(m.parameters)
	if err != nil {
		return 0, corrupt(filepath.Join(dir, manifestName), "%v", err)
	}
	stored := uint64(0)
	for _, name := range m.baseNames() {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		stored += uint64(info.Size())
	}
	return max(stored, p.FilterBytes()), nil
}

// ReadParameters returns the parameters and the identity that an index was created with.
func ReadParameters(dir string) (p Params, identity []Parameter, err error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return p, nil, err
	}
	p, identity, err = splitParameters(m.parameters)
	if err != nil {
		return p, nil, corrupt(filepath.Join(dir, manifestName), "%v", err)
	}
	return p, without(identity, MadeByParameter), nil
}

// ReadMadeBy returns what MadeByParameter says of an index, and whether it says anything.
func ReadMadeBy(dir string) (value string, isKept bool, err error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return "", false, err
	}
	value, isKept = parameter.Value(m.parameters, MadeByParameter)
	return value, isKept, nil
}

// ReadSeries returns a number that is another one whenever the index of a directory was taken back
// by UndoTo, and also after some commits. Who reads further files that a commit names can tell by
// it whether they are of one state: if it is the same before the commit is read and after all files
// were opened.
func ReadSeries(dir string) (uint64, error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return 0, err
	}
	series, ok := isIndexFile(m.log)
	if !ok {
		return 0, corrupt(filepath.Join(dir, manifestName), "%q is not the name of a log", m.log)
	}
	return series, nil
}
