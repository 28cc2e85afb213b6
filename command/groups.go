package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// runGroups reads the records twice: to find the groups, and to copy what is kept of them.
func runGroups(ctx context.Context, c *config.Groups, std files.Streams) (err error) {
	written := append(c.Filter.Written(), c.Clusters)
	std, inputs, done, err := files.ReadTwice(ctx, std, c.Filter.Inputs, written, "", c.Filter.Output.Quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	read := *c
	read.Filter.Inputs = inputs
	g := &grouping{c: &read, names: memory.Names{WithIDs: c.Filter.ID != ""}, started: time.Now()}
	defer func() { err = errors.Join(err, g.close()) }()
	if err := g.ofSketches(ctx, std); err != nil {
		return err
	}
	if c.Filter.Output.Annotate {
		if err := checkOutput(ctx, g, std); err != nil {
			return err
		}
		g.members = newGroupMembers(&g.names, c.CountBy)
	}
	if g.found, err = g.find(ctx, std); err != nil {
		return err
	}
	clusters, err := g.openClusters(std)
	if err != nil {
		return err
	}
	if err := g.choose(clusters); err != nil {
		return files.NameLeft(errors.Join(err, clusters.Finish(false, false)), clusters)
	}
	err = g.copy(ctx, std)
	if err = errors.Join(err, clusters.Finish(err == nil, false)); err != nil {
		return files.NameLeft(err, clusters)
	}
	if g.members != nil {
		run.NoteBeyond(std.Err, g.members.beyond())
	}
	if !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s", g.summary(g.found, time.Since(g.started)))
	}
	return nil
}

// A grouping is what is found out about the groups of some records.
type grouping struct {
	c       *config.Groups
	groups  memory.Groups
	lengths []uint32 // of the texts, in bytes, up to the most that 32 bits hold
	ranks   ranks    // of the records, by a field; empty unless --keep asks for one
	names   memory.Names
	count   int            // groups
	removed []bool         // of each record, once groups are found; nil before
	kept    []uint64       // for each removed record the one that is kept, if a page is to show it; else nil
	members *groupMembers  // that are added to kept records; nil if none are
	chains  chains         // what is joined that is unlike
	found   stream.Stats   // of the run that found the groups
	keys    method.KeyKind // that it was of
	started time.Time
	next    int   // the record that is copied, or left out, next
	failed  error // why a record could not be added, which is no fault of that record
}

// Sketcher makes what is grouped of texts; once groups are found nothing is made of them.
func (g *grouping) Sketcher(c *config.Filter) (func() stream.Sketcher, method.KeyKind, error) {
	if g.isFound() {
		return nil, method.KeyKind{}, nil
	}
	return run.Filtering{}.Sketcher(c)
}

// Written are the files of both runs: what is read first is about them too.
func (g *grouping) Written(*config.Filter) []string {
	return append(g.c.Filter.Written(), g.c.Clusters)
}

// Ready has nothing to do.
func (*grouping) Ready(*run.Run) error { return nil }

// isFound reports whether all records are read and their groups are known.
func (g *grouping) isFound() bool { return g != nil && g.removed != nil }

// Begin makes the judge of a run one that joins records, and then one that follows the groups.
func (g *grouping) Begin(_ context.Context, f *run.Run) (err error) {
	if f.Opts.Annotate = false; g.members != nil {
		f.Opts.Members = g.members.added()
	}
	if g.isFound() {
		f.Opts.Method = stream.Method{Judge: follower{g}, DecidesAll: true}
		if f.Config.Report.Report != "" {
			f.Opts.ID = f.Config.ID
		}
		return nil
	}
	if f.Config.FromSketches {
		return g.joinSketches(f)
	}
	if err := stream.CheckID(f.Opts.Format, f.Config.ID); err != nil {
		return usage.Error(fmt.Errorf("--id: %w", err))
	}
	if err := stream.CheckID(f.Opts.Format, g.c.Keep.Field); err != nil {
		return usage.Error(fmt.Errorf("--keep: %w", err))
	}
	for _, field := range g.c.CountBy {
		if err := stream.CheckID(f.Opts.Format, field); err != nil {
			return usage.Error(fmt.Errorf("--count-by: %w", err))
		}
	}
	f.Opts.ID, f.Opts.Rank, f.Opts.Fields = f.Config.ID, g.c.Keep.Field, g.c.CountBy
	if g.groups, err = method.For(f.Config).Kind(f.Config, f.Keys).Groups(); err != nil {
		return usage.Error(err)
	}
	sketcher := f.Opts.Method.NewSketcher
	f.Opts.Method = stream.Method{
		Judge:       f.Keys.Failures.Before(joiner{g}),
		NewSketcher: func() stream.Sketcher { return run.Measured{Sketcher: sketcher()} },
	}
	return nil
}

