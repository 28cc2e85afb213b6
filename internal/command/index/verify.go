package index

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// verify checks the index in dir, which messages call name.
func verify(dir, name string, out io.Writer) error {
	var d index.Description
	err := index.Read(dir, func(from *index.Snapshot) (err error) {
		if err = verifyAll(from); err == nil {
			d, err = from.Describe()
		}
		return err
	})
	if err != nil {
		return err
	}
	var bytes int64
	for _, f := range d.Files {
		bytes += f.Bytes
	}
	return shown.Line(out, "%s: whole: %s, %s, %s", name, units.Of(uint64(len(d.Files)+1), "file"),
		units.Bytes(uint64(bytes)), units.Of(d.Last.Number, "commit"))
}

// verifyAll checks everything that has a checksum.
func verifyAll(from *index.Snapshot) error {
	if err := exact.VerifyIndex(from); err != nil {
		return err
	}
	list, err := days.Of(from.Committed(), from.Path())
	if err == nil {
		err = verifyDays(from, list)
	}
	if err != nil || kafka.StateOf(from.Committed().Position) != nil {
		return err
	}
	last, err := run.StateOf(from.Committed().Position, from.Path())
	if err != nil {
		return err
	}
	of, err := run.JournalOf(from.Path(), last)
	if err != nil {
		return err
	}
	return errors.Join(of.Verify(), of.Close())
}

// settle marks the last run of an index as complete.
func settle(c *config.Settle, out io.Writer) (err error) {
	undecided := false
	store, err := index.OpenExisting(index.System, c.Dir, func(_, _ index.Position) (bool, error) {
		undecided = true
		return false, nil // so that the index remembers nothing that may not have been written
	})
	if err != nil {
		return err
	}
	if err := store.Load(nil, nil); err != nil {
		return errors.Join(err, store.Abandon())
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
	store.Remove(journal.Name)
	if last != nil {
		settled.Stats.Records, settled.Stats.Duplicates = last.Stats.Records, last.Stats.Duplicates
		settled.LastRun, settled.NoJournal = last.LastRun, last.NoJournal
	}
	if last != nil && last.Run != nil { // no later run may replace what it has written
		of, damaged := run.JournalOf(c.Dir, last)
		switch {
		case damaged == nil:
			defer func() { err = errors.Join(err, of.Close()) }()
			for i, output := range last.Run.Outputs { // they stay as they are now
				last.Run.Outputs[i] = files.WithContents(output)
			}
			of.Describe(*last.Run)
			store.Add(of)
			settled.LastRun = last.Run.Number
		case !errors.Is(damaged, journal.ErrDamaged):
			return damaged
		}
	}
	meta, err := jsonout.Marshal(settled)
	if err != nil {
		return err
	}
	if err := store.Commit(index.Position{Meta: meta}); err != nil {
		return err
	}
	return shown.Line(out, "%s: settled: the next run begins anew", c.Dir)
}

// settleJournal discards what an index knows about its runs if files of its journal are missing or
// damaged.
func settleJournal(dir string, store *index.Writer, last *run.State, out io.Writer) error {
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
	return shown.Line(out, "%s: settled: what it knew about its runs was given up, because files that hold it are "+
		"damaged; what those runs have read would be judged anew", dir)
}

// settleConsumer detaches the index from its consumer.
func settleConsumer(dir string, store *index.Writer, consumer *kafka.State, undecided bool, out io.Writer) error {
	var settled index.Position
	if store.HasLogs() { // continue as after a complete run
		meta, err := jsonout.Marshal(run.State{Stats: stream.Stats{Complete: true}})
		if err != nil {
			return err
		}
		settled.Meta = meta
	}
	if err := store.Commit(settled); err != nil {
		return err
	}
	line := fmt.Sprintf("%s: settled: it no longer belongs to group %s", dir, consumer.Group)
	if undecided {
		line += "; its last commit, which may not have been written, was taken back"
	}
	return shown.Line(out, "%s", line)
}
