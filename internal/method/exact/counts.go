package exact

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An index that counts its groups does so from its first record on: every run, consumer and program
// that adds to it continues to count, and none can begin later.

// countGroups counts the groups of records, if the run or the index asks for it.
func (o *Opening) countGroups(m *Memory) error {
	asked, dir := o.Method.Memory.Counting, o.Method.Memory.Index
	switch {
	case m.Counts == nil && asked == nil:
		return nil
	case m.Counts == nil && m.writer != nil && m.Index.Stats().Records > 0:
		flag, _, _ := strings.Cut(asked.String(), " ")
		return usage.Error(fmt.Errorf("%s was begun without %s, and does not know the groups of its records: "+
			"leave %s out, or begin a new index with it", dir, flag, flag))
	case m.Counts == nil:
		m.Counts = counts.New(*asked)
	case asked == nil && !m.Counts.Selection().CanContinueAs(counts.Selection{}),
		asked != nil && !m.Counts.Selection().CanContinueAs(*asked):
		return usage.Error(fmt.Errorf("%s has counted its groups from its first record on, and goes on only with %s",
			dir, m.Counts.Selection()))
	case len(o.Method.Memory.Against) > 0:
		return usage.Error(fmt.Errorf("%s counts its groups, and what resembles a record of --against is in none: "+
			"leave --against out", dir))
	}
	if m.writer != nil {
		m.Counts.NoteTo(m.log.Note)
	}
	return nil
}

// Observe remembers the name of a record, and counts it in its group. The counted fields are the
// first ones of d.Fields.
func (m *Memory) Observe(d *stream.Decided) error {
	if err := m.Names.Observe(d); err != nil || m.Counts == nil {
		return err
	}
	original := uint64(0)
	if d.Verdict.Duplicate {
		original = d.Verdict.Original
	}
	return m.Counts.Add(original, d.Fields)
}

// Flush does nothing.
func (*Memory) Flush() error { return nil }

// loadNote reads a note of the log.
func (d *Described) loadNote(note []byte) (err error) {
	if counts.IsNote(note) {
		d.Counts, err = counts.Load(d.Counts, note)
		return err
	}
	return d.Names.Load(note)
}

// checkLoaded returns an error unless the notes of a log are about exactly that many records.
func (d *Described) checkLoaded(records uint64) error {
	err := d.Names.Check(records)
	if err == nil && d.Counts != nil && d.Counts.Records() != records {
		err = fmt.Errorf("%w: it has %d records and the groups of %d", memory.ErrCorrupt, records, d.Counts.Records())
	}
	return err
}

// checkCommit returns an error unless exactly that many records are described, all that a commit
// will count.
func (d *Described) checkCommit(records uint64) error {
	err := memory.CheckCommit(records, d.Names.Records(), "names")
	if err == nil && d.Counts != nil {
		err = memory.CheckCommit(records, d.Counts.Records(), "groups")
	}
	return err
}

// note writes to the log what is known about records besides their sketches.
func (d *Described) note() error {
	err := d.Names.Note()
	if d.Counts != nil {
		err = errors.Join(err, d.Counts.Note())
	}
	return err
}
