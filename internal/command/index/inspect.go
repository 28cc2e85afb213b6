package index

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A description is what `index inspect --json` writes.
type description struct {
	Parameters map[string]string   `json:"parameters"`
	MadeBy     []string            `json:"made_by,omitempty"` // flags of the rule, which later runs adopt
	Index      *filters.IndexStats `json:"index,omitempty"`   // the filters
	Exact      *exact.State        `json:"exact,omitempty"`   // the exact memory, which may have no filters
	Observed   uint64              `json:"observed"`          // records that runs have asked about
	Duplicates uint64              `json:"duplicates"`        // of these
	Commits    uint64              `json:"commits"`
	describedRuns
	describedFiles
}

// describedRuns describes the runs that the index has taken in.
type describedRuns struct {
	LastRun  *run.RunCounts `json:"last_run,omitempty"`
	Runs     []journal.Run  `json:"runs,omitempty"`     // complete ones
	Days     []days.Day     `json:"days,omitempty"`     // of an index of groups
	Consumer *kafka.State   `json:"consumer,omitempty"` // if a consumer made the last commit
}

// describedFiles contains the lengths of files in bytes, by name.
type describedFiles struct {
	Files       map[string]int64 `json:"files"`
	Kept        map[string]int64 `json:"kept_for_undo,omitempty"`
	Uncommitted int64            `json:"uncommitted_bytes"` // at the end of the log; they do not count
	// Undecided is set if these include a commit about which the brokers have to be asked.
	Undecided bool `json:"undecided,omitempty"`
}

// A contents is what an index says about itself.
type contents struct {
	index.Description
	filters  bloomlsh.Stats
	exact    *exact.State // nil if it has no exact memory, or nothing in it
	days     []days.Day
	consumer *kafka.State // nil if its last commit is not that of a consumer
	last     *run.State   // nil if that is not the commit of a run
	runs     []journal.Run
}

func inspect(dir string, asJSON bool, out io.Writer) (err error) {
	var f contents
	err = index.Read(dir, func(from *index.Snapshot) (err error) {
		f, err = find(from)
		return err
	})
	if err != nil {
		return err
	}
	madeBy, err := config.MadeBy(dir)
	if err != nil {
		return err
	}
	if asJSON {
		described := describe(f)
		described.MadeBy = madeBy
		return jsonout.WriteIndented(out, described)
	}
	return errors.Join(writeDescription(out, f), writeMadeBy(out, madeBy), writeRuns(out, f.runs),
		writeDays(out, f.days))
}

// find reads what an index says about itself.
func find(from *index.Snapshot) (f contents, err error) {
	if f.Description, err = from.Describe(); err != nil {
		return f, err
	}
	if f.exact, err = exact.StateOf(from); err != nil {
		return f, err
	}
	if f.days, err = days.Of(f.Last, from.Path()); err != nil {
		return f, err
	}
	if exact.FiltersJudge(f.Parameters, f.exact) {
		if f.filters, err = bloomlsh.Inspect(from); err != nil {
			return f, err
		}
	}
	if f.consumer = kafka.StateOf(f.Last.Position); f.consumer == nil {
		if f.last, err = run.StateOf(f.Last.Position, from.Path()); err != nil {
			return f, err
		}
	}
	f.runs, err = runsOf(from.Path(), f.last)
	return f, err
}

// runsOf returns the runs that the index in dir has taken in.
func runsOf(dir string, last *run.State) ([]journal.Run, error) {
	of, err := run.JournalOf(dir, last)
	if err != nil {
		return nil, err
	}
	return of.Runs, of.Close()
}

// shownRuns is the maximum number of runs, and of days, that are listed.
const shownRuns = 20

