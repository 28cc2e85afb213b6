package bloomlsh

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// Inspect describes the filters of an index. It loads as many of them as memory allows, since only
// their contents show how full they are.
func Inspect(from *index.Snapshot) (Stats, error) { return inspect(system, from) }

func inspect(env environment, from *index.Snapshot) (Stats, error) {
	d, err := openDirectory(from)
	if err != nil {
		return Stats{}, err
	}
	defer d.close()
	memory, _ := env.memory.usable()
	x, _, err := d.load(env, memory)
	if err != nil {
		return Stats{}, err
	}
	return x.Stats(), x.Close()
}

// Verify checks every byte of the filters of an index, and everything else in its directory that
// has a checksum, using little memory. The error names the first damage found, which may be in
// bytes after the last commit, which do not count.
func Verify(dir string) error { return verify(system, dir) }

func verify(env environment, dir string) error {
	return index.ReadIn(env.files, dir, func(from *index.Snapshot) error {
		return from.Verify(env.files, VerifyFilters)
	})
}

// VerifyFilters checks what the log of an index says about its filters. The filters' files must
// have been checked.
func VerifyFilters(from *index.Snapshot) error {
	d, err := openDirectory(from)
	if err != nil {
		return err
	}
	return d.read(verification{})
}

// verification is a content that stores nothing.
type verification struct{}

func (verification) base(*baseFile) error     { return nil }
func (verification) open(int, geometry) error { return nil }
func (verification) keys([]Key) error         { return nil }
func (verification) commit(counted) error     { return nil }
