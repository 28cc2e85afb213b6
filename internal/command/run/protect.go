package run

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/written"
	"github.com/mithril-stream/mithril-stream/stream"
)

// The output of a run is never replaced by another run with the same index: the index remembers all
// records that were kept, so no run would write them again. This applies to every file that a run
// writes, and to every index that it reads.

// countsStream is the name of the table of counts among the outputs of a run.
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
	return o.shards.Protect(keptFiles(own), func(path string) error {
		return o.protectOne(path, formats.KeptOutput, own)
	})
}

// keptFiles returns how many files the kept records of runs are in, at most.
func keptFiles(runs []*journal.Run) (most int) {
	for _, run := range runs {
		if run == nil {
			continue
		}
		n := 0
		for _, of := range run.Outputs {
			if of.Stream == formats.KeptOutput {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// protectOne refuses to write a stream to a path where an earlier run has written, or under its
// unfinished name, where a stopped run has.
func (o *Outputs) protectOne(path, stream string, own []*journal.Run) error {
	if path != "-" && !object.IsRemote(path) {
		if err := o.protectFile(files.UnfinishedName(path), stream, own); err != nil {
			return err
		}
	}
	return o.protectFile(path, stream, own)
}

// protectFile refuses to replace a file that an earlier run has written. A stream of one of own may
// be rewritten, if the file still holds it.
func (o *Outputs) protectFile(path, stream string, own []*journal.Run) error {
	now, err := files.TargetOf(path, o.std)
	if err != nil || !now.IsThere {
		return err
	}
	for _, of := range o.onlyRead {
		if run, hasChanged := of.writerOf(now); run != nil {
			return refuseToReplace(path, of, run, now.IsOpen, hasChanged)
		}
	}
	if o.runs == nil {
		return nil
	}
	run, hasChanged := o.runs.writerOf(now)
	if run == nil || !hasChanged && slices.Contains(own, run) &&
		slices.ContainsFunc(run.Outputs, func(of written.Output) bool {
			return of.Stream == stream && o.runs.compare(now, run, of) == files.Identical
		}) {
		return nil
	}
	err = refuseToReplace(path, o.runs.pastRuns, run, now.IsOpen, hasChanged)
	if !now.IsOpen && !hasChanged && slices.Contains(o.runs.same, run) {
		err = fmt.Errorf("%w; or add --repeat replay to write the output of that run again", err)
	}
	return err
}

// refuseToReplace returns the error for a file that holds the output of a run.
func refuseToReplace(path string, of pastRuns, run *journal.Run, isOpen, hasChanged bool) error {
	back := of.undo(run)
	output := fmt.Sprintf("run %d of %s (%s, %s)", run.Number, of.name, run.Input, run.Ended.Format(time.DateTime))
	switch {
	case isOpen:
		return fmt.Errorf("standard output is the file that had the output of %s, and the shell has emptied it: give "+
			"the input of that run once more to write it again, or take the run back with %s; then write to another "+
			"file (nothing was read, and the index is as it was)", output, back)
	case hasChanged:
		return fmt.Errorf("%s is where %s has written, but does not hold what that run wrote, and no run would write "+
			"that again: write to another file; or take that run back with %s; or add --overwrite", object.Name(path),
			output, back)
	}
	return fmt.Errorf("%s is the output of %s, and the index has all of its records, so no other run would write them "+
		"again: write to another file; or take that run back with %s; or add --overwrite", object.Name(path), output,
		back)
}

// compareFirst says how the first output of this run relates to that of another one.
func (o *Outputs) compareFirst(run *journal.Run) files.Likeness {
	if len(run.Outputs) == 0 || len(o.streams) == 0 || run.Outputs[0].Stream != o.streams[0].Name {
		return files.Unrelated
	}
	now, err := files.TargetOf(o.streams[0].Path, o.std)
	if err != nil {
		return files.Unrelated // opening it says why
	}
	return o.runs.compare(now, run, run.Outputs[0])
}

// written describes the files that the run has written, once they have their names.
func (o *Outputs) written(c *config.Filter, s stream.Stats) (list []written.Output, err error) {
	add := func(name, path string, to *files.Output) {
		of, failed := o.runs.stdout, error(nil) // it is closed
		if path != "-" {
			of, failed = files.DescribeOutput(path, o.std)
		}
		if of != (written.Output{}) {
			of = files.WithContents(of)
			of.Stream, of.Start = name, to.StartIn(of.Bytes)
			list = append(list, of)
		}
		err = errors.Join(err, failed)
	}
	for _, n := range o.streams {
		if o.shards != nil && n.Name == formats.KeptOutput {
			for number, shard := range append(slices.Clone(s.Shards), s.Shard) {
				if !o.shards.IsUnread(shard) {
					add(n.Name, o.shards.Path(number), nil)
				}
			}
			continue
		}
		add(n.Name, n.Path, *n.file)
	}
	if path := c.Output.Counts; path != "" {
		add(countsStream, path, nil)
	}
	return list, err
}
