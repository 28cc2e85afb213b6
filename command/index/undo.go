package index

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/store"
	"github.com/mithril-stream/mithril-stream/stream/kafka"
)

// undo takes back runs of the index in dir, which the user calls by a name. Once that has happened
// it is no failure, whatever else fails: who gives the command again takes back one run more.
func undo(dir, name string, runs int, std files.Streams) error {
	if runs < 1 {
		return usage.Error(fmt.Errorf("--runs %d must be at least 1", runs))
	}
	target, isChosen := uint64(0), false
	held, err := store.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, bloomlsh.ErrNoIndex)
	}
	if err != nil {
		return err
	}
	defer held.Close()
	type position = bloomlsh.Position
	err = bloomlsh.UndoTo(dir, bloomlsh.Undoing{Choose: func(at position) (func(position) bool, error) {
		last, err := lastRunOf(at, dir, name)
		if err != nil {
			return nil, err
		}
		if uint64(runs) > last.Number() {
			return nil, fmt.Errorf("%s: it has had %s runs, so %d cannot be taken back", name,
				units.Count(last.Number()), runs)
		}
		target, isChosen = last.Number()-uint64(runs), true
		return func(at position) bool {
			return isEndOf(target, at, dir) && method.SameLog(at, last.Exact, held)
		}, method.FinishUndo(held, last.Exact)
	}, Begin: func(target position) error {
		exact, err := method.ExactOf(target, dir)
		if err != nil {
			return err
		}
		return method.BeginUndo(held, exact)
	}})
	if errors.Is(err, bloomlsh.ErrNoUndo) {
		return fmt.Errorf("%s: what the index was after run %d is no longer kept, so that %d runs cannot "+
			"be taken back: "+
			"the last ones can, as many as they had --undo-runs for, and none from before index compact took deleted "+
			"records out; else build the index again, or restore it from a "+
			"copy", name, target, runs)
	}
	if err != nil {
		if !isChosen {
			return err
		}
		d, failed := bloomlsh.Verify(dir)
		if failed != nil {
			return fmt.Errorf("%w; if mithril-stream index inspect %s says that run %d is the last one, the runs are "+
				"taken back: do not do it again", err, name, target)
		}
		if !isEndOf(target, d.Committed, dir) {
			return err
		}
	}
	if err := errors.Join(err, finishExact(held), removeDays(dir)); err != nil {
		shown.Notice(std.Err, "%s: the runs are taken back, but not all is removed that is needed no more, which is "+
			"left to the next run: %v", name, err)
	}
	err = shown.Line(std.Out, "%s: taken back: it is as it was after run %d; what the runs since have written is in "+
		"their outputs, and can be given again", name, target)
	if err != nil {
		return fmt.Errorf("%s: the runs are taken back, do not do it again: %w", name, err)
	}
	return nil
}

// lastRunOf is the run that an index was last used in.
func lastRunOf(at bloomlsh.Position, dir, name string) (*run.State, error) {
	if consumer := kafka.StateOf(at); consumer != nil {
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s, whose commits go with "+
			"offsets: they cannot "+
			"be taken back", name, consumer.Group)
	}
	last, err := run.StateOf(at, dir)
	if err == nil && (last == nil || last.Number() == 0) {
		err = fmt.Errorf("%s: it has had no run that could be taken back", name)
	}
	return last, err
}

// isEndOf reports whether a commit is the end of a run; run 0 is how the index began.
func isEndOf(number uint64, at bloomlsh.Position, dir string) bool {
	p, err := run.StateOf(at, dir)
	if err != nil || kafka.StateOf(at) != nil {
		return false
	}
	return p == nil && number == 0 || p != nil && p.Stats.Complete && p.LastRun == number
}

// finishExact has the logs of an exact memory hold what the last commit says, and no more: what
// else they held counts for nobody but who has them open.
func finishExact(held *store.Dir) error {
	dir := held.Path()
	if has, err := method.HasLog(dir); err != nil || !has {
		return err
	}
	d, err := bloomlsh.Verify(dir)
	if err != nil {
		return err
	}
	exact, err := method.ExactOf(d.Committed, dir)
	if err != nil {
		return err
	}
	return errors.Join(method.FinishUndo(held, exact), method.RemoveOldLogs(held, exact))
}
