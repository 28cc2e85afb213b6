package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A directory that was renamed is the one that is written to, and not what has its path now.
func TestDirStaysItself(t *testing.T) {
	parent := t.TempDir()
	path, moved := filepath.Join(parent, "d"), filepath.Join(parent, "moved")
	must(t, os.Mkdir(path, 0o700))
	d, err := OpenDir(path)
	must(t, err)
	defer d.Close()
	must(t, d.CheckNotMoved())
	must(t, os.Rename(path, moved))
	if err := d.CheckNotMoved(); !errors.Is(err, ErrReplaced) {
		t.Errorf("it was renamed: %v", err)
	}
	must(t, os.Mkdir(path, 0o700))
	must(t, os.WriteFile(filepath.Join(path, "other"), nil, 0o600))
	if err := d.CheckNotMoved(); !errors.Is(err, ErrReplaced) {
		t.Errorf("it was replaced: %v", err)
	}
	f, err := d.Create("new")
	must(t, err)
	must(t, errors.Join(f.Close(), d.Rename("new", "name"), d.Make("sub"), d.Sync()))
	if err := d.Remove("other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed from another directory: %v", err)
	}
	for _, name := range []string{"name", "sub"} {
		if _, err := os.Stat(filepath.Join(moved, name)); err != nil {
			t.Error(err)
		}
	}
	if names, _ := os.ReadDir(path); len(names) != 1 {
		t.Errorf("the other directory has %v", names)
	}
}

// Who has a file open reads on in it when another one takes its name.
func TestCreateLeavesWhatIsOpen(t *testing.T) {
	d, err := OpenDir(t.TempDir())
	must(t, err)
	defer d.Close()
	f, err := d.Create("log")
	must(t, err)
	_, err = f.WriteString("old")
	must(t, err)
	must(t, f.Close())
	open, err := d.Open("log")
	must(t, err)
	defer open.Close()
	f, err = d.Create("log")
	must(t, err)
	_, err = f.WriteString("newer")
	must(t, err)
	must(t, f.Close())
	if held, err := io.ReadAll(open); err != nil || string(held) != "old" {
		t.Errorf("it reads %q, %v", held, err)
	}
}

// Errors name the whole path, as those of package os do.
func TestErrorsNameThePath(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	must(t, err)
	defer d.Close()
	_, err = d.Open("none")
	_, want := os.Open(filepath.Join(path, "none"))
	if err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
	err, want = d.Rename("none", "x"), os.Rename(filepath.Join(path, "none"), filepath.Join(path, "x"))
	if err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Who may read or write in a directory may do so with what is made in it, as far as the umask
// allows.
func TestModesFollowTheDirectory(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	must(t, err)
	defer d.Close()
	for mode, want := range map[fs.FileMode]fs.FileMode{
		0o700: 0o600, 0o755: 0o644, 0o750: 0o640, 0o770: 0o660, 0o711: 0o600,
	} {
		must(t, os.Chmod(path, mode))
		f, err := d.Create("file")
		must(t, err)
		must(t, f.Close())
		must(t, d.Make("sub"))
		file, err := d.Stat("file")
		must(t, err)
		sub, err := d.Stat("sub")
		must(t, err)
		if got := file.Mode().Perm(); got&^want != 0 || got&0o700 != want&0o700 {
			t.Errorf("a file in a directory of mode %o has %o, want %o", mode, got, want)
		}
		if got := sub.Mode().Perm(); got&^mode != 0 || got&0o700 != mode&0o700 {
			t.Errorf("a directory in one of mode %o has %o", mode, got)
		}
		must(t, errors.Join(d.Remove("file"), d.Remove("sub")))
	}
}

// A watcher is told of what is done, in its order, and can have it fail.
func TestWatch(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	must(t, err)
	defer d.Close()
	var told []Kind
	full := errors.New("full")
	fail := Kind("")
	stop := Watch(Watcher{
		Before: func(o Operation) error {
			if o.Kind == fail {
				return full
			}
			return nil
		},
		After: func(o Operation) { told = append(told, o.Kind) },
	})
	defer stop()
	f, err := d.Create("x")
	must(t, err)
	_, err = f.WriteString("abc")
	must(t, err)
	_, err = f.WriteAt([]byte("de"), 1)
	must(t, err)
	must(t, errors.Join(f.Truncate(2), f.Sync(), d.Rename("x", "y"), d.Sync(), d.Remove("y"), f.Close()))
	want := []Kind{Create, Write, Write, Truncate, SyncFile, Rename, SyncDir, Remove}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	for _, fail = range []Kind{Create, MakeDir, SyncDir} {
		_, made := d.Create("z")
		err := errors.Join(made, d.Make("sub"), d.Sync())
		if !errors.Is(err, full) {
			t.Errorf("%s does not fail: %v", fail, err)
		}
		_, _ = d.Remove("z"), d.Remove("sub")
	}
}

// A watcher can make an operation fail that changes nothing, and skip a flush.
func TestWatchReading(t *testing.T) {
	d, err := OpenDir(t.TempDir())
	must(t, err)
	defer d.Close()
	must(t, d.Write("x", []byte("abc")))
	broken := errors.New("broken")
	fail, flushed := Kind(""), 0
	defer Watch(Watcher{
		Before:  func(Operation) error { return ErrDone },
		After:   func(Operation) { flushed++ },
		Reading: func(o Operation) error { return map[Kind]error{fail: broken}[o.Kind] },
	})()
	f, err := d.OpenForWriting("x")
	must(t, err)
	must(t, errors.Join(f.Sync(), d.Sync(), f.Truncate(1)))
	if size, err := f.Size(); flushed != 3 || err != nil || size != 3 {
		t.Errorf("%d operations are told of, %d bytes are left, %v", flushed, size, err)
	}
	for kind, read := range map[Kind]func() error{
		Open:  func() error { _, err := d.Open("x"); return err },
		Read:  func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		Stat:  func() error { _, err := d.Stat("x"); return err },
		List:  func() error { _, err := d.List(); return err },
		Close: f.Close,
	} {
		if fail = kind; !errors.Is(read(), broken) {
			t.Errorf("%s does not fail", kind)
		}
	}
	if _, err := f.File.Stat(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
}

// A path that leads through a file is no directory that could be made.
func TestMakePath(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := MakePath(dir, 0o700); err == nil || err.Error() != os.MkdirAll(dir, 0o700).Error() {
			t.Errorf("%s: %v", dir, err)
		}
	}
	deep := filepath.Join(path, "a", "b", "c")
	must(t, MakePath(deep, 0o700))
	must(t, MakePath(deep, 0o700))
	if info, err := os.Stat(deep); err != nil || !info.IsDir() {
		t.Error(err)
	}
}

// Of the locks of a system, that of the whole file counts.
func TestHolderOf(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 fd:01:5678 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fd:01:15678 0 EOF
2: -> FLOCK  ADVISORY  WRITE 13 fd:01:5678 0 EOF
3: FLOCK  ADVISORY  WRITE -1 fd:01:5678 0 EOF
4: FLOCK  ADVISORY  WRITE 14 fd:01:5678 0 EOF
5: nonsense
`
	for inode, want := range map[uint64]int{5678: 14, 15678: 12, 678: 0} {
		if got := holderOf([]byte(locks), inode); got != want {
			t.Errorf("%d is locked by %d, want %d", inode, got, want)
		}
	}
}
