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

// groupMembers are the groups of kept records, for what --annotate adds to these and how often they
// are written. It takes 4 bytes for each record of a group and 12 for each group, beside the values
// of --count-by.
type groupMembers struct {
	names  *memory.Names
	fields []string        // of --count-by
	values []counts.Values // of each of them

	groups  []keptGroup // from the first kept record on, once all are found
	members []uint32    // of one group after the other, in their order, from 0
	next    int         // the first group whose kept record was not passed yet
	before  uint64      // records of earlier days, which names count too

	by [][]counts.Count // scratch

	resample config.ResampleFlags
	written  uint64 // records, repeats included
	leftOut  uint64 // records for the size or the sources of their groups
}

// A keptGroup is the members [start, end) and the one that is kept. All are numbered from 0.
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

// added are the members as the stream adds them.
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

// add takes in a group, whose records are numbers from 1, in their order; none is of an
// earlier day.
func (m *groupMembers) add(records []uint64, kept uint64) {
	kept -= m.before
	start := len(m.members)
	for _, record := range records {
		m.members = append(m.members, uint32(record-m.before-1))
	}
	m.groups = append(m.groups, keptGroup{uint32(kept - 1), uint32(start), uint32(len(m.members))})
}

// found is called when all groups were added.
func (m *groupMembers) found() {
	slices.SortFunc(m.groups, func(a, b keptGroup) int { return cmp.Compare(a.kept, b.kept) })
}

// of returns the group of a kept record, numbered from 1: itself if it is in none. Kept records
// come in order.
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

// append appends the members of a record: those of its group, or of itself if it is in none.
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

// beyond is how many values are not told apart.
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
