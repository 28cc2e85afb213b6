package files

import (
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// A path alone does not tell whose output a file is: a directory may have been copied or moved with
// its index, restored from a backup, or mounted from another disk. So a file is also compared with
// what a run has written by its inode and its contents.

// A Likeness is the relation of a file that is about to be written to the output of a run.
type Likeness int

const (
	Unrelated Likeness = iota // as far as can be known
	Gone                      // nothing is left where the run wrote
	Changed                   // it is where the run wrote, but with other contents
	Identical                 // it is what the run wrote
)

// A Target is a file that is about to be written. The zero Target has no contents that could be
// lost: it is a pipe, a device, or a file that is appended to.
type Target struct {
	written.Output
	IsThere bool
	IsOpen  bool // the program's caller has opened and emptied it
}

// TargetOf describes the file that a stream is to be written to.
func TargetOf(path string, std Streams) (t Target, err error) {
	if object.IsRemote(path) {
		t.Output, err = DescribeOutput(path, std)
		t.IsThere = t.Version != "" // an object that cannot be seen is not replaced either
		return t, err
	}
	if f, done, err := std.OpenedBefore(path); f != nil || err != nil {
		if err != nil {
			return t, err
		}
		defer done()
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || Appends(f) {
			return t, err
		}
		t.IsThere, t.IsOpen = true, true
		t.Output, err = DescribeOpen(f)
		return t, err
	}
	info, err := os.Stat(path)
	if t.IsThere = err == nil; t.IsThere && !info.Mode().IsRegular() {
		return Target{}, nil
	}
	if t.Output, err = DescribeOutput(path, std); err != nil {
		return t, err
	}
	if t.Output = WithContents(t.Output); !t.IsThere {
		t.Path = FinalPath(path)
	}
	return t, nil
}

// DescribeOutput returns what distinguishes an output from others. It is zero for anything but a
// regular file or an object.
func DescribeOutput(path string, std Streams) (o written.Output, err error) {
	if object.IsRemote(path) {
		o.Path = object.Name(path)
		o.Version, _ = std.Objects.Version(path) // empty if it cannot be seen
		return o, nil
	}
	if f, done, err := std.OpenedBefore(path); f != nil || err != nil {
		if err != nil {
			return o, err
		}
		defer done()
		return DescribeOpen(f)
	}
	id, err := IdentityAt(path)
	if err != nil || id == (Identity{}) {
		return o, err
	}
	return written.Output{Path: FinalPath(path), Device: id.Device, Inode: id.Inode, Born: id.Born}, nil
}

// DescribeOpen is like DescribeOutput, for a file that the program's caller has opened. Its
// contents are unknown.
func DescribeOpen(f *os.File) (o written.Output, err error) {
	id, err := IdentityOf(f)
	if err != nil || id == (Identity{}) {
		return o, err
	}
	return written.Output{Path: PathOf(f), Device: id.Device, Inode: id.Inode, Born: id.Born}, nil
}

// WithContents adds the contents of an output, if they can be read where the output was written.
func WithContents(o written.Output) written.Output {
	if object.IsRemote(o.Path) || !isInPlace(o) {
		return o
	}
	info, err := os.Stat(o.Path)
	if err != nil {
		return o
	}
	if contents, err := ContentsAt(o.Path); err == nil {
		o.Bytes, o.Contents = info.Size(), contents
	}
	return o
}

// Compare returns the relation of a target to an output of a run. here is where the index is now,
// and there is where it was in that run.
func (t Target) Compare(of written.Output, here, there written.Place) Likeness {
	is := t.compare(of, here, there)
	switch {
	case of.Start > 0 && of.IsEmpty():
		return Unrelated
	case of.Start > 0 && is == Identical:
		return Changed // by the program that wrote what precedes it
	}
	return is
}

// compare is like Compare, for a run that has written the whole file.
func (t Target) compare(of written.Output, here, there written.Place) Likeness {
	hasMoved := there != (written.Place{}) && there != here
	isAt := t.Path != "" && (of.Path == t.Path || hasMoved && here.Beside(of.Path, there) == t.Path)
	isIt := of.IsFile(t.Output) || isAt && object.IsRemote(t.Path) && t.IsThere
	switch {
	case t.Output == (written.Output{}):
		return Unrelated
	case isIt && !of.Differs(t.Output):
		return Identical
	case t.IsOpen && hasMoved && isAt:
		return Identical // as far as can be known of a file that was emptied
	case t.IsOpen:
		return Unrelated
	case of.HasContents(t.Output) && (isAt || hasMoved || !isInPlace(of)):
		return Identical
	case (isIt || isAt) && (!t.IsThere || t.IsEmpty()):
		return Gone
	case isIt || isAt:
		return Changed
	}
	return Unrelated
}

// isInPlace reports whether an output is still where a run wrote it.
func isInPlace(of written.Output) bool {
	id, err := IdentityAt(of.Path)
	return err == nil && of.IsFile(written.Output{Device: id.Device, Inode: id.Inode, Born: id.Born})
}

// PlaceOf returns the place of the index in dir, which the user calls name.
func PlaceOf(dir, name string) written.Place {
	if object.IsRemote(name) {
		return written.Place{Path: name}
	}
	p := written.Place{Path: FullPath(dir)}
	if real, err := filepath.EvalSymlinks(p.Path); err == nil {
		p.Path = real
	}
	if info, err := os.Stat(dir); err == nil {
		p.Inode = InodeOf(info)
	}
	return p
}
