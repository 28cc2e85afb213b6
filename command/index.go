package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/kafka"
)

// description is what `index inspect --json` writes.
type description struct {
	Parameters  map[string]string   `json:"parameters"`
	Index       *method.IndexStats  `json:"index,omitempty"` // the filters
	Exact       *method.ExactCommit `json:"exact,omitempty"` // the exact memory, which may have no filters
	Observed    uint64              `json:"observed"`        // records that runs have asked about
	Duplicates  uint64              `json:"duplicates"`      // of these
	Commits     uint64              `json:"commits"`
	LastRun     *run.RunCounts      `json:"last_run,omitempty"`
	Runs        []journal.Run       `json:"runs,omitempty"`     // that were complete
	Consumer    *kafka.State        `json:"consumer,omitempty"` // if a consumer made the last commit
	Files       map[string]int64    `json:"files"`
	Kept        map[string]int64    `json:"kept_for_undo,omitempty"`
	Uncommitted int64               `json:"uncommitted_bytes"` // at the end of the log; they do not count
	// Undecided says that among them is a commit about which the brokers have to be asked.
	Undecided bool `json:"undecided,omitempty"`
}

func inspect(dir string, asJSON bool, out io.Writer) error {
	d, err := bloomlsh.Inspect(dir)
	if err != nil {
		return err
	}
	consumer := kafka.StateOf(d.Committed)
	var last *run.State
	if consumer == nil {
		if last, err = run.StateOf(d.Committed, dir); err != nil {
			return err
		}
	}
	exact, err := method.ExactOf(d.Committed, dir)
	if err != nil {
		return err
	}
	if f, ok := method.ExactFile(exact); ok {
		d.Files = append(d.Files, f)
	}
	runs, err := runsOf(dir, last)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, describe(d, last, runs, consumer, exact))
	}
	return errors.Join(writeDescription(out, d, last, consumer, exact), writeRuns(out, runs))
}

// runsOf returns the runs that the index in dir has taken in.
func runsOf(dir string, last *run.State) ([]journal.Run, error) {
	of, err := run.JournalOf(dir, last)
	if err != nil {
		return nil, err
	}
	return of.Runs, nil
}

// shownRuns is how many runs are listed.
const shownRuns = 20

func writeRuns(out io.Writer, runs []journal.Run) error {
	if len(runs) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nrun\tended\trecords\tkept\tcan be repeated\tinput\n")
	if more := len(runs) - shownRuns; more > 0 {
		fmt.Fprintf(t, "…\t%d more\n", more)
		runs = runs[more:]
	}
	for _, r := range runs {
		again, input := "yes", r.Input
		if !r.HasVerdicts {
			again = "no"
		}
		if r.Inputs > 1 {
			input += fmt.Sprintf(" and %d more", r.Inputs-1)
		}
		records, kept := units.Count(r.Records), units.Count(r.Kept)
		if r.Deleted > 0 {
			records, kept, input = "–", "–", fmt.Sprintf("%s deleted: %s", units.Count(r.Deleted), input)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Number, r.Ended.Format(time.DateTime), records, kept, again,
			shown.Text(input))
	}
	return t.Flush()
}

func describe(
	d bloomlsh.Description, last *run.State, runs []journal.Run, consumer *kafka.State, exact *method.ExactCommit,
) description {
	x := description{
		Parameters: map[string]string{}, Observed: d.Stats.Observed, Duplicates: d.Stats.Duplicates,
		Commits: d.Commits, Files: map[string]int64{}, Kept: map[string]int64{},
		Uncommitted: d.Uncommitted, Undecided: d.Undecided,
		Consumer: consumer, Runs: runs, Exact: exact,
	}
	for _, p := range d.Parameters {
		x.Parameters[p.Name] = p.Value
	}
	for _, f := range d.Files {
		x.Files[f.Name] = f.Bytes
	}
	for _, f := range d.Kept {
		x.Kept[f.Name] = f.Bytes
	}
	if last != nil {
		counts := run.CountsOf(last.Stats)
		x.LastRun = &counts
	}
	if x.Exact != nil {
		x.Observed, x.Duplicates = x.Exact.Records, x.Exact.Duplicates
	}
	if x.Exact == nil || x.Exact.BloomFrom > 0 {
		filters := method.DescribeIndex(d.Stats)
		x.Index = &filters
	}
	return x
}

func writeJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func writeDescription(
	out io.Writer, d bloomlsh.Description, last *run.State, consumer *kafka.State, exact *method.ExactCommit,
) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	hasFilters := exact == nil || exact.BloomFrom > 0
	if exact != nil {
		writeExact(t, exact, whatIsRemembered(d.Parameters))
	} else {
		writeFilters(t, d.Stats)
	}
	if consumer != nil {
		fmt.Fprintf(t, "consumer\t%s\n", shown.Text(describeConsumer(consumer)))
	} else {
		fmt.Fprintf(t, "last run\t%s\n", describeRun(last))
	}
	fmt.Fprintf(t, "commits\t%s\n", units.Count(d.Commits))
	switch {
	case d.Undecided:
		fmt.Fprintf(t, "undecided\t%s at the end of the log: the consumer will ask the brokers whether they count\n",
			units.Bytes(uint64(d.Uncommitted)))
	case d.Uncommitted > 0:
		fmt.Fprintf(t, "uncommitted\t%s at the end of the log, which do not count\n",
			units.Bytes(uint64(d.Uncommitted)))
	}
	if hasFilters {
		writeGenerations(t, d.Stats)
	}
	fmt.Fprintf(t, "\nparameter\tvalue\n")
	for _, p := range d.Parameters {
		fmt.Fprintf(t, "%s\t%s\n", shown.Text(p.Name), shown.Text(p.Value))
	}
	fmt.Fprintf(t, "\nfile\tsize\n")
	for _, f := range d.Files {
		fmt.Fprintf(t, "%s\t%s\n", f.Name, units.Bytes(uint64(f.Bytes)))
	}
	if len(d.Kept) > 0 {
		fmt.Fprintf(t, "\nkept for index undo\tsize\n")
	}
	for _, f := range d.Kept {
		fmt.Fprintf(t, "%s\t%s\n", f.Name, units.Bytes(uint64(f.Bytes)))
	}
	return t.Flush()
}

// whatIsRemembered is what the entries of an exact memory are.
func whatIsRemembered(of []bloomlsh.Parameter) string {
	for _, p := range of {
		if p.Name == method.MemoryParameter && p.Value != config.MemoryExact && p.Value != config.MemoryAuto {
			return p.Value
		}
	}
	return "signatures"
}

func writeExact(out io.Writer, x *method.ExactCommit, entries string) {
	fmt.Fprintf(out, "records\t%s, of which %s were duplicates\n", units.Count(x.Records), units.Count(x.Duplicates))
	fmt.Fprintf(out, "%s\t%s\n", entries, units.Count(x.Signatures))
	if x.Deleted > 0 {
		fmt.Fprintf(out, "deleted\t%s, which are in the log until index compact\n", units.Count(x.Deleted))
	}
	if x.BloomFrom > 0 {
		fmt.Fprintf(out, "Bloom filters\tjudge from record %s on\n", units.Count(x.BloomFrom))
	}
}

func writeFilters(out io.Writer, s bloomlsh.Stats) {
	fmt.Fprintf(out, "records\t%s\n", units.Count(s.Inserted))
	fmt.Fprintf(out, "distinct, estimated\t%s\n", units.Count(s.Cardinality))
	fmt.Fprintf(out, "asked about\t%s, of which %s were duplicates\n", units.Count(s.Observed),
		units.Count(s.Duplicates))
	fmt.Fprintf(out, "memory\t%s\n", units.Bytes(s.Bytes))
	fmt.Fprintf(out, "duplicates\thave seen at least %d of %d bands\n", s.Votes, s.Bands)
	fmt.Fprintf(out, "false-positive rate\t%.2g now, %.2g at capacity\n", method.DescribeIndex(s).FPRate,
		s.FPRateAtCapacity)
}

