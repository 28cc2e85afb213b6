package command

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/object"
)

// A runJournal writes down the verdicts of a run beside its index, or repeats those of an earlier
// run over the same input (I7). A nil *runJournal is that of a run that keeps no index.
type runJournal struct {
	of       *journal.Journal
	keep     int
	last     uint64 // the number of the last run that counts
	digest   string
	recorder *journal.Recorder // nil if verdicts are repeated
	replayer *journal.Replayer // nil if they are recorded
	repeated *journal.Run      // the run that is repeated
}

// openJournal finds out whether the index has taken in the input before. If so it makes that run's
// verdicts the judge of this one, else it has its verdicts written down.
func (f *filterRun) openJournal(ctx context.Context, formatName string, committed *progress, resumed bool) error {
	if f.store() == nil {
		return nil
	}
	of, err := journalOf(f.c.Index.Index, committed)
	if err != nil {
		return err
	}
	number := uint64(0)
	if committed != nil {
		number = committed.LastRun
	}
	f.runs = &runJournal{of: of, keep: f.c.Index.KeepRuns, last: number}
	if f.runs.digest, err = f.digest(formatName); err != nil {
		return err
	}
	if resumed {
		if committed.Run == nil {
			return nil // an older program began the run, which can then not be repeated
		}
		return f.record(func(judge stream.Judge) (*journal.Recorder, error) {
			return of.Resume(judge, *committed.Run)
		})
	}
	if f.c.Index.Repeat == "replay" {
		run, err := f.findRun(ctx)
		if err != nil {
			return err
		}
		if run != nil {
			return f.replay(run)
		}
	}
	return f.record(func(judge stream.Judge) (*journal.Recorder, error) {
		return of.Record(judge, number+1, f.details())
	})
}

// details says what is kept of the verdicts of the run.
func (f *filterRun) details() journal.Details {
	d := journal.Details{Votes: f.opts.Annotate || f.c.Report.Report != "", Originals: f.exact != nil}
	if f.parts != nil {
		d.Pieces = f.c.Action
	}
	return d
}

func (f *filterRun) record(begin func(stream.Judge) (*journal.Recorder, error)) (err error) {
	if f.runs.recorder, err = begin(f.opts.Method.Judge); err == nil {
		f.opts.Method.Judge = f.runs.recorder
	}
	return err
}

func (f *filterRun) findRun(ctx context.Context) (*journal.Run, error) {
	j := f.runs
	if f.std.First != nil {
		return findByHead(ctx, f.std.First, j.of, j.digest)
	}
	return j.of.Find(j.digest, func(run *journal.Run) bool { return run.Head == nil }), nil
}

func (f *filterRun) replay(run *journal.Run) (err error) {
	dir := f.c.Index.Index
	if !run.HasVerdicts {
		return fmt.Errorf("%s has taken in this input before (run %d of %s: %s, %d records, %d kept), "+
			"and the verdicts of that run are no longer kept: all records would be found to be "+
			"duplicates of themselves. Use the output of that run; or another index; or "+
			"--repeat judge to have them removed",
			dir, run.Number, run.Ended.Format(time.DateTime), run.Input, run.Records, run.Kept)
	}
	if err := f.sameAction(run); err != nil {
		return err
	}
	j := f.runs
	if j.replayer, err = j.of.Replay(*run, f.parts.told()); err != nil {
		return err
	}
	j.repeated, f.opts.Method.Judge, f.ending = run, j.replayer, j.replayer.End
	f.opts.Checkpoints, f.commit.store = nil, nil // nothing is to be committed
	return nil
}

// sameAction refuses to repeat a run that did something else with the paragraphs that were seen:
// its verdicts do not say what this one would have done. Cutting and masking change the same ones.
func (f *filterRun) sameAction(run *journal.Run) error {
	then, now := cmp.Or(run.Pieces, config.ActionDrop), cmp.Or(f.details().Pieces, config.ActionDrop)
	edits := func(action string) bool { return action == config.ActionCut || action == config.ActionMask }
	if then == now || edits(then) && edits(now) {
		return nil
	}
	return fmt.Errorf("%s has taken in this input before (run %d of %s: %s), with --action %s: all paragraphs would "+
		"be found to have been seen. Give that --action, which is repeated; or another index; or --repeat judge, to "+
		"have it so", f.c.Index.Index, run.Number, run.Ended.Format(time.DateTime), run.Input, then)
}

