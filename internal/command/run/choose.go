package run

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/journal"
)

// chooseRepeated returns the run that is to be repeated, if any. A repeated run writes its records
// once more, so it takes the place of what that run has written, unless the user asks for it
// elsewhere: then it is the first run with that input, which had them as new.
func (o *Outputs) chooseRepeated(c *config.Filter, committed *State) *journal.Run {
	j := o.runs
	if len(j.same) == 0 {
		return nil
	}
	isAsked := c.Runs.Repeat == config.RepeatReplay
	for _, run := range slices.Backward(j.same) {
		if isAsked && run.Kept == 0 {
			continue // it wrote nothing, and now output is wanted
		}
		j.isWritten = isAppended(c, run, committed, o.std)
		if j.isWritten || o.compareFirst(run) != files.Unrelated {
			return run
		}
	}
	if isAsked {
		return j.same[0]
	}
	j.known = j.same[0]
	return nil
}

// rewrite notes that the outputs of a run are about to be written again, here and now: the run that
// does so may be killed when they have their names, and before the index knows of it.
func (h *history) rewrite(run *journal.Run) error {
	again := *run
	again.Outputs = slices.Clone(run.Outputs)
	for i := range again.Outputs {
		of := &again.Outputs[i]
		of.Path = h.place.Beside(of.Path, run.Place)
	}
	again.Place = h.place
	return h.of.Rewriting(again)
}

// chooseBeginning returns the run to continue: the inputs begin with what it has read, and its
// output is to be extended.
func (o *Outputs) chooseBeginning(by *Method) (goesOn recordedPrefix) {
	for _, b := range o.runs.prefixes {
		switch {
		case b.run.HasVerdicts && by.Parts == nil && o.compareFirst(b.run) >= files.Changed:
			goesOn = b
		case b.run.Records > 0:
			o.runs.prefix = b.run
		}
	}
	return goesOn
}

// isAppended reports whether standard output is a file that holds the complete output of a run: the
// shell appends to it, and the run that the user wants to resume had finished.
func isAppended(c *config.Filter, run *journal.Run, committed *State, std files.Streams) bool {
	if run.Number != committed.LastRun || !c.Runs.Resume || c.Output.Output != "-" || len(run.Outputs) == 0 {
		return false
	}
	out := std.Out.Said()
	info, err := out.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	now, err := files.DescribeOpen(out)
	length, _ := committed.written(0)
	return err == nil && run.Outputs[0].IsFile(now) && length > 0 && info.Size() == committed.Start+int64(length)
}
