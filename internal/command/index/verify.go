package index

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// verify checks the index in dir, which messages call name. If it changes in the meantime it is
// checked again before it is called damaged.
func verify(dir, name string, out io.Writer) error {
	for try := 1; ; try++ {
		before, err := bloomlsh.ReadSeries(dir)
		if err != nil {
			return err
		}
		err = verifyOnce(dir, name, out)
		if err == nil || try == 3 {
			return err
		}
		if after, failed := bloomlsh.ReadSeries(dir); failed != nil || after == before {
			return err
		}
	}
}

func verifyOnce(dir, name string, out io.Writer) (err error) {
	d, err := bloomlsh.Verify(dir)
	if err != nil {
		return err
	}
	held, err := store.OpenDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if kafka.StateOf(d.Committed) == nil {
		last, err := run.StateOf(d.Committed, dir)
		if err != nil {
			return err
		}
		if err := verifyDays(held, daysOf(last)); err != nil {
			return err
		}
		of, err := run.JournalOf(dir, last)
		if err != nil {
			return err
		}
		if err := errors.Join(of.Verify(), of.Close()); err != nil {
			return err
		}
	}
	logs, err := addLogs(&d, held)
	if err == nil && !isOfGroups(d.Parameters) { // whose logs verifyDays has read
		err = method.VerifyLogs(held, logs, d.Ended)
	}
	if err != nil {
		return err
	}
	var bytes int64
	for _, f := range d.Files {
		bytes += f.Bytes
	}
	return shown.Line(out, "%s: whole: %s, %s, %s", name, units.Of(uint64(len(d.Files)+1), "file"),
		units.Bytes(uint64(bytes)), units.Of(d.Commits, "commit"))
}

// settle marks the last run of an index as complete.
func settle(c *config.Settle, out io.Writer) (err error) {
	params, identity, err := bloomlsh.ReadParameters(c.Dir)
	if err != nil {
		return err
	}
	undecided := false
	store, err := bloomlsh.OpenPrepared(c.Dir, params, identity, func(_, _ bloomlsh.Position) (bool, error) {
		undecided = true
		return false, nil // so nothing is remembered that may not have been written
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if consumer := kafka.StateOf(store.Committed()); consumer != nil {
		return settleConsumer(c.Dir, store, consumer, undecided, out)
	}
	last, unreadable := run.StateOf(store.Committed(), c.Dir)
	if unreadable == nil && (last == nil || last.Stats.Complete) {
		return settleJournal(c.Dir, store, last, out)
	}
	settled := run.State{Stats: stream.Stats{Complete: true}}
	if last != nil {
		settled.Stats.Records, settled.Stats.Duplicates = last.Stats.Records, last.Stats.Duplicates
		settled.LastRun, settled.Exact = last.LastRun, last.Exact
	}
	meta, err := jsonout.Marshal(settled)
	if err != nil {
		return err
	}
	if err := store.Commit(bloomlsh.Position{Meta: meta}); err != nil {
		return err
	}
	return shown.Line(out, "%s: settled: the next run begins anew", c.Dir)
}

// settleJournal gives up what an index knows of its runs, if files of that are missing or damaged.
func settleJournal(dir string, store *bloomlsh.Store, last *run.State, out io.Writer) error {
	of, err := run.JournalOf(dir, last)
	if err == nil {
		err = shown.Line(out, "%s: its last run was complete: there is nothing to settle", dir)
		return errors.Join(err, of.Close())
	}
	if !errors.Is(err, journal.ErrDamaged) {
		return err
	}
	settled := *last
	settled.LastRun = 0
	at := store.Committed()
	if at.Meta, err = jsonout.Marshal(settled); err != nil {
		return err
	}
	if err := store.Commit(at); err != nil {
		return err
	}
	return shown.Line(out, "%s: settled: what it knew of its runs is given up, since files of that are damaged; what "+
		"they have read would be judged anew", dir)
}

// settleConsumer makes the index that of no consumer.
func settleConsumer(dir string, store *bloomlsh.Store, consumer *kafka.State, undecided bool, out io.Writer) error {
	exact, err := method.ExactOf(store.Committed(), dir)
	if err != nil {
		return err
	}
	var settled bloomlsh.Position
	if exact != nil { // the log still counts
		settled.Meta, err = jsonout.Marshal(run.State{Stats: stream.Stats{Complete: true}, Exact: exact})
		if err != nil {
			return err
		}
	}
	if err := store.Commit(settled); err != nil {
		return err
	}
	line := fmt.Sprintf("%s: settled: it belongs to group %s no more", dir, consumer.Group)
	if undecided {
		line += "; its last commit, which may not have been written, is taken back"
	}
	return shown.Line(out, "%s", line)
}