func writeGenerations(out io.Writer, s bloomlsh.Stats) {
	fmt.Fprintf(out, "\ngeneration\tcapacity\trecords\tfill\tmemory\tfalse positives at capacity\n")
	for i, g := range s.Generations {
		fmt.Fprintf(out, "%d\t%s\t%s\t%.1f %%\t%s\t%.2g", s.Forgotten+i+1, units.Count(g.Capacity),
			units.Count(g.Inserted),
			100*g.Fill, units.Bytes(g.Bits/8), g.FPRateAtCapacity)
		if from := method.Since(g); from != "" {
			fmt.Fprintf(out, "\tsince %s", from)
		}
		fmt.Fprintln(out)
	}
}

func describeRun(last *run.State) string {
	switch {
	case last == nil:
		return "none"
	case last.Stats.Complete:
		return fmt.Sprintf("complete, %s records, %s of them duplicates", units.Count(last.Stats.Records),
			units.Count(last.Stats.Duplicates))
	}
	return fmt.Sprintf("stopped at a checkpoint after %s records: resume it or settle the index",
		units.Count(last.Stats.Records))
}

func describeConsumer(s *kafka.State) string {
	line := fmt.Sprintf("group %s, %s records of topic %s, %s of them duplicates; next offsets", s.Group,
		units.Count(s.Records), s.Topic, units.Count(s.Duplicates))
	for _, partition := range slices.Sorted(maps.Keys(s.Next)) {
		line += fmt.Sprintf(" %d:%d", partition, s.Next[partition])
	}
	return line
}

// verify checks the index in dir, which the user calls by a name.
func verify(dir, name string, out io.Writer) error {
	d, err := bloomlsh.Verify(dir)
	if err != nil {
		return err
	}
	if kafka.StateOf(d.Committed) == nil {
		last, err := run.StateOf(d.Committed, dir)
		if err != nil {
			return err
		}
		of, err := run.JournalOf(dir, last)
		if err != nil {
			return err
		}
		if err := of.Verify(); err != nil {
			return err
		}
	}
	exact, err := method.ExactOf(d.Committed, dir)
	if err != nil {
		return err
	}
	if f, ok := method.ExactFile(exact); ok {
		d.Files = append(d.Files, f)
		if err := method.VerifyExact(dir, exact, d.Ended); err != nil {
			return err
		}
	}
	var bytes int64
	for _, f := range d.Files {
		bytes += f.Bytes
	}
	return shown.Line(out, "%s: whole: %d files, %s, %s commits", name, len(d.Files)+1, units.Bytes(uint64(bytes)),
		units.Count(d.Commits))
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
		return shown.Line(out, "%s: its last run was complete: there is nothing to settle", c.Dir)
	}
	settled := run.State{Stats: stream.Stats{Complete: true}}
	if last != nil {
		settled.Stats.Records, settled.Stats.Duplicates = last.Stats.Records, last.Stats.Duplicates
		settled.LastRun, settled.Exact = last.LastRun, last.Exact
	}
	meta, err := json.Marshal(settled)
	if err != nil {
		return err
	}
	if err := store.Commit(bloomlsh.Position{Meta: meta}); err != nil {
		return err
	}
	return shown.Line(out, "%s: settled: the next run begins anew", c.Dir)
}

// settleConsumer makes the index that of no consumer.
func settleConsumer(dir string, store *bloomlsh.Store, consumer *kafka.State, undecided bool, out io.Writer) error {
	exact, err := method.ExactOf(store.Committed(), dir)
	if err != nil {
		return err
	}
	var settled bloomlsh.Position
	if exact != nil { // the log still counts
		if settled.Meta, err = json.Marshal(run.State{Stats: stream.Stats{Complete: true}, Exact: exact}); err != nil {
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
