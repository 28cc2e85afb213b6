// Package groups implements the command that puts all records of its inputs into groups, and keeps
// one of each. The inputs are records or sketch files. With an index, they are grouped day by day.
package groups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// checkDays refuses an index where there can be none, and outputs that are files of it.
func checkDays(c *config.Groups, written []string) error {
	if err := run.InDirectories("groups --index", c.Index); err != nil {
		return err
	}
	return usage.Error(files.RefuseInIndex(written, []string{c.Index}))
}

// Run groups records. It reads them twice: to find the groups, and to copy the kept records.
// Sketch files have nothing to copy.
func Run(ctx context.Context, c *config.Groups, std files.Streams) (err error) {
	written := c.Written()
	if err := checkDays(c, written); err != nil {
		return err
	}
	std, inputs, done, err := files.ReadTwice(ctx, std, c.Filter.Input.Paths, written, "", c.Filter.Output.Quiet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	read := *c
	read.Filter = c.Filter.WithPaths(inputs)
	if c.Index != "" {
		read.Filter = read.Filter.AsStored(identity.AsStored(read.Filter.Method, c.Index))
	}
	g := &grouping{c: &read, started: time.Now()}
	g.records.names.WithIDs = c.Filter.Input.ID != ""
	defer func() { err = errors.Join(err, g.close()) }()
	if err := g.ofSketches(ctx, std); err != nil {
		return err
	}
	if c.Filter.Output.Annotate {
		if err := checkOutput(ctx, g, std); err != nil {
			return err
		}
	}
	if c.Filter.Output.Annotate || c.Resample.IsSet() {
		values := make([]counts.Values, len(c.CountBy))
		g.members = &groupMembers{names: &g.records.names, fields: c.CountBy, values: values, resample: c.Resample}
	}
	if g.first.stats, err = g.find(ctx, std); err != nil {
		return err
	}
	if err := g.write(ctx, std); err != nil {
		return err
	}
	if g.members != nil {
		run.NoteBeyond(std.Err, g.members.beyond())
	}
	if !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s", g.summary(g.first.stats, time.Since(g.started)))
		if c.Resample.IsSet() {
			shown.Notice(std.Err, "%s", run.ResampledNote(g.members.written, g.members.leftOut))
		}
	}
	return nil
}

// A grouping finds the groups of some records and then copies what is kept of them.
type grouping struct {
	c       *config.Groups
	started time.Time
	groups  memory.Groups
	records groupedRecords
	members *groupMembers // the groups of kept records, if they are used; otherwise nil
	days    *groupDays    // of the index; otherwise nil
	first   firstPass
	chosen  choice
	next    int // index of the record that is copied or left out next
}

// groupedRecords holds what is known about the records besides their groups.
type groupedRecords struct {
	sizes  []uint32 // of the texts, in bytes or as --keep measures them, up to the most that 32 bits hold
	ranks  ranks    // by fields; empty unless --keep asks for some
	names  memory.Names
	failed error // why a record could not be added, which is not the fault of the record
}

// firstPass describes the run that found the groups.
type firstPass struct {
	stats  stream.Stats
	keys   identity.KeyKind
	fields []string // with the texts
}

// Sketching returns how to sketch the texts that are grouped. Once groups are found, no texts are
// sketched.
func (g *grouping) Sketching(c *config.Filter) (run.Sketching, error) {
	if g.isFound() {
		return run.Sketching{}, nil
	}
	return run.Filtering{}.Sketching(c)
}

// Written returns the files of both runs, so that the first one already checks all of them.
func (g *grouping) Written(*config.Filter) []string {
	return g.c.Written()
}

// isFound reports whether all records have been read and their groups are known.
func (g *grouping) isFound() bool { return g != nil && g.chosen.removed != nil }

