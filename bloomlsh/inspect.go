package bloomlsh

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// Inspect describes the filters of an index. It loads them, as far as there is memory, since only
// they say how full they are.
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

// Verify checks every byte of the filters of an index, with little memory, and everything else that
// has a checksum in its directory. The error names the first damage that it meets; that may be
// bytes after the last commit, which do not count.
func Verify(dir string) error { return verify(system, dir) }

func verify(env environment, dir string) error {
	return index.ReadIn(env.files, dir, func(from *index.Snapshot) error {
		return from.Verify(env.files, VerifyFilters)
	})
}

// VerifyFilters checks what the log of an index says of its filters; their files are checked
// already.
func VerifyFilters(from *index.Snapshot) error {
	d, err := openDirectory(from)
	if err != nil {
		return err
	}
	return d.read(verification{})
}

// verification keeps nothing of what an index would take.
type verification struct{}

func (verification) base(*baseFile) error     { return nil }
func (verification) open(int, geometry) error { return nil }
func (verification) keys([]Key) error         { return nil }
func (verification) commit(counted) error     { return nil }
