package power

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A disk is what a machine has of some files: what programs see, and what lasts. Names and contents
// are apart: a name lasts once its directory is flushed, what a file holds once that is.
type disk struct {
	names, lasting map[string]*node // by path below the folder of the scenario
}

// A node is a file or a directory, whatever it is called.
type node struct {
	isDir        bool
	data, synced []byte
}

func newDisk() *disk { return &disk{map[string]*node{}, map[string]*node{}} }

// read takes what is below a folder, all of which lasts.
func readDisk(dir string) (*disk, map[uint64]*node, error) {
	d, nodes := newDisk(), map[uint64]*node{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		n := &node{isDir: entry.IsDir()}
		if !n.isDir {
			if n.data, err = os.ReadFile(path); err != nil {
				return err
			}
			n.synced = bytes.Clone(n.data)
			inode, err := inodeAt(path)
			if err != nil {
				return err
			}
			nodes[inode] = n
		}
		name, err := filepath.Rel(dir, path)
		d.names[name], d.lasting[name] = n, n
		return err
	})
	return d, nodes, err
}

// forget takes away what is below a folder.
func (d *disk) forget(folder string) {
	for _, names := range []map[string]*node{d.names, d.lasting} {
		maps.DeleteFunc(names, func(name string, _ *node) bool { return isBelow(name, folder) })
	}
}

// isBelow reports whether a path is a folder, or leads into it.
func isBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// do is what an operation does to the disk. Paths are below the folder.
func (d *disk) do(o store.Operation, nodes map[uint64]*node) error {
	switch o.Kind {
	case store.Create:
		n := &node{}
		d.names[o.Path], nodes[o.Inode] = n, n
	case store.MakeDir:
		if d.names[o.Path] == nil {
			d.names[o.Path] = &node{isDir: true}
		}
	case store.Rename:
		d.names[o.To] = d.names[o.Path]
		delete(d.names, o.Path)
	case store.Remove:
		delete(d.names, o.Path)
	case store.SyncDir:
		d.syncNames(o.Path)
	case store.Write, store.Truncate, store.SyncFile:
		n := nodes[o.Inode]
		if n == nil {
			return fmt.Errorf("%s %s: no such file is known", o.Kind, o.Path)
		}
		n.do(o)
	default:
		return fmt.Errorf("an operation of unknown kind %q", o.Kind)
	}
	return nil
}

// syncNames makes the names in a directory last.
func (d *disk) syncNames(dir string) {
	dir = filepath.Clean(dir)
	for name := range d.lasting {
		if filepath.Dir(name) == dir && d.names[name] == nil {
			delete(d.lasting, name)
		}
	}
	for name, n := range d.names {
		if filepath.Dir(name) == dir {
			d.lasting[name] = n
		}
	}
}

func (n *node) do(o store.Operation) {
	switch o.Kind {
	case store.Write:
		if end := o.Offset + int64(len(o.Data)); end > int64(len(n.data)) {
			n.data = append(n.data, make([]byte, end-int64(len(n.data)))...)
		}
		copy(n.data[o.Offset:], o.Data)
	case store.Truncate:
		grown := append(bytes.Clone(n.data), make([]byte, max(0, o.Offset-int64(len(n.data))))...)
		n.data = grown[:o.Offset]
	case store.SyncFile:
		n.synced = bytes.Clone(n.data)
	}
}

// A loss says what of the names and of the contents is left that was not flushed.
type loss struct {
	name            string
	names, contents func(random *rand.Rand) bool // the present one is left, and not the one that lasts
	torn            bool                         // contents are mixed by sectors
}

func always(*rand.Rand) bool   { return true }
func never(*rand.Rand) bool    { return false }
func half(r *rand.Rand) bool   { return r.IntN(2) == 0 }
func mostly(r *rand.Rand) bool { return r.IntN(8) > 0 }

// losses are what a loss of power may leave.
var losses = []loss{
	{"nothing that was not flushed", never, never, false},
	{"everything", always, always, false},
	{"names without contents", always, never, false},
	{"contents without names", never, always, false},
	{"some", half, half, true},
	{"most", mostly, mostly, true},
}

// allLosses are the losses that are tried after each operation: those of a random part as often as
// -rounds says.
func allLosses() (list []loss) {
	for _, l := range losses {
		list = append(list, l)
		for n := 1; n < *rounds && l.torn; n++ {
			list = append(list, l)
		}
	}
	return list
}

// An entry is a file or a directory that a loss has left.
type entry struct {
	path  string
	isDir bool
	data  []byte
}

// image is what a loss leaves: a directory comes before what is in it.
func (d *disk) image(l loss, random *rand.Rand) (list []entry) {
	all := maps.Clone(d.names)
	maps.Copy(all, d.lasting)
	gone := "\x00"
	for _, name := range slices.Sorted(maps.Keys(all)) { // in order: the same random numbers each time
		n := d.lasting[name]
		if l.names(random) {
			n = d.names[name]
		}
		switch {
		case strings.HasPrefix(name, gone): // its directory is not there
		case n != nil && n.isDir:
			list = append(list, entry{path: name, isDir: true})
		case n != nil:
			list = append(list, entry{path: name, data: n.left(l, random)})
		case cmpNode(d.names[name], d.lasting[name]).isDir:
			gone = name + string(filepath.Separator)
		}
	}
	return list
}

// sum tells images apart.
func sum(image []entry) [sha256.Size]byte {
	h := sha256.New()
	for _, e := range image {
		fmt.Fprintf(h, "%q %v %d ", e.path, e.isDir, len(e.data))
		h.Write(e.data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// restore makes a folder have an image, and nothing else.
func restore(dir string, image []entry) error {
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return err
	}
	for _, e := range image {
		path := filepath.Join(dir, e.path)
		write := func() error { return os.WriteFile(path, e.data, 0o600) }
		if e.isDir {
			write = func() error { return os.Mkdir(path, 0o700) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func cmpNode(a, b *node) *node {
	if a != nil {
		return a
	}
	return b
}

// left is what a loss leaves of a file.
func (n *node) left(l loss, random *rand.Rand) []byte {
	if !l.torn {
		if l.contents(random) {
			return n.data
		}
		return n.synced
	}
	length := len(n.synced)
	if l.contents(random) {
		least, most := min(len(n.synced), len(n.data)), max(len(n.synced), len(n.data))
		length = least + random.IntN(most-least+1)
	}
	const sector = 64 // small, to tear more
	data := make([]byte, length)
	for start := 0; start < length; start += sector {
		from := n.synced
		if l.contents(random) {
			from = n.data
		}
		if start < len(from) {
			copy(data[start:min(start+sector, length)], from[start:])
		}
	}
	return data
}