// joinSketches makes the judge of a run over sketch files one that joins records.
func (g *grouping) joinSketches(f *run.Run) error {
	params, err := g.paramsOfSketches(f)
	if err != nil {
		return err
	}
	groups, err := signatures.NewGroups(params)
	if err != nil {
		return usage.Error(err)
	}
	g.groups = groups
	f.Opts.Method = stream.Method{Judge: joiner{g}}
	return groups.CheckRoom(countSketches(f.Paths))
}

// find reads all records and joins those that resemble each other.
func (g *grouping) find(ctx context.Context, std files.Streams) (stream.Stats, error) {
	c := g.c.Filter
	c.Output, c.Report = config.OutputFlags{}, config.ReportFlags{}
	f := run.New(&c, g, std)
	err := f.Prepare(ctx)
	g.keys = f.Keys
	if err != nil {
		return stream.Stats{}, err
	}
	f.Opts.Lost = nil // what cannot be read cannot be copied either
	f.Opts.Sinks = append(f.Opts.Sinks, &g.names)
	if len(g.c.CountBy) > 0 {
		f.Opts.Sinks = append(f.Opts.Sinks, g.members)
	}
	if g.c.Keep.Field != "" {
		f.Opts.Sinks = append(f.Opts.Sinks, &g.ranks)
	}
	pass, err := stream.New(f.Opts)
	if err != nil {
		return stream.Stats{}, err
	}
	shown := run.StartProgress(pass, &method.Judging{}, std.Err, g.c.Filter.Output.Quiet, f.Typed)
	defer shown.Stop()
	shown.Groups = g.groups
	stats, err := pass.Do(ctx)
	if g.failed != nil {
		return stats, g.failed
	}
	if err == nil {
		err = g.groups.Find(ctx)
	}
	return stats, f.ExplainUnreadable(err)
}

// copy writes what is kept of all records.
func (g *grouping) copy(ctx context.Context, std files.Streams) error {
	c := g.c.Filter
	c.Output.Quiet = true
	f := run.New(&c, g, std)
	f.Keys = g.keys
	if err := f.Prepare(ctx); err != nil {
		return err
	}
	f.Opts.Lost = nil
	if c.FromSketches { // there is nothing to copy
		f.Opts.Inputs = []stream.Input{{OpenRecords: func() (stream.RecordReader, error) {
			return &blanks{left: len(g.removed)}, nil
		}}}
	}
	f.Ending = func() error {
		if g.next != len(g.removed) {
			return g.changed()
		}
		return nil
	}
	return f.Do(ctx)
}

func (g *grouping) changed() error {
	return fmt.Errorf("the inputs have changed since they were grouped: there were %d records", len(g.removed))
}

// A joiner is the judge that puts records into groups. Nothing is a duplicate yet.
type joiner struct{ *grouping }

func (j joiner) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		out[i] = stream.Verdict{}
		words, length := b.Sketch(i), uint32(0)
		if last := len(words) - 1; last < 0 {
			j.groups.Pass()
		} else {
			length = uint32(min(words[last], math.MaxUint32))
			if j.failed = j.groups.Add(words[:last]); j.failed != nil {
				return i, j.failed
			}
		}
		j.lengths = append(j.lengths, length)
	}
	return len(out), nil
}

// A follower is the judge that removes all records of a group but one.
type follower struct{ *grouping }

func (f follower) Judge(_ stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		if f.next == len(f.removed) {
			return i, f.changed()
		}
		out[i] = stream.Verdict{Duplicate: f.removed[f.next]}
		if f.kept != nil && f.kept[f.next] > 0 {
			out[i].Original = f.kept[f.next]
			out[i].Similarity = f.groups.Similarity(f.kept[f.next], uint64(f.next)+1)
		}
		f.next++
	}
	return len(out), nil
}