// writeMadeBy writes the command line that makes such an index. Later runs adopt its flags.
func writeMadeBy(out io.Writer, flags []string) error {
	if flags == nil {
		return nil
	}
	_, err := fmt.Fprintf(out, "\nmade by\nmithril-stream --index DIR %s\n", shown.Text(run.CommandLine(flags)))
	return err
}

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
		read, kept := units.Count(r.Records), units.Count(r.Kept)
		if r.Deleted > 0 {
			read, kept, input = "–", "–", fmt.Sprintf("%s deleted: %s", units.Count(r.Deleted), input)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Number, r.Ended.Format(time.DateTime), read, kept, again,
			shown.Text(input))
	}
	return t.Flush()
}

func describe(f contents) description {
	x := description{
		Parameters: map[string]string{}, Observed: f.filters.Observed, Duplicates: f.filters.Duplicates,
		Commits: f.Last.Number, Exact: f.exact,
		describedRuns: describedRuns{Runs: f.runs, Days: f.days, Consumer: f.consumer},
		describedFiles: describedFiles{
			Files: map[string]int64{}, Kept: map[string]int64{}, Uncommitted: f.Uncommitted, Undecided: f.Undecided,
		},
	}
	for _, p := range f.Parameters {
		x.Parameters[p.Name] = p.Value
	}
	delete(x.Parameters, bloomlsh.MadeByParameter)
	for _, file := range f.Files {
		x.Files[file.Name] = file.Bytes
	}
	for _, file := range f.Kept {
		x.Kept[file.Name] = file.Bytes
	}
	if f.last != nil {
		counts := run.CountsOf(f.last.Stats)
		x.LastRun = &counts
	}
	for _, day := range x.Days {
		x.Observed += day.Records
		x.Duplicates += day.Records - day.Kept
	}
	if x.Exact != nil {
		x.Observed, x.Duplicates = x.Exact.Records, x.Exact.Duplicates
	}
	if f.hasFilters() {
		filters := filters.Describe(f.filters)
		x.Index = &filters
	}
	return x
}

// hasFilters reports whether there are filters that judge.
func (f *contents) hasFilters() bool { return exact.FiltersJudge(f.Parameters, f.exact) }

func writeDescription(out io.Writer, f contents) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch {
	case isOfGroups(f.Parameters):
		writeTotal(t, f.days)
	case f.exact != nil:
		writeExact(t, f.exact, describeMemory(f.Parameters))
	default:
		writeFilters(t, f.filters, describeFilters(f.Parameters))
	}
	if f.consumer != nil {
		fmt.Fprintf(t, "consumer\t%s\n", shown.Text(describeConsumer(f.consumer)))
	} else {
		fmt.Fprintf(t, "last run\t%s\n", describeRun(f.last))
	}
	fmt.Fprintf(t, "commits\t%s\n", units.Count(f.Last.Number))
	switch {
	case f.Undecided:
		fmt.Fprintf(t, "undecided\t%s at the end of the log: the consumer will ask the brokers whether they count\n",
			units.Bytes(uint64(f.Uncommitted)))
	case f.Uncommitted > 0:
		fmt.Fprintf(t, "uncommitted\t%s at the end of the log, which do not count\n",
			units.Bytes(uint64(f.Uncommitted)))
	}
	if f.exact != nil && f.exact.Windows != nil {
		writeWindows(t, f.exact.Windows, describeMemory(f.Parameters), f.Parameters)
	}
	if f.hasFilters() {
		writeGenerations(t, f.filters, describeFilters(f.Parameters))
	}
	fmt.Fprintf(t, "\nparameter\tvalue\n")
	for _, p := range f.Parameters {
		if p.Name != bloomlsh.MadeByParameter {
			fmt.Fprintf(t, "%s\t%s\n", shown.Text(p.Name), shown.Text(p.Value))
		}
	}
	fmt.Fprintf(t, "\nfile\tsize\n")
	for _, file := range f.Files {
		fmt.Fprintf(t, "%s\t%s\n", file.Name, units.Bytes(uint64(file.Bytes)))
	}
	if len(f.Kept) > 0 {
		fmt.Fprintf(t, "\nkept for index undo, or to repeat runs\tsize\n")
	}
	for _, file := range f.Kept {
		fmt.Fprintf(t, "%s\t%s\n", file.Name, units.Bytes(uint64(file.Bytes)))
	}
	return t.Flush()
}

