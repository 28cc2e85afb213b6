package index

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// deleteRecords deletes the records that a file names from an index. It reports names that the
// index does not have only after it has deleted the others.
func deleteRecords(ctx context.Context, c *config.Delete, std files.Streams) error {
	names, err := readNames(ctx, c.IDs, std)
	if err != nil {
		return err
	}
	err = run.OnIndex(std, c.Dir, c.CacheFlags, true, func(dir string) error {
		return deleteFrom(dir, c, names, std)
	})
	if err == nil {
		err = names.missing(c.Dir)
	}
	return err
}

// A nameSet maps the name of each wanted record to whether it was found.
type nameSet map[string]bool

// mostOfName is the maximum length of a name, in bytes.
const mostOfName = 1 << 20

// readNames reads a name from each line that is not empty.
func readNames(ctx context.Context, path string, std files.Streams) (nameSet, error) {
	src, err := files.OpenStoppable(ctx, path, std)
	if err != nil {
		return nil, err
	}
	names := nameSet{}
	err = names.read(src, streamName(path))
	return names, errors.Join(err, src.Close())
}

// read adds the names in src, which messages call file.
func (s nameSet) read(src io.Reader, file string) error {
	lines, number := bufio.NewScanner(src), 1
	lines.Buffer(nil, mostOfName)
	for ; lines.Scan(); number++ {
		line := lines.Bytes()
		name, ok := nameOf(line)
		if !ok {
			return fmt.Errorf("%s:%d: the line begins with a quote, but is not a JSON string: write the name without "+
				"quotes, or as the index does", file, number)
		}
		if len(line) > 0 {
			s[name] = false
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line has more than %s: give one name on each line", file, number,
			units.Bytes(mostOfName))
	}
	return lines.Err()
}

// streamName returns the name of a file in messages and in the journal.
func streamName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}

// nameOf returns a name without quotes: the text of a JSON string, and anything else unchanged.
func nameOf(text []byte) (name string, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return string(text), true
	}
	if last := len(text) - 1; last > 0 && text[last] == '"' && !bytes.ContainsAny(text[1:last], `"\`) {
		return string(text[1:last]), true
	}
	ok = json.Unmarshal(text, &name) == nil
	return name, ok
}

// want reports whether the record with a name, given as JSON, is wanted, and marks it as found.
func (s nameSet) want(text []byte) bool {
	name, _ := nameOf(text)
	_, wanted := s[name]
	if wanted {
		s[name] = true
	}
	return wanted
}

// A MissingError says which names an index does not have.
type MissingError struct{ text string }

func (e MissingError) Error() string { return e.text }

// shownNames is the maximum number of names that are listed.
const shownNames = 3

func (s nameSet) missing(index string) error {
	var missing []string
	for name, found := range s {
		if !found {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	first := strings.Join(missing[:min(len(missing), shownNames)], ", ")
	if len(missing) > shownNames {
		first += ", …"
	}
	return MissingError{fmt.Sprintf("%s has no record with %d of the %d names: %s", index, len(missing), len(s), first)}
}

// deleteFrom deletes records of the index in dir.
func deleteFrom(dir string, c *config.Delete, names nameSet, std files.Streams) (err error) {
	of, err := method.OpenToDelete(dir, c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, of.Close()) }()
	at, err := beforeDeletion(of.Index, dir, c.Dir)
	if err != nil {
		return err
	}
	found, err := of.Find(names.want)
	if err != nil {
		return err
	}
	if len(found.Records) == 0 {
		before := ""
		if found.Forgotten > 0 {
			before = fmt.Sprintf(": %s of the records were deleted before", units.Count(found.Forgotten))
		}
		return shown.Line(std.Out.Said(), "%s: nothing to delete%s", c.Dir, before)
	}
	if err := at.forget(of, found, streamName(c.IDs)); err != nil {
		return err
	}
	deleted, copies := uint64(len(found.Records)), ""
	if n := deleted - found.Entries; n > 0 {
		copies = fmt.Sprintf(", %s of them copies of others", units.Count(n))
	}
	return shown.Line(std.Out.Said(), "%s: %s deleted%s; they are in its log until mithril-stream index compact%s",
		c.Dir, units.Of(deleted, "record"), copies, at.undo())
}

// A deletion describes the last use of an index before records are deleted from it.
type deletion struct {
	dir      string
	at       index.Position
	last     run.State
	consumer bool
}

// beforeDeletion returns an error if the last run of the index is not complete, since that run,
// when resumed, would not find the index as it left it.
func beforeDeletion(store *index.Writer, dir, name string) (*deletion, error) {
	d := &deletion{dir: dir, at: store.Committed()}
	if d.consumer = kafka.StateOf(d.at) != nil; d.consumer {
		return d, nil
	}
	last, err := run.StateOf(d.at, dir)
	if err != nil || last == nil {
		return d, err
	}
	if d.last = *last; !last.Stats.Complete {
		return nil, fmt.Errorf("%s: its last run is not complete: run its command again with --resume, or give that "+
			"run up with mithril-stream index settle, and then delete", name)
	}
	store.KeepForUndo(method.UndoOf(dir, 1))
	return d, nil
}

// forget makes an index forget records, as a run of its own. The index of a consumer continues as
// if nothing had happened, since its commits are not runs.
func (d *deletion) forget(of *exact.Stored, found exact.Found, from string) error {
	number := uint64(0)
	if !d.consumer {
		number = d.last.LastRun + 1
	}
	err := of.Forget(found, number)
	if err != nil {
		return err
	}
	if d.consumer {
		return of.Index.Commit(d.at)
	}
	j, err := run.JournalOf(d.dir, &d.last)
	if err != nil {
		return err
	}
	j.Deletion(number, from, uint64(len(found.Records)))
	of.Index.Add(j)
	next := d.at
	if next.Meta, err = d.says(number); err == nil {
		err = of.Index.Commit(next)
	}
	return errors.Join(err, j.Close())
}

// says returns the metadata for the commit of the deletion.
func (d *deletion) says(number uint64) ([]byte, error) {
	return jsonout.Marshal(run.State{
		Stats: stream.Stats{
			Complete: true, Records: d.last.Stats.Records, Duplicates: d.last.Stats.Duplicates,
		},
		LastRun: number,
	})
}

// undo returns the end of a message, which says how to undo the deletion.
func (d *deletion) undo() string {
	if d.consumer {
		return ""
	}
	return ", and index undo takes it back until then"
}