// openClusters begins the file of the groups. It is nil if that is not asked for.
func (g *grouping) openClusters(std files.Streams) (*files.Output, error) {
	path := g.c.Clusters
	if path == "" {
		return nil, nil
	}
	method, err := compress.ByName(path)
	if err != nil {
		return nil, usage.Error(err)
	}
	return std.Create(path, method, 1, false)
}

// choose says which records are removed, and writes the groups to their file, if there is one.
func (g *grouping) choose(file *files.Output) error {
	g.removed = make([]bool, len(g.lengths))
	if g.c.Filter.Report.Report != "" {
		g.kept = make([]uint64, len(g.lengths))
	}
	var w *clusterWriter
	if file != nil {
		w = newClusterWriter(file, strings.HasSuffix(compress.TrimSuffix(g.c.Clusters), ".jsonl"))
	}
	for records := range g.groups.All() {
		groups, err := g.linked(records)
		if err != nil {
			return err
		}
		for _, records := range groups {
			if err := g.take(records, w); err != nil {
				return err
			}
		}
	}
	if g.members != nil {
		g.members.found()
	}
	if w != nil {
		return w.end()
	}
	return nil
}

// linked are the groups that a chain of similar records is taken for.
func (g *grouping) linked(records []uint64) (groups [][]uint64, err error) {
	if g.c.Linkage != "leader" {
		return [][]uint64{records}, nil
	}
	if groups, err = g.groups.Split(g.preferred(records)); err == nil {
		for _, group := range groups {
			slices.Sort(group) // its leader is its representative wherever it stands
		}
	}
	return groups, err
}

// take notes what becomes of the records of a group, and writes it.
func (g *grouping) take(records []uint64, w *clusterWriter) error {
	g.count++
	kept := g.representative(records)
	if g.members != nil && g.c.Keep.Rule != "none" {
		g.members.add(records, kept)
	}
	g.chains.look(records, kept, g.groups)
	for _, record := range records {
		g.removed[record-1] = record != kept || g.c.Keep.Rule == "none"
		if g.kept != nil && record != kept {
			g.kept[record-1] = kept
		}
	}
	if w == nil {
		return nil
	}
	return w.write(g.cluster(records, kept))
}

func (g *grouping) cluster(records []uint64, kept uint64) cluster {
	c := cluster{Representative: g.names.Append(nil, kept)}
	sum := 0.
	for _, record := range records {
		if record != kept {
			c.Duplicates = append(c.Duplicates, g.names.Append(nil, record))
			sum += float64(g.groups.Similarity(kept, record))
		}
	}
	c.AvgSimilarity = math.Round(sum/float64(len(c.Duplicates))*1e4) / 1e4
	return c
}

// Counted completes the counts of the run that copies, which reads no texts, by what the run before
// has counted that found the groups.
func (g *grouping) Counted(s stream.Stats) (all stream.Stats, groups uint64, elapsed time.Duration) {
	all = g.found
	all.Complete, all.Written = s.Complete, s.Written
	all.Duplicates = s.Duplicates
	all.Unseen = all.Records - all.Duplicates - all.Empty - all.Rejects.Total()
	return all, uint64(g.count), time.Since(g.started)
}

func (g *grouping) summary(s stream.Stats, elapsed time.Duration) string {
	gone := uint64(0)
	for _, removed := range g.removed {
		if removed {
			gone++
		}
	}
	line := fmt.Sprintf("%s records in %s: %s kept, %s duplicates (%.1f %%) in %s groups", units.Count(s.Records),
		elapsed.Round(10*time.Millisecond), units.Count(s.Records-gone), units.Count(gone),
		units.Percent(gone, s.Records),
		units.Count(uint64(g.count)))
	if note := g.chains.note(g.shownName); note != "" {
		line += "; of these " + note
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(s.Empty))
	}
	return line + run.Unread(s)
}

func (g *grouping) close() error {
	if g.groups == nil {
		return errors.Join(g.keys.Close(), g.members.close())
	}
	return errors.Join(g.groups.Close(), g.keys.Close(), g.members.close())
}
