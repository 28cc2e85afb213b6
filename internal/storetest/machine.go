package storetest

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// ErrInjected is the error of an operation that a Machine makes fail.
var ErrInjected = errors.New("injected error")

// A Machine is a folder of files that a test works on through package store. It records what would
// be durable, so flushes need not be performed.
type Machine struct {
	Dir string
	// FailAt is the number of the operation that fails, from 1; none fails if it is 0. Of a write
	// that fails, the first half is written, as on a disk that becomes full.
	FailAt     int
	Dead       bool // everything after FailAt fails as well, as if the power were gone
	Operations int  // the number of operations so far

	t    TB
	one  sync.Mutex
	disk *Disk
}

// TB is the part of testing.TB that a Machine needs.
type TB interface {
	Helper()
	Fatal(args ...any)
	Cleanup(func())
}

// machines maps the folders of all tests to their Machines.
var machines sync.Map

// New returns a Machine without files, which exists until the test ends.
func New(t TB) *Machine {
	t.Helper()
	in := inMemory
	if _, err := os.Stat(in); err != nil {
		in = ""
	}
	dir, err := os.MkdirTemp(in, "machine")
	m := &Machine{Dir: dir, t: t, disk: newDisk()}
	m.check(err)
	machines.Store(dir, m)
	stop := store.Watch(store.Watcher{
		Before:  func(o store.Operation) error { return machineOf(o).before(o) },
		After:   func(o store.Operation) { machineOf(o).after(o) },
		Reading: func(o store.Operation) error { return machineOf(o).reading() },
	})
	t.Cleanup(func() {
		stop()
		machines.Delete(dir)
		m.check(os.RemoveAll(dir))
	})
	return m
}

// machineOf returns the Machine whose files an operation affects. It is nil for other files.
func machineOf(o store.Operation) *Machine {
	// cuts the path itself: filepath.Dir would clean it each time
	for path := o.Path; path != ""; path = path[:max(0, strings.LastIndexByte(path, filepath.Separator))] {
		if m, ok := machines.Load(path); ok {
			return m.(*Machine)
		}
	}
	return nil
}

