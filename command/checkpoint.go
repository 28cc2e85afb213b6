package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/kafka"
)

// progress is what a commit says about the run, beside what every index knows: enough to go on from
// there.
type progress struct {
	Stats   stream.Stats `json:"stats"`
	Streams []string     `json:"streams"` // the ones that the run writes
	Lengths []uint64     `json:"lengths"` // bytes of them in their files
	Format  string       `json:"format"`  // of the records
	Start   int64        `json:"start"`   // where in standard output's file the run began to write

	Options map[string]string `json:"options,omitempty"` // that decide what is written: optionsOf

	Tails   []string       `json:"tails"`           // hashes of the last bytes of the files, up to Lengths
	Exact   *exactCommit   `json:"exact,omitempty"` // the log of signatures, where there is one
	LastRun uint64         `json:"last_run"`        // the number of the last complete run in the journal
	Run     *journal.State `json:"run,omitempty"`   // the record of the run that is not complete
}

// exactMember is the name of progress.Exact; a consumer has it beside its own.
const exactMember = "exact"

// written returns how much of stream i is committed, and the hash of its last bytes.
func (p *progress) written(i int) (length uint64, tail string) {
	if i < len(p.Lengths) {
		length = p.Lengths[i]
	}
	if i < len(p.Tails) {
		tail = p.Tails[i]
	}
	return length, tail
}

// runOf returns the run that a position of the index in dir is of; nil if it is of none.
func runOf(at bloomlsh.Position, dir string) (*progress, error) {
	if len(at.Meta) == 0 {
		return nil, nil
	}
	var p progress
	if err := json.Unmarshal(at.Meta, &p); err != nil {
		return nil, fmt.Errorf("%s: what its last run has left cannot be read: %w: mithril-stream index settle "+
			"%s gives that run up", dir, err, dir)
	}
	return &p, nil
}

// committedRun returns what the last commit of an index says about its run; nil if it says nothing.
func committedRun(c *config.Filter, store *bloomlsh.Store) (*progress, error) {
	if store == nil {
		return nil, nil
	}
	dir := c.Index.Index
	if consumer := kafka.StateOf(store.Committed()); consumer != nil {
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s: run mithril-stream index settle %s "+
			"if that has ended for good", dir, consumer.Group, dir)
	}
	return runOf(store.Committed(), dir)
}

// orUndo adds to why a run cannot be resumed how to begin anew: the file that it has written may
// have gone, as where the shell has emptied it.
func orUndo(err error, dir string) error {
	if !errors.As(err, new(*stream.ResumeError)) {
		return err
	}
	return fmt.Errorf("%w; or take back the run that has stopped by mithril-stream index undo %s, and give "+
		"the command again", err, dir)
}

// toResume returns the run that this one goes on with, or nil if it begins anew. A run that stopped
// at a checkpoint must be resumed: its records are in the index, so a new run over the same input
// would remove them all.
func toResume(c *config.Filter, last *progress, now commit) (*progress, error) {
	if last == nil || last.Stats.Complete {
		return nil, nil
	}
	dir := c.Index.Index
	switch {
	case !c.Index.Resume:
		return nil, fmt.Errorf("%s: its last run stopped after %d records: run the same command with "+
			"--resume to go on, "+
			"or mithril-stream index settle %s to leave that run's output as it is, or index undo %s to begin anew",
			dir, last.Stats.Records, dir, dir)
	case !slices.Equal(last.Streams, now.streams):
		return nil, stream.CannotResume(
			"%s: the run to be resumed wrote to %s, this one writes to %s: give the same options",
			dir, strings.Join(last.Streams, ", "), strings.Join(now.streams, ", "))
	case last.Format != now.format:
		return nil, stream.CannotResume("%s: the run to be resumed read %s, this one reads %s: give the same options",
			dir, last.Format, now.format)
	}
	if err := last.checkSame(now.options); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return last, nil
}

// A commit makes the index durable, together with how far the run has come. What was written must
// be durable before (I3).
type commit struct {
	store   *bloomlsh.Store
	out     *outputs
	streams []string
	format  string
	options map[string]string
	exact   *exactMemory // whose log is committed with the index; nil if there is none
}

func (c commit) commit(p progress) (err error) {
	if p.Exact, err = c.exact.sync(); err != nil {
		return err
	}
	p.Streams, p.Format, p.Options, p.Start = c.streams, c.format, c.options, c.out.start
	p.Lengths, p.Tails = c.out.lengths()
	meta, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.store.Commit(bloomlsh.Position{
		Records: p.Stats.Records, InputBytes: p.Stats.BytesIn, OutputBytes: c.out.main().Size(), Meta: meta,
	})
}
