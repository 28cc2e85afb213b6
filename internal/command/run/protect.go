package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What a run has written is never replaced by another run with the same index: all that it kept is
// in the index, so that no run would write it again. The rule is one for every file that a run
// writes, whatever is written to it.

// countsStream is the name of the table of counts among what a run has written.
const countsStream = "counts"

// protect refuses to write over the outputs of earlier runs. Of the run that is repeated, or gone
// on with, each may be written anew by what it holds.
func (f *Run) protect(own ...*journal.Run) error {
	if f.Config.Runs.Overwrite {
		return nil
	}
	streams := map[string]string{f.Config.Output.Counts: countsStream} // by path
	for _, s := range f.streams {
		streams[s.Path] = s.Name
	}
	paths := f.Task.Written(f.Config)
	for _, s := range f.streams {
		if !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
	}
	for _, path := range paths {
		if path == "" || path == "-" && streams[path] == "" {
			continue
		}
		if err := f.protectOne(path, streams[path], own); err != nil {
			return err
		}
	}
	if f.shards == nil {
		return nil
	}
	return f.shards.Protect(func(path string) error { return f.protectOne(path, formats.KeptOutput, own) })
}

// protectOne refuses to write a stream to a path where an earlier run has written something.
func (f *Run) protectOne(path, stream string, own []*journal.Run) error {
	now, err := f.outputAt(path)
	if err != nil || now == (journal.Output{}) {
		return err
	}
	is := func(o journal.Output) bool { return o.IsFile(now) || path != "-" && o.Path == now.Path }
	run := f.runs.of.Writer(is)
	if run == nil || slices.Contains(own, run) && slices.ContainsFunc(run.Outputs, func(o journal.Output) bool {
		return is(o) && o.Stream == stream
	}) {
		return nil
	}
	dir, back := f.runs.name, f.runs.undo(run)
	of := fmt.Sprintf("run %d of %s (%s, %s)", run.Number, dir, run.Input, run.Ended.Format(time.DateTime))
	if path == "-" {
		return fmt.Errorf("standard output is the file with the output of %s, and the shell has emptied it: give the "+
			"input of that run once more to have it again, or take the run back by %s; then "+
			"write to another file (nothing was read, and the index is as it was)", of, back)
	}
	return fmt.Errorf("%s is the output of %s, and all that it has is in the index, so that no other run would write "+
		"it again: write to another file; or take that run back by %s; or add --overwrite",
		object.Name(path), of, back)
}

// undo is the command that takes a run back, with what goes with it.
func (j *runJournal) undo(run *journal.Run) string {
	text := fmt.Sprintf("mithril-stream index undo --to %d %s", run.Number-1, j.name)
	var later []string
	for _, other := range j.of.Runs {
		if other.Number > run.Number {
			later = append(later, fmt.Sprintf("%d (%s)", other.Number, other.Input))
		}
	}
	switch more := len(later) - mostNamed; {
	case len(later) == 0:
		return text
	case more > 0:
		later = append(later[:mostNamed], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s, which takes back the later runs too: %s", text, strings.Join(later, ", "))
}

// mostNamed is how many runs a message names.
const mostNamed = 3

// outputAt describes the file that a stream would be written to. It is zero if nothing is there
// that could be lost.
func (f *Run) outputAt(path string) (journal.Output, error) {
	switch {
	case path == "-":
		info, err := f.Std.Out.Stat()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || files.Appends(f.Std.Out) {
			return journal.Output{}, err
		}
		return f.describeOutput(path)
	case object.IsRemote(path):
		if _, err := f.Std.Objects.Version(path); err != nil {
			return journal.Output{}, nil // it is not there, or cannot be seen: then it is not replaced either
		}
	}
	return f.describeOutput(path)
}

// describeOutput says what tells an output from others. It is zero for what is no file.
func (f *Run) describeOutput(path string) (o journal.Output, err error) {
	var id files.Identity
	switch {
	case path == "-":
		id, err = files.IdentityOf(f.Std.Out)
		o.Path = files.PathOf(f.Std.Out)
	case object.IsRemote(path):
		return journal.Output{Path: object.Name(path)}, nil
	default:
		o.Path = files.FullPath(path)
		id, err = files.IdentityAt(path)
	}
	if err != nil || id == (files.Identity{}) {
		return journal.Output{}, err
	}
	o.Device, o.Inode, o.Born = id.Device, id.Inode, id.Born
	return o, nil
}

// writesOutputOf reports whether this run writes its first stream where another one did. If that is
// standard output, it is a file that is written from its beginning.
func (f *Run) writesOutputOf(run *journal.Run) bool {
	if len(run.Outputs) == 0 || len(f.streams) == 0 {
		return false
	}
	first, path := run.Outputs[0], f.streams[0].Path
	now, err := f.outputAt(path)
	return err == nil && now != (journal.Output{}) && first.Stream == f.streams[0].Name &&
		(first.IsFile(now) || path != "-" && first.Path == now.Path)
}

// written describes the files that the run has written, when they have their names.
func (f *Run) written(s stream.Stats) (list []journal.Output, err error) {
	add := func(name, path string) {
		o, failed := f.runs.stdout, error(nil) // it is closed
		if path != "-" {
			o, failed = f.describeOutput(path)
		}
		if o != (journal.Output{}) {
			o.Stream = name
			list = append(list, o)
		}
		err = errors.Join(err, failed)
	}
	for _, n := range f.streams {
		if f.shards != nil && n.Name == formats.KeptOutput {
			for number := range len(s.Shards) + 1 {
				add(n.Name, f.shards.Path(number))
			}
			continue
		}
		add(n.Name, n.Path)
	}
	if path := f.Config.Output.Counts; path != "" {
		add(countsStream, path)
	}
	return list, err
}
