package groups

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/written"
	"github.com/mithril-stream/mithril-stream/stream"
)

// groupDays are the days of an index of groups, and the day that is being added. The groups of
// earlier days continue (memory.Groups), so the result equals that of one run over all days.
//
// A group keeps its first record, which has left the program with its day. So a later record of the
// group is removed, and a record that joins two groups leaves both with the record they kept.
// --merged lists those that no longer represent a group.
//
// A day whose records are already in the index is repeated if it replaces the records it kept: only
// the days before it count, and the index does not change (I7). Otherwise it is another day, all of
// whose records have been seen.
type groupDays struct {
	dayIndex
	files dayFiles

	groups  memory.Groups
	past    *days.Earlier // the records of earlier days
	today   *days.Writer
	content *xxh3.Hasher // of the current day
	bytes   []byte       // scratch
	packed  []uint64     // scratch
	merges  dayMerges
}

// dayIndex is the index with the records of earlier days.
type dayIndex struct {
	index     *index.Writer
	section   days.Section
	committed []days.Day
	repeated  bool // the current day repeats one of these
	place     written.Place
}

// dayMerges are the records of earlier days that no longer represent a group.
type dayMerges struct {
	before uint64          // number of records of earlier days
	joined map[uint64]bool // those that represent no group
	newly  []uint64        // records that represent no group from this day on
	to     *mergedWriter   // nil without --merged
	told   bool            // something was written to it
}

// openDays opens the index, and begins a day.
func openDays(g *grouping, c *config.Filter, from *run.Source) (d *groupDays, err error) {
	d = &groupDays{groups: g.groups, content: xxh3.New()}
	d.merges.joined = map[uint64]bool{}
	if d.index, err = exact.OpenGroups(g.c.Index, c.Method, from.Keys); err != nil {
		return nil, err
	}
	of := d.index
	defer func() {
		if err != nil {
			err = errors.Join(err, of.Discard())
		}
	}()
	if d.committed, err = days.Of(of.LastCommit(), of.Path()); err != nil {
		return nil, err
	}
	d.section.Days = d.committed
	of.Add(&d.section)
	of.KeepForUndo(method.UndoOf(of.Path(), 1))
	for _, path := range from.Paths {
		contents, err := from.Std.ContentsOf(path)
		if err != nil {
			return nil, fmt.Errorf("look at %s, to see whether the index has read it before: %w",
				files.InputName(path), err)
		}
		d.content.WriteString(contents + "\n")
	}
	d.place = files.PlaceOf(d.index.Path(), d.index.Path())
	d.files = dayFiles{kept: dayFile{path: g.c.Filter.Output.Output}, merged: dayFile{path: g.c.Merged}, std: from.Std}
	for _, path := range g.c.Written() {
		if path != "" {
			d.files.all = append(d.files.all, path)
		}
	}
	if err = d.files.begin(); err != nil {
		return nil, err
	}
	if d.today, err = days.Create(d.index, len(d.committed)+1); err != nil {
		return nil, err
	}
	g.records.names.NoteTo(d.today.Note)
	return d, nil
}

// add adds the next record of the day. The sketch is empty if it has none.
func (d *groupDays) add(sketch []uint64, length uint32) error {
	d.bytes = slices.Grow(d.bytes[:0], 4+8*len(sketch))[:4+8*len(sketch)]
	binary.LittleEndian.PutUint32(d.bytes, length)
	for i, word := range sketch {
		binary.LittleEndian.PutUint64(d.bytes[4+8*i:], word)
	}
	d.content.Write(d.bytes)
	if d.packed = d.packed[:0]; len(sketch) > 0 {
		d.packed = d.groups.Pack(d.packed, sketch)
	}
	if err := d.groups.AddPacked(d.packed); err != nil {
		return err
	}
	return d.today.Add(d.packed)
}

// Observe makes records with other names count as other contents. It is a stream.SinkFunc.
func (d *groupDays) Observe(of *stream.Decided) error {
	d.content.Write(of.ID)
	d.content.WriteString("\n")
	return nil
}

