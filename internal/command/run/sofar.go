package run

import (
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/written"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A checkpoint describes the files of the run so far. So no other run replaces them while the run
// is stopped, and the run is only continued if those that it has completed are still there.

// soFar describes the run up to a checkpoint.
func (o *Outputs) soFar(s stream.Stats) (*journal.Run, error) {
	inputs := o.opts.Inputs
	run := &journal.Run{
		Number: o.runs.last + 1, Ended: time.Now().UTC().Truncate(time.Second), Input: inputs[0].Name,
		Inputs: len(inputs), Records: s.Records, Kept: s.Kept(), Place: o.runs.place,
	}
	for number := len(o.completed); number < len(s.Shards); number++ {
		of, err := o.describe(formats.KeptOutput, o.shards.Path(number))
		if err != nil {
			return nil, err
		}
		o.completed = append(o.completed, files.WithContents(of))
	}
	run.Outputs = append(run.Outputs, o.completed...)
	for _, n := range o.streams {
		of, err := o.describe(n.Name, (*n.file).CurrentPath())
		if err != nil {
			return nil, err
		}
		run.Outputs = append(run.Outputs, of)
	}
	return run, nil
}

// describe describes the file of a stream.
func (o *Outputs) describe(stream, path string) (of written.Output, err error) {
	if object.IsRemote(path) { // it is there if the run has written it
		of.Path = object.Name(path)
	} else if of, err = files.DescribeOutput(path, o.std); err != nil {
		return of, err
	}
	of.Stream = stream
	return of, nil
}

// continueFiles returns an error if a file that the run to be resumed had completed has changed.
func (o *Outputs) continueFiles(last *State) error {
	if last.Run == nil || len(last.Run.Outputs) < len(last.Stats.Shards) {
		return nil
	}
	for number := range last.Stats.Shards {
		was, path := last.Run.Outputs[number], o.shards.Path(number)
		if err := o.checkCompleted(was, path); err != nil {
			return err
		}
		o.completed = append(o.completed, was)
	}
	return nil
}

func (o *Outputs) checkCompleted(was written.Output, path string) error {
	if was.Contents == "" {
		return nil
	}
	now, err := o.describe(was.Stream, path)
	if err != nil {
		return err
	}
	if now = files.WithContents(now); now.Contents == "" || was.Differs(now) {
		return stream.CannotResume("%s is not as the run to be resumed had completed it: put that file back", path)
	}
	return nil
}
