package groups

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/stream"
)

// groupMembers holds the groups of kept records. It determines what --annotate adds to these
// records, and how often they are written. It takes 4 bytes for each record of a group and 12 for
// each group, in addition to the values of --count-by.
type groupMembers struct {
	names  *memory.Names
	fields []string        // of --count-by
	values []counts.Values // of each of them

	groups  []keptGroup // ordered by their kept records, once all are found
	members []uint32    // of one group after the other, in their order, from 0
	next    int         // the first group whose kept record has not been passed yet
	before  uint64      // number of records of earlier days, which names include

	by [][]counts.Count // scratch

	resample config.ResampleFlags
	written  uint64 // records, repeats included
	leftOut  uint64 // records left out for the size or the sources of their groups
}

// A keptGroup is a group with the members [start, end) and the record that is kept. All are
// numbered from 0.
type keptGroup struct{ kept, start, end uint32 }

// checkOutput refuses, before anything is read, an output whose records cannot have members.
func checkOutput(ctx context.Context, g *grouping, std files.Streams) error {
	c := g.c.Filter
	paths, err := std.Paths(c.Input.Paths)
	if err != nil {
		return err
	}
	source, err := formats.Choose(ctx, run.RequestOf(&c, paths), std)
	if err != nil {
		return err
	}
	return source.Close()
}

// added describes the members that the stream is to add.
func (m *groupMembers) added() *stream.Members {
	names := []string{"mithril_group", "mithril_group_size"}
	if len(m.fields) > 0 {
		names = append(names, "mithril_group_by")
	}
	return &stream.Members{Names: names, Append: m.append}
}

// Observe notes the values of a record.
func (m *groupMembers) Observe(d *stream.Decided) error {
	var errs []error
	for i := range m.values {
		errs = append(errs, m.values[i].Add(d.Fields[i]))
	}
	return errors.Join(errs...)
}

// add adds a group. Its records are numbered from 1, in order, and none is of an earlier day.
func (m *groupMembers) add(records []uint64, kept uint64) {
	kept -= m.before
	start := len(m.members)
	for _, record := range records {
		m.members = append(m.members, uint32(record-m.before-1))
	}
	m.groups = append(m.groups, keptGroup{uint32(kept - 1), uint32(start), uint32(len(m.members))})
}

// found is called when all groups have been added.
func (m *groupMembers) found() {
	slices.SortFunc(m.groups, func(a, b keptGroup) int { return cmp.Compare(a.kept, b.kept) })
}

// of returns the group of a kept record, numbered from 1, or the record alone if it is in no group.
// It must be called for kept records in order.
func (m *groupMembers) of(record uint64) []uint32 {
	at := uint32(record - 1)
	for m.next < len(m.groups) && m.groups[m.next].kept < at {
		m.next++
	}
	if m.next < len(m.groups) && m.groups[m.next].kept == at {
		return m.members[m.groups[m.next].start:m.groups[m.next].end]
	}
	return []uint32{at}
}

// times returns how often to write a kept record.
func (m *groupMembers) times(record uint64, _ *stream.Decided) (int, error) {
	members, sources := m.of(record), 0
	if m.resample.MinSources > 0 {
		for _, c := range m.values[0].Of(members) {
			if c.Value != "" {
				sources++
			}
		}
	}
	times := m.resample.Times(uint64(len(members)), sources)
	if m.written += uint64(times); times == 0 {
		m.leftOut++
	}
	return times, nil
}

// append appends the members to a record: those of its group, or of itself if it is in no group.
func (m *groupMembers) append(dst []byte, record uint64) []byte {
	members := m.of(record)
	dst = m.names.Append(append(dst, `"mithril_group":`...), m.before+uint64(members[0])+1)
	dst = strconv.AppendInt(append(dst, `,"mithril_group_size":`...), int64(len(members)), 10)
	if len(m.fields) == 0 {
		return dst
	}
	m.by = m.by[:0]
	for i := range m.values {
		m.by = append(m.by, m.values[i].Of(members))
	}
	return counts.AppendBy(append(dst, `,"mithril_group_by":`...), m.fields, m.by)
}

// beyond returns how many values are not distinguished.
func (m *groupMembers) beyond() (values uint64) {
	for i := range m.values {
		values += m.values[i].Overflow()
	}
	return values
}

func (m *groupMembers) close() error {
	if m == nil {
		return nil
	}
	var errs []error
	for i := range m.values {
		errs = append(errs, m.values[i].Close())
	}
	return errors.Join(errs...)
}