// describeMemory returns what the entries of an exact memory are called.
func describeMemory(of []index.Parameter) string {
	for _, p := range of {
		if p.Name == identity.MemoryParameter && p.Value != spec.MemoryExact && p.Value != spec.MemoryAuto {
			return p.Value
		}
	}
	return "signatures"
}

func writeExact(out io.Writer, x *exact.State, entries string) {
	fmt.Fprintf(out, "records\t%s, of which %s were duplicates\n", units.Count(x.Records), units.Count(x.Duplicates))
	fmt.Fprintf(out, "%s\t%s\n", entries, units.Count(x.Signatures))
	if x.Counted != "" {
		fmt.Fprintf(out, "groups\tcounted, with %s\n", shown.Text(x.Counted))
	}
	if x.Deleted > 0 {
		fmt.Fprintf(out, "deleted\t%s, which are in the log until index compact\n", units.Count(x.Deleted))
	}
	if x.BloomFrom > 0 {
		fmt.Fprintf(out, "Bloom filters\tjudge from record %s on\n", units.Count(x.BloomFrom))
	}
}

// Filters contain either records or parts of them.
const records, parts = "records", "parts"

// describeFilters returns what is inserted into the filters of an index.
func describeFilters(of []index.Parameter) string {
	for _, p := range of {
		if p.Name == method.MethodParameter && p.Value != spec.MethodExact {
			return parts
		}
	}
	return records
}

func writeFilters(out io.Writer, s bloomlsh.Stats, inserted string) {
	fmt.Fprintf(out, "%s\t%s\n", inserted, units.Count(s.Inserted))
	fmt.Fprintf(out, "distinct, estimated\t%s\n", units.Count(s.Cardinality))
	if inserted == records { // for parts, duplicates are not counted
		fmt.Fprintf(out, "asked about\t%s, of which %s were duplicates\n", units.Count(s.Observed),
			units.Count(s.Duplicates))
	}
	fmt.Fprintf(out, "memory\t%s\n", units.Bytes(s.Bytes))
	if inserted == records {
		fmt.Fprintf(out, "duplicates\thave seen at least %d of %d bands\n", s.Votes, s.Bands)
	}
	fmt.Fprintf(out, "false-positive rate\t%.2g now, %.2g at capacity\n", filters.Describe(s).FPRate,
		s.FPRateAtCapacity)
}

func writeGenerations(out io.Writer, s bloomlsh.Stats, inserted string) {
	fmt.Fprintf(out, "\ngeneration\tcapacity\t%s\tfill\tmemory\tfalse positives at capacity\n", inserted)
	for i, g := range s.Generations {
		fmt.Fprintf(out, "%d\t%s\t%s\t%.1f %%\t%s\t%.2g", s.Forgotten+i+1, units.Count(g.Capacity),
			units.Count(g.Inserted),
			100*g.Fill, units.Bytes(g.Bits/8), g.FPRateAtCapacity)
		if from := filters.Since(g); from != "" {
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
		return fmt.Sprintf("complete, %s, %s of them duplicates", units.Of(last.Stats.Records, "record"),
			units.Count(last.Stats.Duplicates))
	}
	return fmt.Sprintf("stopped at a checkpoint after %s: resume it or settle the index",
		units.Of(last.Stats.Records, "record"))
}

func describeConsumer(s *kafka.State) string {
	line := fmt.Sprintf("group %s, %s of topic %s, %s of them duplicates; next offsets", s.Group,
		units.Of(s.Records, "record"), s.Topic, units.Count(s.Duplicates))
	for _, partition := range slices.Sorted(maps.Keys(s.Next)) {
		line += fmt.Sprintf(" %d:%d", partition, s.Next[partition])
	}
	return line
}
