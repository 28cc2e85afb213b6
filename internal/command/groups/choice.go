package groups

import (
	"bufio"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// groupFiles holds the files that describe the groups. A file that was not asked for is nil.
type groupFiles struct{ clusters, merged *files.Output }

// openGroupFiles creates them.
func (g *grouping) openGroupFiles(std files.Streams) (o groupFiles, err error) {
	create := func(path string) (*files.Output, error) {
		if path == "" {
			return nil, nil
		}
		method, err := compress.ByName(path)
		if err != nil {
			return nil, usage.Error(err)
		}
		return std.Create(path, method, 1, false)
	}
	if o.clusters, err = create(g.c.Clusters); err != nil {
		return o, err
	}
	if o.merged, err = create(g.c.Merged); err != nil {
		return o, o.finish(err)
	}
	return o, nil
}

// finish gives the files their names, unless the run has failed.
func (o groupFiles) finish(err error) error {
	for _, file := range []*files.Output{o.clusters, o.merged} {
		err = errors.Join(err, file.Finish(err == nil, false))
	}
	return files.NameUnfinished(err, o.clusters, o.merged)
}

// A choice says what happens to the records, once groups are found.
type choice struct {
	groups  int      // of more than one record
	removed []bool   // of each record; nil before groups are found
	kept    []uint64 // for each removed record the one that is kept, if a page shows it; otherwise nil
	chains  chains   // records that are joined but do not resemble the kept one
	crowd   uint64   // most records of a group, without copies, if a page shows them
}

// choose decides which records are removed, and writes the groups to their files, if there are any.
func (g *grouping) choose(to groupFiles) error {
	g.chosen.removed = make([]bool, len(g.records.sizes))
	if g.c.Filter.Report.Report != "" {
		g.chosen.kept = make([]uint64, len(g.records.sizes))
	}
	var w *clusterWriter
	if to.clusters != nil {
		w = &clusterWriter{
			out:   bufio.NewWriterSize(to.clusters, 64<<10),
			lines: strings.HasSuffix(compress.TrimSuffix(g.c.Clusters), ".jsonl"),
		}
	}
	if to.merged != nil {
		g.days.merges.to = newMergedWriter(to.merged)
	}
	if g.members != nil {
		g.members.before = g.days.earlier()
	}
	for records := range g.groups.All() {
		groups, err := g.linked(records)
		if err != nil {
			return err
		}
		for _, records := range groups {
			if err := g.chooseIn(records, w); err != nil {
				return err
			}
		}
	}
	if g.members != nil {
		g.members.found()
	}
	if w != nil {
		if err := w.end(); err != nil {
			return err
		}
	}
	if to.merged != nil {
		return g.days.merges.to.out.Flush()
	}
	return nil
}

// linked returns the groups that a chain of similar records is divided into.
func (g *grouping) linked(records []uint64) (groups [][]uint64, err error) {
	if g.c.Linkage != "leader" {
		return [][]uint64{records}, nil
	}
	if groups, err = g.groups.Split(g.preferred(records)); err == nil {
		for _, group := range groups {
			slices.Sort(group) // the leader is the representative at any position
		}
	}
	return groups, err
}

// chooseIn decides what happens to the records of a group, and writes the group. Only records of
// the current day are copied or removed.
func (g *grouping) chooseIn(records []uint64, w *clusterWriter) error {
	kept := g.representative(records)
	earlier, today := g.days.split(records)
	if len(today) > 0 {
		g.chosen.groups++
		g.chosen.chains.compare(today, kept, g.groups)
		g.chosen.noteCrowd(records, kept, g.groups.Similarity)
	}
	if len(earlier) == 0 && g.members != nil && !g.c.Keep.IsNone() {
		g.members.add(records, kept)
	}
	for _, record := range today {
		g.chosen.removed[record-g.days.earlier()-1] = record != kept || g.c.Keep.IsNone()
		if g.chosen.kept != nil && record != kept {
			g.chosen.kept[record-1] = kept
		}
	}
	if err := g.days.record(records, &g.records.names); err != nil {
		return err
	}
	if w == nil {
		return nil
	}
	return w.write(g.cluster(records, kept))
}

func (g *grouping) cluster(records []uint64, kept uint64) cluster {
	c := cluster{Representative: g.records.names.Append(nil, kept)}
	sum := 0.
	for _, record := range records {
		if record != kept {
			c.Duplicates = append(c.Duplicates, g.records.names.Append(nil, record))
			sum += float64(g.groups.Similarity(kept, record))
		}
	}
	c.AvgSimilarity = math.Round(sum/float64(len(c.Duplicates))*1e4) / 1e4
	return c
}
