package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A resampling is the task of following flags, and also repeating records or leaving them out by
// what a file says about their groups.
type resampling struct {
	run.Task
	c      *config.Apply
	groups map[xxh3.Uint128]countedGroup // by the hash of the name of the kept record

	name    []byte // scratch
	found   int    // groups whose kept record was read
	written uint64 // records, repeats included
	leftOut uint64 // records left out for the table or the sources
}

// A countedGroup says how often the kept record is to be written.
type countedGroup struct {
	times   uint16
	isFound bool // the kept record was read
}

// runApply copies the records that the flags keep.
func runApply(ctx context.Context, c *config.Apply, std files.Streams) error {
	r, err := newResampling(ctx, c, run.TaskOf(&c.Filter), std)
	if err != nil {
		return err
	}
	if err := run.Filter(ctx, &c.Filter, r, std); err != nil || c.Filter.Output.Quiet {
		return err
	}
	r.note(std.Err)
	return nil
}

// newResampling reads the file of --counts.
func newResampling(ctx context.Context, c *config.Apply, of run.Task, std files.Streams) (*resampling, error) {
	r := &resampling{Task: of, c: c, groups: map[xxh3.Uint128]countedGroup{}}
	return r, eachCountLine(ctx, c.Counts, c.Filter.Input.MaxWindow, std, r.add)
}

// add adds a line. The last one about a record counts.
func (r *resampling) add(line []byte) error {
	var group struct {
		ID   json.RawMessage              `json:"id"`
		Size uint64                       `json:"size"`
		By   map[string]map[string]uint64 `json:"by"`
	}
	if json.Unmarshal(line, &group) != nil || !isName(group.ID) || group.Size == 0 {
		return errors.New("it does not describe a group: give the file that mithril-stream --counts FILE.jsonl wrote")
	}
	sources := 0
	if r.c.Resample.MinSources > 0 {
		if len(group.By) != 1 {
			return fmt.Errorf("it counts the values of %s, and --min-sources needs one: run with one --count-by FIELD",
				units.Of(uint64(len(group.By)), "field"))
		}
		for _, values := range group.By {
			sources = len(values)
			if _, unknown := values[""]; unknown {
				sources--
			}
		}
	}
	times := r.c.Resample.Times(group.Size, sources)
	r.groups[nameHash(group.ID)] = countedGroup{times: uint16(times)}
	return nil
}

// isName reports whether a JSON value can name a record: it is a string or a number.
func isName(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// nameHash returns the same hash for equal names, however their strings are written.
func nameHash(name []byte) xxh3.Uint128 {
	var text string
	if name[0] == '"' && json.Unmarshal(name, &text) == nil {
		return xxh3.HashString128(`"` + text)
	}
	return xxh3.Hash128(name)
}

// Method returns a method that follows the flags and says how often to write what they keep.
func (r *resampling) Method(ctx context.Context, c *config.Filter, from *run.Source) (*run.Method, error) {
	if err := from.CheckFields("--id", c.Input.ID); err != nil {
		return nil, err
	}
	m, err := r.Task.Method(ctx, c, from)
	if err != nil {
		return nil, err
	}
	m.Needs.SinkData.ID, m.Repeat = c.Input.ID, r.times
	flagsEnd := m.Calls.End
	m.Calls.End = func(to *run.Outputs) error { return errors.Join(flagsEnd(to), r.missing()) }
	return m, nil
}

// times returns how often to write a record. A record without a group is a group of its own.
func (r *resampling) times(_ uint64, d *stream.Decided) (int, error) {
	r.name = memory.AppendName(r.name[:0], d)
	key := nameHash(r.name)
	group, ok := r.groups[key]
	switch {
	case !ok:
		group.times = uint16(r.c.Resample.Times(1, 1))
	case group.isFound:
		return 0, fmt.Errorf("an earlier record is called %s too: give --id a field that tells them apart", r.name)
	default:
		group.isFound = true
		r.groups[key] = group
		r.found++
	}
	if r.written += uint64(group.times); group.times == 0 {
		r.leftOut++
	}
	return int(group.times), nil
}

// missing returns an error if the counts are about other records. Most likely their names come from
// another field.
func (r *resampling) missing() error {
	if len(r.groups) == 0 || r.found > 0 {
		return nil
	}
	return fmt.Errorf("no kept record has a name that is in %s: give the inputs by the same names, and the same --id, "+
		"as in the run that wrote it", r.c.Counts)
}

// note reports what was done.
func (r *resampling) note(to io.Writer) {
	shown.Notice(to, "%s", run.ResampledNote(r.written, r.leftOut))
	if n := len(r.groups) - r.found; n > 0 {
		shown.Notice(to, "%s in %s are not about records kept here", units.Of(uint64(n), "group"), r.c.Counts)
	}
}
