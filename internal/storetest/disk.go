package storetest

import (
	"bytes"
	"cmp"
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
	"syscall"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Disk records the state of some files twice: as programs see it, and as it would be after a
// power failure. Names and contents are separate: a name is durable once its directory is flushed,
// the contents of a file once the file is.
type Disk struct {
	names, lasting map[string]*node // by path below the folder
	nodes          map[uint64]*node // by inode number
}

// A node is a file or a directory under any name.
type node struct {
	isDir        bool
	data, synced []byte
}

func newDisk() *Disk { return &Disk{map[string]*node{}, map[string]*node{}, map[uint64]*node{}} }

// ReadDisk records everything below a folder, and takes it to be durable.
func ReadDisk(dir string) (*Disk, error) {
	d := newDisk()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			d.addDir(name)
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return d.add(dir, name, data)
	})
	return d, err
}

// add adds a durable file below a folder.
func (d *Disk) add(dir, name string, data []byte) error {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	n := &node{data: bytes.Clone(data), synced: bytes.Clone(data)}
	d.names[name], d.lasting[name] = n, n
	d.nodes[info.Sys().(*syscall.Stat_t).Ino] = n
	return nil
}

func (d *Disk) addDir(name string) {
	n := &node{isDir: true}
	d.names[name], d.lasting[name] = n, n
}

func (d *Disk) remove(name string) {
	delete(d.names, name)
	delete(d.lasting, name)
}

// settle makes everything durable.
func (d *Disk) settle() {
	d.lasting = maps.Clone(d.names)
	for _, n := range d.names {
		n.synced = bytes.Clone(n.data)
	}
}

// Forget removes a folder and everything below it.
func (d *Disk) Forget(folder string) {
	for _, names := range []map[string]*node{d.names, d.lasting} {
		maps.DeleteFunc(names, func(name string, _ *node) bool { return IsBelow(name, folder) })
	}
}

// IsBelow reports whether a path names a folder or something in it.
func IsBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// Do applies an operation, whose paths are relative to the folder.
func (d *Disk) Do(o store.Operation) error {
	switch o.Kind {
	case store.Create:
		n := &node{}
		d.names[o.Path], d.nodes[o.Inode] = n, n
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
		n := d.nodes[o.Inode]
		if n == nil {
			return fmt.Errorf("%s %s: no such file is known", o.Kind, o.Path)
		}
		n.do(o)
	default:
		return fmt.Errorf("an operation of unknown kind %q", o.Kind)
	}
	return nil
}

// syncNames makes the names in a directory durable.
func (d *Disk) syncNames(dir string) {
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

// A Loss is a power failure: it decides which changes survive although they were not flushed.
type Loss struct {
	Name            string
	names, contents func(random *rand.Rand) bool // reports whether a change survives
	Torn            bool                         // it decides for each sector of a file separately
}

func always(*rand.Rand) bool   { return true }
func never(*rand.Rand) bool    { return false }
func half(r *rand.Rand) bool   { return r.IntN(2) == 0 }
func mostly(r *rand.Rand) bool { return r.IntN(8) > 0 }

// Some loses a random part.
var Some = Loss{"some", half, half, true}

// Losses are the power failures that tests try.
var Losses = []Loss{
	{"nothing that was not flushed", never, never, false},
	{"everything", always, always, false},
	{"names without contents", always, never, false},
	{"contents without names", never, always, false},
	Some,
	{"most", mostly, mostly, true},
}

// An Entry is a file or a directory that survived a power failure.
type Entry struct {
	Path  string
	IsDir bool
	Data  []byte
}

// Image returns what survives a power failure. A directory precedes its files.
func (d *Disk) Image(l Loss, random *rand.Rand) (list []Entry) {
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
			list = append(list, Entry{Path: name, IsDir: true})
		case n != nil:
			list = append(list, Entry{Path: name, Data: n.left(l, random)})
		case cmp.Or(d.names[name], d.lasting[name]).isDir:
			gone = name + string(filepath.Separator)
		}
	}
	return list
}

// Sum returns a checksum of an image.
func Sum(image []Entry) [sha256.Size]byte {
	h := sha256.New()
	for _, e := range image {
		fmt.Fprintf(h, "%q %v %d ", e.Path, e.IsDir, len(e.Data))
		h.Write(e.Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Restore replaces everything in a folder by an image.
func Restore(dir string, image []Entry) error {
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return err
	}
	for _, e := range image {
		path := filepath.Join(dir, e.Path)
		write := func() error { return os.WriteFile(path, e.Data, 0o600) }
		if e.IsDir {
			write = func() error { return os.Mkdir(path, 0o700) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// left returns the contents of a file that survive a power failure.
func (n *node) left(l Loss, random *rand.Rand) []byte {
	if !l.Torn {
		if l.contents(random) {
			return bytes.Clone(n.data)
		}
		return bytes.Clone(n.synced)
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

// Below returns a path relative to a folder, which is also where relative paths start. The result
// begins with ".." or is absolute if the path leads elsewhere.
func Below(dir, path string) string {
	if path == "" || !filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return name
}
