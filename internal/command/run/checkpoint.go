package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/stream"
)

// State is what a commit says about its run, besides what every index knows: enough to continue the
// run from there.
type State struct {
	Stats   stream.Stats `json:"stats"`
	Streams []string     `json:"streams"` // that the run writes
	Lengths []uint64     `json:"lengths"` // bytes of them in their files
	Format  string       `json:"format"`  // of the records
	Start   int64        `json:"start"`   // offset in the file of standard output at which the run began

	Options map[string]string `json:"options,omitempty"` // that decide what is written: optionsToResume

	Tails   []string `json:"tails"`    // hashes of the last bytes of the files, up to Lengths
	LastRun uint64   `json:"last_run"` // the number of the last complete run in the journal
	// the runs of the index have no journal: each is a day of groups
	NoJournal bool `json:"no_journal,omitempty"`
	// Run describes a run that is not complete, so that no other run replaces what it has written.
	Run *journal.Run `json:"run,omitempty"`
}

// written returns how much of stream i is committed, and the hash of its last bytes.
func (p *State) written(i int) (length uint64, tail string) {
	if i < len(p.Lengths) {
		length = p.Lengths[i]
	}
	if i < len(p.Tails) {
		tail = p.Tails[i]
	}
	return length, tail
}

// StateOf returns the run to which a position of the index in dir belongs, or nil if there is none.
func StateOf(at index.Position, dir string) (*State, error) {
	if len(at.Meta) == 0 {
		return nil, nil
	}
	var p State
	if err := json.Unmarshal(at.Meta, &p); err != nil {
		return nil, method.ErrLastRun(dir, err)
	}
	return &p, nil
}

// CommittedRun returns what the last commit of an index says about its run; nil if it says nothing.
func CommittedRun(c *config.Filter, store *index.Writer) (*State, error) {
	if store == nil {
		return nil, nil
	}
	dir := c.Memory.Index
	if consumer := kafka.StateOf(store.Committed()); consumer != nil {
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s: run mithril-stream index settle %s "+
			"if that has ended for good", dir, consumer.Group, dir)
	}
	return StateOf(store.Committed(), dir)
}

// orUndo adds to an error why a run cannot be resumed how to start over, since its output file may
// be gone, for example emptied by the shell.
func orUndo(err error, dir string) error {
	if !errors.As(err, new(*stream.ResumeError)) {
		return err
	}
	return fmt.Errorf("%w; or take the stopped run back with mithril-stream index undo %s, and run the command again",
		err, dir)
}

// ToResume returns the run that this one resumes, or nil if it starts from the beginning. A run
// that stopped at a checkpoint must be resumed: its records are in the index, so a new run over the
// same input would remove them all.
func ToResume(c *config.Filter, last *State, now Commit) (*State, error) {
	if last == nil || last.Stats.Complete {
		return nil, nil
	}
	dir := c.Memory.Index
	switch {
	case !c.Runs.Resume:
		return nil, fmt.Errorf("%s: its last run stopped after %d records: run the same command with "+
			"--resume to go on, "+
			"or mithril-stream index settle %s to leave that run's output as it is, or index undo %s to start over",
			dir, last.Stats.Records, dir, dir)
	case !slices.Equal(last.Streams, now.streams):
		return nil, stream.CannotResume(
			"%s: the run to be resumed wrote to %s, this one writes to %s: give the same options",
			dir, strings.Join(last.Streams, ", "), strings.Join(now.streams, ", "))
	case last.Format != now.Format:
		return nil, stream.CannotResume("%s: the run to be resumed read %s, this one reads %s: give the same options",
			dir, last.Format, now.Format)
	}
	if err := last.checkSame(now.options); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return last, nil
}

// A Commit makes the index durable, together with the progress of the run. The output must be
// durable before that (I3).
type Commit struct {
	Store   *index.Writer
	files   *outputFiles
	streams []string
	Format  string
	options map[string]string
}

// Commit makes the index durable.
func (c Commit) Commit(p State) (err error) {
	p.Streams, p.Format, p.Options, p.Start = c.streams, c.Format, c.options, c.files.start
	p.Lengths, p.Tails = c.files.lengths()
	meta, err := jsonout.Marshal(p)
	if err != nil {
		return err
	}
	return c.Store.Commit(index.Position{
		Records: p.Stats.Records, InputBytes: p.Stats.BytesIn, OutputBytes: c.files.main().Size(), Meta: meta,
	})
}

// JournalOf opens the journal of an index whose last commit says that.
func JournalOf(dir string, last *State) (*journal.Journal, error) {
	number := uint64(0)
	if last != nil && !last.NoJournal {
		number = last.LastRun
	}
	return journal.Open(dir, number)
}

// Number returns the number of the run to which a commit belongs: the last complete one, or its
// successor.
func (p *State) Number() uint64 {
	if p.Stats.Complete {
		return p.LastRun
	}
	return p.LastRun + 1
}

// optionsToResume returns the options that determine what a run writes, apart from those covered by
// the index (I5), the streams and the format of a commit. A run is resumed with the same options;
// otherwise the two halves of its output would belong to different runs.
func optionsToResume(c *config.Filter, r layout.Settings, against []string) map[string]string {
	options := map[string]string{}
	for _, s := range c.ToResume(map[string]any{
		"--field": r.TextFields(), "--against": against, "--record-separator": r.Separator,
	}) {
		if _, isSize := s.Value.(int64); s.IsSet() || isSize {
			options[s.Name] = s.String()
		}
	}
	return options
}

// checkSame refuses options that differ from those of the run to be resumed. A run begun by an
// older program has none.
func (p *State) checkSame(options map[string]string) error {
	if p.Options == nil {
		return nil
	}
	names := maps.Clone(p.Options)
	maps.Copy(names, options)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if then, now := p.Options[name], options[name]; then != now {
			return stream.CannotResume("the run to be resumed had %s, this one has %s: give the same options",
				formatOption(name, then), formatOption(name, now))
		}
	}
	return nil
}

// formatOption returns an option as the user would write it.
func formatOption(name, value string) string {
	switch value {
	case "":
		return "no " + name
	case "true":
		return name
	}
	return name + " " + CommandLine([]string{value})
}