func (m *Machine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// fails counts an operation and reports whether it fails.
func (m *Machine) fails() bool {
	m.Operations++
	return m.FailAt > 0 && (m.Operations == m.FailAt || m.Dead && m.Operations > m.FailAt)
}

func (m *Machine) reading() error {
	if m == nil {
		return nil
	}
	m.one.Lock()
	defer m.one.Unlock()
	if m.fails() {
		return ErrInjected
	}
	return nil
}

func (m *Machine) before(o store.Operation) error {
	if m == nil {
		return nil
	}
	m.one.Lock()
	defer m.one.Unlock()
	switch {
	case m.fails():
		if o.Kind == store.Write && m.Operations == m.FailAt {
			o.Data = o.Data[:len(o.Data)/2]
			m.check(errors.Join(writeAt(o), m.do(o)))
		}
		return ErrInjected
	case o.Kind == store.SyncFile || o.Kind == store.SyncDir:
		return store.ErrDone
	}
	return nil
}

// writeAt performs a write.
func writeAt(o store.Operation) error {
	f, err := os.OpenFile(o.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(o.Data, o.Offset)
	return errors.Join(err, f.Close())
}

func (m *Machine) after(o store.Operation) {
	if m == nil {
		return
	}
	m.one.Lock()
	defer m.one.Unlock()
	m.check(m.do(o))
}

func (m *Machine) do(o store.Operation) error {
	o.Path, o.To = Below(m.Dir, o.Path), Below(m.Dir, o.To)
	return m.disk.Do(o)
}

// Path returns the path of a file or a directory of the machine.
func (m *Machine) Path(name string) string { return filepath.Join(m.Dir, name) }

// Names lists the files in a directory.
func (m *Machine) Names(dir string) (names []string) {
	entries, err := os.ReadDir(m.Path(dir))
	m.check(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Has reports whether a file exists.
func (m *Machine) Has(name string) bool {
	_, err := os.Stat(m.Path(name))
	return err == nil
}

// Read returns the contents of a file.
func (m *Machine) Read(name string) []byte {
	m.t.Helper()
	data, err := os.ReadFile(m.Path(name))
	m.check(err)
	return data
}

// Lasting returns the durable contents of a file. They are nil if its name is not durable.
func (m *Machine) Lasting(name string) []byte {
	if n := m.disk.lasting[name]; n != nil {
		return n.synced
	}
	return nil
}

// Write durably writes a file.
func (m *Machine) Write(name string, data []byte) {
	m.t.Helper()
	m.check(os.WriteFile(m.Path(name), data, 0o600))
	m.check(m.disk.add(m.Dir, name, data))
}

// Remove durably removes a file.
func (m *Machine) Remove(name string) {
	m.t.Helper()
	m.check(os.Remove(m.Path(name)))
	m.disk.remove(name)
}

// Left returns what survives a power failure.
func (m *Machine) Left(l Loss, random *rand.Rand) []Entry { return m.disk.Image(l, random) }

// All returns everything that programs see.
func (m *Machine) All() []Entry { return m.disk.Image(Losses[1], nil) }

// Restore replaces all files by an image, durably, and lets no operation fail from now on. Files
// that are already as in the image are not written again.
func (m *Machine) Restore(image []Entry) {
	m.t.Helper()
	wanted := map[string]Entry{}
	for _, e := range image {
		wanted[e.Path] = e
	}
	names := slices.Sorted(maps.Keys(m.disk.names))
	for _, name := range slices.Backward(names) { // a directory after what is in it
		n, e := m.disk.names[name], wanted[name]
		if e.Path == "" || n.isDir != e.IsDir || !bytes.Equal(n.data, e.Data) {
			m.Remove(name)
		}
	}
	m.disk.settle()
	for _, e := range image {
		switch {
		case m.disk.names[e.Path] != nil:
		case e.IsDir:
			m.check(os.Mkdir(m.Path(e.Path), 0o700))
			m.disk.addDir(e.Path)
		default:
			m.Write(e.Path, e.Data)
		}
	}
	m.FailAt, m.Dead, m.Operations = 0, false, 0
}

// Saved is the state of all files of a Machine, with what of it is durable. None may be open.
type Saved struct {
	image          []Entry
	names, lasting map[string]*node
}

// Save records the state of all files, to Return to it.
func (m *Machine) Save() *Saved {
	c := copier{}
	return &Saved{m.All(), c.copyAll(m.disk.names), c.copyAll(m.disk.lasting)}
}

// Return gives all files a state that they had before, in which as much is durable as was then, and
// lets no operation fail from now on.
func (m *Machine) Return(to *Saved) {
	m.t.Helper()
	m.Restore(to.image)
	c := copier{}
	for name, n := range to.names {
		c[n] = m.disk.names[name]
		c[n].synced = n.synced
	}
	m.disk.lasting = c.copyAll(to.lasting)
}

// A copier maps nodes to their copies, so that a node with two names has one copy.
type copier map[*node]*node

func (c copier) copyAll(names map[string]*node) map[string]*node {
	copies := map[string]*node{}
	for name, n := range names {
		if c[n] == nil {
			c[n] = &node{n.isDir, bytes.Clone(n.data), n.synced}
		}
		copies[name] = c[n]
	}
	return copies
}

// With returns an image with other contents of one file.
func With(image []Entry, name string, data []byte) []Entry {
	image = slices.Clone(image)
	for i := range image {
		if image[i].Path == name {
			image[i].Data = data
		}
	}
	return image
}

// Clone returns a Machine with the files that programs see.
func (m *Machine) Clone() *Machine {
	m.t.Helper()
	c := New(m.t)
	c.Restore(m.All())
	return c
}