// isThere reports whether standard output is a file that has all that a repeated run would write:
// the shell appends to it, and the run that is to be resumed had come to its end.
func (j *runJournal) isThere(c *config.Filter, committed *progress, std files.Streams) bool {
	if j == nil || j.repeated == nil || j.repeated.Number != committed.LastRun ||
		!c.Index.Resume || c.Output.Output != "-" {
		return false
	}
	info, err := std.Out.Stat()
	length, _ := committed.written(0)
	return err == nil && info.Mode().IsRegular() && length > 0 && info.Size() == committed.Start+int64(length)
}

// explain says what to do if an input turns out not to be that of the run that it begins like.
func (j *runJournal) explain(err error) error {
	if j == nil || !errors.Is(err, journal.ErrOtherInput) {
		return err
	}
	return fmt.Errorf("the input begins like that of run %d (%s, %s), whose verdicts were repeated so far: %w: "+
		"the index is as it was; add --repeat judge to have the input judged as a new one",
		j.repeated.Number, j.repeated.Input, j.repeated.Ended.Format(time.DateTime), err)
}

// checkpoint makes durable what is recorded so far.
func (j *runJournal) checkpoint() (*journal.State, error) {
	if j.recorder == nil {
		return nil, nil
	}
	state, err := j.recorder.Checkpoint()
	return &state, err
}

// complete makes the record of a run durable that is about to be committed, and returns the number
// of the last run that counts then.
func (f *filterRun) complete(s stream.Stats) (number uint64, err error) {
	j := f.runs
	if j.recorder == nil {
		return j.last, nil
	}
	run := journal.Run{
		Input: f.opts.Inputs[0].Name, Inputs: len(f.opts.Inputs), Digest: j.digest,
		Records: s.Records, Kept: s.Kept(),
	}
	if f.std.First != nil {
		run.Head = headOf(f.std.First)
	}
	if err := j.recorder.Complete(run); err != nil {
		return 0, err
	}
	return j.last + 1, nil
}

// replayed is the run whose verdicts are repeated, or nil.
func (j *runJournal) replayed() *journal.Run {
	if j == nil {
		return nil
	}
	return j.repeated
}

func (j *runJournal) close() error {
	switch {
	case j == nil:
		return nil
	case j.recorder != nil:
		return j.recorder.Close()
	case j.replayer != nil:
		return j.replayer.Close()
	}
	return nil
}

// digest tells the inputs, and the way in which they are read, from others. It is the same for the
// same command, and for the same files under other names.
func (f *filterRun) digest(formatName string) (string, error) {
	h := xxh3.New()
	r := f.source.Settings
	fmt.Fprintf(h, "%q %q %t %q %d %t %q\n", formatName, r.Fields, r.NoHeader, r.Separator,
		f.c.MaxRecord, f.c.Output.Annotate, f.indexes.names(f.c.Index.Against))
	if time := f.c.Index.Forget.Time; time != "" {
		fmt.Fprintf(h, "%q\n", time)
	}
	for _, path := range f.paths {
		if path == "-" && f.std.First != nil {
			io.WriteString(h, "pipe\n")
			continue
		}
		if err := addFile(h, path, f.std); err != nil {
			return "", err
		}
	}
	sum := h.Sum128()
	return fmt.Sprintf("%016x%016x", sum.Hi, sum.Lo), nil
}

// addFile adds what tells a file from others: its length, and the hashes of its first and last
// bytes. For what is no regular file that is its name. What cannot be opened comes out when it is
// read.
func addFile(h *xxh3.Hasher, path string, std files.Streams) error {
	if object.IsRemote(path) {
		version, err := std.Objects.Version(path)
		if err == nil {
			_, err = fmt.Fprintf(h, "%q %q\n", object.Name(path), version)
		}
		return err
	}
	standard := std.In
	info, err := files.Stat(path, standard)
	if err != nil || !info.Mode().IsRegular() {
		_, err := fmt.Fprintf(h, "%q\n", path)
		return err
	}
	file, from := standard, int64(0)
	if path == "-" {
		if from, err = standard.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
	} else {
		if file, err = os.Open(path); err != nil {
			_, err := fmt.Fprintf(h, "%q\n", path)
			return err
		}
		defer file.Close()
	}
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(info.Size()-from))
	h.Write(length[:])
	for _, at := range []int64{from, max(from, info.Size()-files.HeadBytes)} {
		part := make([]byte, files.HeadBytes)
		n, err := file.ReadAt(part, at)
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: %w", strings.TrimPrefix(files.InputName(path), "input "), err)
		}
		h.Write(part[:n])
	}
	return nil
}