// joining returns how to read a source whose records are joined.
func (g *grouping) joining(c *config.Filter, from *run.Source) (r run.Reading, err error) {
	if c.Input.Sketches {
		r.Method.Judge, err = g.joinSketches(c, from)
		return r, err
	}
	if err := from.CheckFields("--id", c.Input.ID); err != nil {
		return r, err
	}
	if err := from.CheckFields("--keep", g.c.Keep.Fields()...); err != nil {
		return r, err
	}
	if err := from.CheckFields("--count-by", g.c.CountBy...); err != nil {
		return r, err
	}
	if g.groups, err = method.For(c.Method).Kind(c.Method, from.Keys).Groups(); err != nil {
		return r, usage.Error(err)
	}
	if g.c.Index != "" {
		if g.days, err = openDays(g, c, from); err != nil {
			return r, err
		}
	}
	measure, err := sketchers.TextMeasure(c.Rule.Text, g.c.Keep.OfText())
	if err != nil {
		return r, usage.Error(err)
	}
	return run.Reading{
		Method: stream.Method{
			Judge:       from.Keys.Failures.Before(stream.ByRecord(nil, g.joinRecord)),
			NewSketcher: func() stream.Sketcher { return run.Measured{Sketcher: from.New(), By: measure()} },
		},
		Needs: run.Needs{SinkData: stream.SinkData{
			ID: c.Input.ID, Fields: slices.Concat(g.c.CountBy, g.c.Keep.Fields()),
		}},
	}, nil
}

// joinSketches returns a judge that joins the records of sketch files.
func (g *grouping) joinSketches(c *config.Filter, from *run.Source) (stream.Judge, error) {
	params, err := g.paramsOfSketches(c, from)
	if err != nil {
		return stream.Judge{}, err
	}
	groups, err := signatures.NewGroups(params)
	if err != nil {
		return stream.Judge{}, usage.Error(err)
	}
	g.groups = groups
	return stream.ByRecord(nil, g.joinRecord), groups.CheckRoom(countSketches(from.Paths))
}

// write writes the groups and what is kept of them, and then commits the day (I3).
func (g *grouping) write(ctx context.Context, std files.Streams) error {
	outputs, err := g.openGroupFiles(std)
	if err != nil {
		return err
	}
	if err = g.choose(outputs); err == nil {
		err = g.copy(ctx, std)
	}
	if err = outputs.finish(err); err != nil {
		return err
	}
	return g.days.commit(g.keptToday())
}

// keptToday returns how many records were copied.
func (g *grouping) keptToday() (kept uint64) {
	for _, removed := range g.chosen.removed {
		if !removed {
			kept++
		}
	}
	return kept
}

// counted completes the counts of the run that copies, which reads no texts, with those of the run
// that found the groups.
func (g *grouping) counted(s stream.Stats) (all stream.Stats, groups uint64, elapsed time.Duration) {
	all = g.first.stats
	all.Complete, all.Written, all.Followers = s.Complete, s.Written, s.Followers
	all.Duplicates = s.Duplicates
	all.Unseen = all.Records - all.Duplicates - all.Empty - all.Rejects.Total()
	return all, uint64(g.chosen.groups), time.Since(g.started)
}

func (g *grouping) summary(s stream.Stats, elapsed time.Duration) string {
	gone := uint64(len(g.chosen.removed)) - g.keptToday()
	line := fmt.Sprintf("%s in %s: %s kept, %s (%.1f %%) in %s", units.Of(s.Records, "record"),
		elapsed.Round(10*time.Millisecond), units.Count(s.Records-gone), units.Of(gone, "duplicate"),
		units.Percent(gone, s.Records),
		units.Of(uint64(g.chosen.groups), "group"))
	if note := g.chosen.chains.note(g.shownName); note != "" {
		line += "; of these " + note
		if g.days == nil {
			line += ": --linkage leader keeps such"
		}
	}
	if g.groups != nil && g.groups.Cut() > 0 {
		line += fmt.Sprintf("; %s not compared with all candidates, as very many share what they are found by",
			units.Of(g.groups.Cut(), "record"))
	}
	if s.Empty > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(s.Empty))
	}
	return line + run.Unread(s)
}

func (g *grouping) close() error {
	if g.groups == nil {
		return errors.Join(g.first.keys.Close(), g.members.close(), g.days.close())
	}
	return errors.Join(g.groups.Close(), g.first.keys.Close(), g.members.close(), g.days.close())
}
