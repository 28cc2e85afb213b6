package bloomlsh

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
)

var errInjected = errors.New("injected error")

// memFiles is a file system in memory that knows what has been flushed, can fail at any operation
// and can crash.
type memFiles struct {
	entries map[string]*inode
	durable map[string]*inode // as of the last SyncDir of each directory
	locked  map[string]bool

	counting   sync.Mutex // base files are read by several goroutines
	operations int
	failAt     int  // number of the operation that fails, from 1; 0 for none
	dead       bool // after failAt everything fails, as in a crash
	free       uint64
}

type inode struct {
	data, synced []byte
	directory    bool
}

func newMemFiles() *memFiles {
	return &memFiles{entries: map[string]*inode{}, durable: map[string]*inode{}, locked: map[string]bool{},
		free: 1 << 40}
}

// operate counts an operation and says whether it fails.
func (m *memFiles) operate() error {
	m.counting.Lock()
	defer m.counting.Unlock()
	m.operations++
	if m.failAt > 0 && (m.operations == m.failAt || m.dead && m.operations > m.failAt) {
		return errInjected
	}
	return nil
}

// afterCrash returns what a machine that loses power now may find: for every name the durable entry
// or the present one, and of every file what was flushed, with any of the sectors written since.
func (m *memFiles) afterCrash(random *rand.Rand) *memFiles {
	after := newMemFiles()
	names := map[string]bool{}
	for name := range m.entries {
		names[name] = true
	}
	for name := range m.durable {
		names[name] = true
	}
	for name := range names {
		node := m.durable[name]
		if random.IntN(2) == 0 {
			node = m.entries[name]
		}
		if node == nil {
			continue
		}
		data := node.crashed(random)
		after.entries[name] = &inode{data, append([]byte{}, data...), node.directory}
		after.durable[name] = after.entries[name]
	}
	return after
}

func (n *inode) crashed(random *rand.Rand) []byte {
	const sector = 64 // small, to tear more
	length := len(n.synced)
	if random.IntN(2) == 0 {
		length = min(length, len(n.data)) + random.IntN(max(len(n.data), length)-min(length, len(n.data))+1)
	}
	data := make([]byte, length) // what was never written is zero
	for start := 0; start < length; start += sector {
		from := n.synced
		if random.IntN(2) == 0 {
			from = n.data
		}
		if start < len(from) {
			copy(data[start:min(start+sector, length)], from[start:])
		}
	}
	return data
}

func (m *memFiles) clone() *memFiles {
	c := newMemFiles()
	for name, node := range m.entries {
		data := append([]byte{}, node.data...)
		c.entries[name] = &inode{data, append([]byte{}, data...), node.directory}
		c.durable[name] = c.entries[name]
	}
	return c
}

func (m *memFiles) MakeDir(name string) error {
	if err := m.operate(); err != nil {
		return err
	}
	if m.entries[name] == nil {
		m.entries[name] = &inode{directory: true}
		m.durable[name] = m.entries[name]
	}
	return nil
}

// OpenDir returns the files of a directory, held or not.
func (m *memFiles) OpenDir(path string) (dirFiles, error) { return memDir{m, path}, nil }

// memDir is a directory of memFiles.
type memDir struct {
	*memFiles
	path string
}

func (d memDir) at(name string) string { return filepath.Join(d.path, name) }

func (d memDir) Path() string { return d.path }

func (d memDir) List() (names []string, err error) {
	if err := d.operate(); err != nil {
		return nil, err
	}
	for name, node := range d.entries {
		if filepath.Dir(name) == d.path && !node.directory {
			names = append(names, filepath.Base(name))
		}
	}
	return names, nil
}

func (d memDir) CreateFile(name string) (file, error) {
	if err := d.operate(); err != nil {
		return nil, err
	}
	node := &inode{} // who has another one of that name open goes on with that
	d.entries[d.at(name)] = node
	return &memFile{d.memFiles, node}, nil
}

func (d memDir) OpenFile(name string, _ bool) (file, error) {
	if err := d.operate(); err != nil {
		return nil, err
	}
	node := d.entries[d.at(name)]
	if node == nil {
		return nil, &fs.PathError{Op: "open", Path: d.at(name), Err: fs.ErrNotExist}
	}
	return &memFile{d.memFiles, node}, nil
}

func (d memDir) Rename(from, to string) error {
	if err := d.operate(); err != nil {
		return err
	}
	d.entries[d.at(to)] = d.entries[d.at(from)]
	delete(d.entries, d.at(from))
	return nil
}

func (d memDir) Remove(name string) error {
	if err := d.operate(); err != nil {
		return err
	}
	if d.entries[d.at(name)] == nil {
		return &fs.PathError{Op: "remove", Path: d.at(name), Err: fs.ErrNotExist}
	}
	delete(d.entries, d.at(name))
	return nil
}

func (d memDir) Sync() error {
	if err := d.operate(); err != nil {
		return err
	}
	for name := range d.durable {
		if filepath.Dir(name) == d.path && d.entries[name] == nil {
			delete(d.durable, name)
		}
	}
	for name, node := range d.entries {
		if filepath.Dir(name) == d.path {
			d.durable[name] = node
		}
	}
	return nil
}

type memLock struct {
	files *memFiles
	name  string
}

func (l memLock) Close() error {
	delete(l.files.locked, l.name)
	return nil
}

func (d memDir) Lock(name string) (io.Closer, error) {
	if err := d.operate(); err != nil {
		return nil, err
	}
	name = d.at(name)
	if d.locked[name] {
		return nil, ErrLocked
	}
	d.locked[name] = true
	if d.entries[name] == nil {
		d.entries[name] = &inode{}
	}
	return memLock{d.memFiles, name}, nil
}

func (d memDir) CheckNotMoved() error { return nil }

func (d memDir) Close() error { return nil }

func (d memDir) Free() (uint64, error) { return d.free, d.operate() }

// in returns the files of a directory.
func in(files fileSystem, dir string) dirFiles {
	opened, err := files.OpenDir(dir)
	if err != nil {
		panic(err)
	}
	return opened
}

type memFile struct {
	files *memFiles
	node  *inode
}

func (f *memFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.files.operate(); err != nil {
		return 0, err
	}
	if offset >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes the first half when it fails, as a full disk does.
func (f *memFile) WriteAt(p []byte, offset int64) (n int, err error) {
	if err = f.files.operate(); err != nil {
		p = p[:len(p)/2]
	}
	if need := int(offset) + len(p); need > len(f.node.data) {
		f.node.data = append(f.node.data, make([]byte, need-len(f.node.data))...)
	}
	return copy(f.node.data[offset:], p), err
}

func (f *memFile) Size() (int64, error) { return int64(len(f.node.data)), f.files.operate() }

func (f *memFile) Truncate(size int64) error {
	if err := f.files.operate(); err != nil {
		return err
	}
	f.node.data = append([]byte{}, f.node.data[:min(size, int64(len(f.node.data)))]...)
	return nil
}

func (f *memFile) Sync() error {
	if err := f.files.operate(); err != nil {
		return err
	}
	f.node.synced = append([]byte{}, f.node.data...)
	return nil
}

func (f *memFile) Close() error { return f.files.operate() }

// indexFiles lists the files of a directory, except for the lock.
func (m *memFiles) indexFiles(dir string) (names []string) {
	for name := range m.entries {
		if strings.HasPrefix(name, dir+"/") && filepath.Base(name) != lockName {
			names = append(names, name)
		}
	}
	return names
}
