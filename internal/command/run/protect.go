package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
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

// protect returns an error if the run would overwrite outputs of earlier runs. The outputs of the
// run that is repeated or continued may be rewritten with the same contents.
func (o *Outputs) protect(j job, own ...*journal.Run) error {
	if j.Config.Runs.Overwrite {
		return nil
	}
	streams := map[string]string{j.Config.Output.Counts: countsStream} // by path
	for _, s := range o.streams {
		streams[s.Path] = s.Name
	}
	paths := j.Task.Written(j.Config)
	for _, s := range o.streams {
		if !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
	}
	for _, path := range paths {
		if path == "" || path == "-" && streams[path] == "" {
			continue
		}
		if err := o.protectOne(path, streams[path], own); err != nil {
			return err
		}
	}
	if o.shards == nil {
		return nil
	}
	return o.shards.Protect(func(path string) error { return o.protectOne(path, formats.KeptOutput, own) })
}

// protectOne refuses to write a stream to a path where an earlier run has written something.
func (o *Outputs) protectOne(path, stream string, own []*journal.Run) error {
	now, err := outputAt(path, o.std)
	if err != nil || now == (journal.Output{}) {
		return err
	}
	is := func(out journal.Output) bool { return out.IsFile(now) || path != "-" && out.Path == now.Path }
	run := o.runs.of.Writer(is)
	if run == nil || slices.Contains(own, run) && slices.ContainsFunc(run.Outputs, func(out journal.Output) bool {
		return is(out) && out.Stream == stream
	}) {
		return nil
	}
	dir, back := o.runs.name, o.runs.undo(run)
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
func outputAt(path string, std files.Streams) (journal.Output, error) {
	switch {
	case path == "-":
		info, err := std.Out.Stat()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || files.Appends(std.Out) {
			return journal.Output{}, err
		}
		return describeOutput(path, std)
	case object.IsRemote(path):
		if _, err := std.Objects.Version(path); err != nil {
			return journal.Output{}, nil // it is not there, or cannot be seen: then it is not replaced either
		}
	}
	return describeOutput(path, std)
}

// describeOutput says what tells an output from others. It is zero for what is no file.
func describeOutput(path string, std files.Streams) (o journal.Output, err error) {
	var id files.Identity
	switch {
	case path == "-":
		id, err = files.IdentityOf(std.Out)
		o.Path = files.PathOf(std.Out)
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
func (o *Outputs) writesOutputOf(run *journal.Run) bool {
	if len(run.Outputs) == 0 || len(o.streams) == 0 {
		return false
	}
	first, path := run.Outputs[0], o.streams[0].Path
	now, err := outputAt(path, o.std)
	return err == nil && now != (journal.Output{}) && first.Stream == o.streams[0].Name &&
		(first.IsFile(now) || path != "-" && first.Path == now.Path)
}

// written describes the files that the run has written, when they have their names.
func (o *Outputs) written(c *config.Filter, s stream.Stats) (list []journal.Output, err error) {
	add := func(name, path string) {
		of, failed := o.runs.stdout, error(nil) // it is closed
		if path != "-" {
			of, failed = describeOutput(path, o.std)
		}
		if of != (journal.Output{}) {
			of.Stream = name
			list = append(list, of)
		}
		err = errors.Join(err, failed)
	}
	for _, n := range o.streams {
		if o.shards != nil && n.Name == formats.KeptOutput {
			for number := range len(s.Shards) + 1 {
				add(n.Name, o.shards.Path(number))
			}
			continue
		}
		add(n.Name, n.Path)
	}
	if path := c.Output.Counts; path != "" {
		add(countsStream, path)
	}
	return list, err
}