// load places the records of earlier days before those of the current day. names holds the names of
// the latter, and afterwards those of all.
func (d *groupDays) load(names *memory.Names, errs files.Streams, quiet bool) error {
	if err := names.Note(); err != nil {
		return err
	}
	before, err := d.chooseRepeated(errs)
	if err != nil {
		return err
	}
	if d.repeated && !quiet {
		shown.Notice(errs.Err, "%s has these records as those of day %d: that day is repeated", d.index.Path(),
			len(before)+1)
	}
	if err := d.protect(len(before)); err != nil {
		return err
	}
	all := memory.Names{WithIDs: names.WithIDs}
	var pairs []memory.Join
	d.past = days.NewEarlier(d.index, before, days.Contents{
		Names: func(note []byte) error { return all.LoadAfter(note, d.past.Read()) },
		Joined: func(record uint64) error {
			d.merges.joined[record] = true
			return nil
		},
		Pair: func(pair memory.Join) error {
			pairs = append(pairs, pair)
			return nil
		},
	})
	if all.WithIDs {
		all.Grow(d.past.Packed().Records() + int(d.today.Records()))
	}
	if err := d.groups.Follow(d.past.Packed(), d.today.Each); err != nil {
		return err
	}
	if err := d.groups.Settle(pairs); err != nil {
		return fmt.Errorf("%s: %w: restore the index from a copy, or group all days anew", d.index.Path(), err)
	}
	d.merges.before = d.past.Read()
	all.Extend(names)
	*names = all
	return nil
}

// split divides the records of a group into those of earlier days and those of the current day. A
// nil *groupDays has no earlier days.
func (d *groupDays) split(records []uint64) (earlier, today []uint64) {
	if d == nil {
		return nil, records
	}
	at, _ := slices.BinarySearch(records, d.merges.before+1)
	return records[:at], records[at:]
}

// earlier returns the number of records of earlier days.
func (d *groupDays) earlier() uint64 {
	if d == nil {
		return 0
	}
	return d.merges.before
}

// record notes which records of a group represent no group from this day on, and reports merged
// groups. The first record represents the group.
func (d *groupDays) record(records []uint64, names *memory.Names) error {
	if d == nil {
		return nil
	}
	_, today := d.split(records)
	var merged []uint64
	for _, record := range records[1:] {
		if record > d.merges.before {
			d.merges.newly = append(d.merges.newly, record)
		} else if !d.merges.joined[record] {
			merged = append(merged, record)
		}
	}
	d.merges.newly = append(d.merges.newly, merged...)
	if len(merged) == 0 || d.merges.to == nil {
		return nil
	}
	d.merges.told = true
	return d.merges.to.write(mergedGroup{
		Group: names.Append(nil, records[0]), Merged: namesOf(names, merged), By: namesOf(names, today),
	})
}

func namesOf(names *memory.Names, records []uint64) (list []json.RawMessage) {
	for _, record := range records {
		list = append(list, names.Append(nil, record))
	}
	return list
}

// commit commits the day, with that many kept records. A repeated day is already committed.
func (d *groupDays) commit(kept uint64) error {
	if d == nil || d.repeated {
		return nil
	}
	slices.Sort(d.merges.newly)
	if err := errors.Join(d.today.Joined(d.merges.newly), d.today.Pairs(d.groups.Joins())); err != nil {
		return err
	}
	records := d.today.Records()
	day := days.Day{Records: records, Kept: kept, Content: d.content.Sum64(), Place: d.place}
	var err error
	if day.Written, err = d.files.written(d.files.kept); err != nil {
		return err
	}
	if d.merges.told {
		if day.Merged, err = d.files.written(d.files.merged); err != nil {
			return err
		}
	}
	d.section.Days = append(slices.Clip(d.committed), day)
	meta, err := jsonout.Marshal(run.State{
		Stats:   stream.Stats{Records: records, Duplicates: records - kept, Complete: true},
		LastRun: uint64(len(d.section.Days)), NoJournal: true,
	})
	if err != nil {
		return err
	}
	if err := d.index.Commit(index.Position{Meta: meta}); err != nil {
		return err
	}
	d.committed = d.section.Days
	return nil
}

// close discards the day unless it is committed, and closes the index. An index without a day is
// discarded, too, so that a first run that was refused does not bind the next one to its options.
func (d *groupDays) close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.past != nil {
		err = d.past.Close()
	}
	return errors.Join(err, d.index.Discard())
}
