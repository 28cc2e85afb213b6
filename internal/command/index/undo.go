package index

import (
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An undoing takes back runs of an index.
type undoing struct {
	dir, name string  // where the index is, and what the user calls it
	runs      int     // number of runs to take back
	to        *uint64 // number of the run to go back to; nil to go by runs

	target   uint64 // number of the run to go back to
	back     uint64 // number of runs that this takes back
	isChosen bool   // target is known
}

// errDone means that the request was fulfilled before.
var errDone = errors.New("there is nothing to take back")

// undo takes back runs of the index in dir. Once that is done, a failed cleanup is not an error,
// and repeating the same command takes back no further runs.
func undo(c *config.Undo, dir string, std files.Streams) error {
	if c.To != nil && c.Runs != 1 {
		return usage.Error(errors.New("--runs and --to both say how far back: give one of them"))
	}
	u := &undoing{dir: dir, name: c.Dir, runs: c.Runs, to: c.To}
	left, err := index.UndoTo(dir, u.choose)
	switch {
	case errors.Is(err, index.ErrNoIndex):
		return fmt.Errorf("%s: %w", u.name, index.ErrNoIndex)
	case errors.Is(err, errDone):
		further := ""
		if u.to == nil && u.target > 0 {
			further = fmt.Sprintf("; mithril-stream index undo --to RUN %s takes it back further", u.name)
		}
		return shown.Line(std.Out.Said(), "%s: it is already as it was after run %d, and nothing has been written to "+
			"it since%s", u.name, u.target, further)
	case errors.Is(err, index.ErrNoUndo):
		return fmt.Errorf("%s: the state of the index after run %d is no longer kept, so %s cannot be taken back: "+
			"only the last ones can, as many as they had --undo-runs for, and none from before index compact took "+
			"deleted records out; otherwise build the index again, or restore it from a copy", u.name, u.target,
			units.Of(u.back, "run"))
	case err != nil:
		if done := u.isDone(err); done != nil {
			return done
		}
	}
	return u.finish(errors.Join(err, left), std)
}

// choose returns a function that reports whether a commit is the one to go back to, and the number
// of runs that takes back.
func (u *undoing) choose(
	at index.Position, undone int,
) (is func(index.Position) bool, runs int, err error) {
	last, err := lastRunOf(at, u.dir, u.name)
	if err != nil {
		return nil, 0, err
	}
	if err := u.aim(last.Number(), last.Stats.Complete, undone); err != nil {
		return nil, 0, err
	}
	u.isChosen, u.back = true, last.Number()-u.target
	is = func(at index.Position) bool { return isEndOf(u.target, at, u.dir) }
	return is, int(min(u.back, math.MaxInt32)), nil
}

// aim chooses the run to go back to. last is the number of the last run. Directly after an undo, a
// number of runs takes back nothing, since a repeated command is not meant to take back one more.
func (u *undoing) aim(last uint64, complete bool, undone int) error {
	switch {
	case u.to != nil && (*u.to > last || *u.to == last && !complete):
		return fmt.Errorf("%s: its last run is number %d, so it cannot be taken back to what it was after run %d",
			u.name, last, *u.to)
	case u.to != nil:
		if u.target = *u.to; u.target == last {
			return errDone
		}
	case undone == u.runs:
		u.target = last
		return errDone
	case last == 0:
		return fmt.Errorf("%s: it has had no run that could be taken back", u.name)
	case undone > 0:
		return fmt.Errorf("%s: %d of its runs have just been taken back, and nothing has been written to it since: it "+
			"is as it was after run %d; to take it back further, say to which run, as in mithril-stream index undo "+
			"--to %d %s", u.name, undone, last, last-min(last, uint64(u.runs)), u.name)
	case uint64(u.runs) > last:
		return fmt.Errorf("%s: it has had %s, so %d cannot be taken back", u.name, units.Of(last, "run"), u.runs)
	default:
		u.target = last - uint64(u.runs)
	}
	return nil
}

// isDone returns nil if the runs are taken back despite err.
func (u *undoing) isDone(err error) error {
	if !u.isChosen {
		return err
	}
	var now index.Position
	failed := index.Read(u.dir, func(from *index.Snapshot) error {
		now = from.Committed().Position
		return exact.VerifyIndex(from)
	})
	if failed != nil {
		return fmt.Errorf("%w; the runs have been taken back if mithril-stream index inspect %s says that the last "+
			"run is number %d", err, u.name, u.target)
	}
	if !isEndOf(u.target, now, u.dir) {
		return err
	}
	return nil
}

// finish reports that the runs are taken back. err says why the cleanup is incomplete.
func (u *undoing) finish(err error, std files.Streams) error {
	if err != nil {
		shown.Notice(std.Err, "%s: the runs have been taken back, but some files that are no longer needed are left "+
			"for the next run to remove: %v", u.name, err)
	}
	err = shown.Line(std.Out.Said(), "%s: taken back: it is as it was after run %d; what later runs have written is "+
		"still in their outputs, and can be given again", u.name, u.target)
	if err != nil {
		return fmt.Errorf("%s: the runs have been taken back, but that could not be reported: %w", u.name, err)
	}
	return nil
}

// lastRunOf returns the last run of an index. It returns an error for the index of a consumer.
func lastRunOf(at index.Position, dir, name string) (*run.State, error) {
	if consumer := kafka.StateOf(at); consumer != nil {
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s, whose commits belong to offsets: they "+
			"cannot be taken back", name, consumer.Group)
	}
	last, err := run.StateOf(at, dir)
	if last == nil && err == nil { // there was none
		last = &run.State{Stats: stream.Stats{Complete: true}}
	}
	return last, err
}

// isEndOf reports whether a commit is the end of a run. Run 0 stands for the index before any run.
func isEndOf(number uint64, at index.Position, dir string) bool {
	p, err := run.StateOf(at, dir)
	if err != nil || kafka.StateOf(at) != nil {
		return false
	}
	return p == nil && number == 0 || p != nil && p.Stats.Complete && p.LastRun == number
}
