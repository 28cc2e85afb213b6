package method

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// Merge makes the union of indexes, of Bloom filters or of exact memories. describe returns the
// state that the commit of a union of exact memories has for its numbers of records and duplicates.
//
// The union is written to the directory output. maxMemory bounds the memory that exact memories use
// for it, in bytes; 0 means no limit.
func Merge(dirs []string, output string, maxMemory uint64, describe func(ExactState) ([]byte, error)) error {
	exact := false
	for _, dir := range dirs {
		kind, err := identity.MemoryOf(dir)
		switch {
		case err != nil:
			return err
		case kind == spec.MemoryAuto:
			return fmt.Errorf("%s is of --memory auto and cannot be merged: a part of what it has seen may be "+
				"known to filters only, which cannot name originals in the union", dir)
		}
		switch forgets, err := forgetsIn(dir); {
		case err != nil:
			return err
		case forgets && kind != spec.MemoryBloom:
			return fmt.Errorf("%s: it forgets, and its generations end at times of their own: name it with --against "+
				"instead", dir)
		}
		exact = exact || kind != spec.MemoryBloom
	}
	switch {
	case !exact && maxMemory > 0:
		return usage.Error(errors.New("--max-memory is for indexes of --memory exact"))
	case !exact:
		return bloomlsh.Merge(dirs, output)
	}
	return mergeExact(dirs, output, maxMemory, describe)
}

// mergeExact writes a log of all entries, one directory after the other, and commits it. An
// interrupted merge has committed nothing and can be repeated.
func mergeExact(
	dirs []string, output string, maxMemory uint64, describe func(ExactState) ([]byte, error),
) (err error) {
	stored, err := ReadStored(dirs[0], nil)
	if err == nil && maxMemory > 0 {
		err = stored.Kind.Limit(maxMemory)
	}
	if err != nil {
		return err
	}
	logs, sources, err := openLogs(dirs, stored)
	defer func() {
		for _, l := range logs {
			err = errors.Join(err, l.Close())
		}
	}()
	if err != nil {
		return err
	}
	w, err := index.OpenMerge(index.System, output, sources)
	if w == nil || err != nil {
		return err
	}
	u := &unionSection{}
	w.Add(u)
	file, err := w.CreateLog(ExactState{}.logName())
	if err == nil {
		var length int64
		if u.state, length, err = writeUnion(file, logs, stored.Kind, output); err == nil {
			file.EndAt(length)
		}
	}
	var meta []byte
	if err == nil {
		meta, err = describe(u.state)
	}
	if err != nil {
		return errors.Join(err, w.Abandon())
	}
	err = w.Create(stored.All, index.NoBase{}, index.Position{Records: u.state.Records, Meta: meta})
	return errors.Join(err, w.Close())
}

// A unionSection is the exact memory of a union.
type unionSection struct{ state ExactState }

// Name implements index.Section.
func (*unionSection) Name() string { return exactSection }

// State implements index.Section.
func (u *unionSection) State() ([]byte, error) { return jsonout.Marshal(u.state) }

// A committedLog is the log of a directory, as of its last commit.
type committedLog struct {
	file  *index.File // nil if it has no records
	bytes int64
	ExactState
}

// Close closes the log.
func (l committedLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// openLogs opens the logs of indexes with the same parameters, and restricts like to what all of
// them have. sources identifies these indexes.
func openLogs(dirs []string, like *storedMemory) (logs []committedLog, sources []byte, err error) {
	entries := uint64(0)
	for _, dir := range dirs {
		var source []byte
		var parameters []bloomlsh.Parameter
		l, err := index.Open(index.System, dir, func(from *index.Snapshot) (l committedLog, err error) {
			if err := checkAsked(from, like.Bands, like.Identity); err != nil {
				return l, err
			}
			source, parameters = from.Source(), from.Parameters()
			if l.ExactState, err = ExactOf(from.Committed(), dir); err == nil {
				l.file, l.bytes, err = openRecords(from, l.ExactState)
			}
			return l, err
		})
		if err != nil {
			return logs, nil, err
		}
		entries += l.Signatures
		logs, sources = append(logs, l), append(sources, source...)
		like.All = index.Agreed(like.All, parameters)
	}
	return logs, sources, like.Kind.checkRoom(entries, like.Kind.entries+" of all indexes")
}

// writeUnion writes a log with the contents of all logs, and returns its length.
func writeUnion(
	to *index.Log, logs []committedLog, kind *ExactKind, dir string,
) (state ExactState, length int64, err error) {
	x, err := memory.Load(kind.begin, dir, to, 0, nil)
	if err != nil {
		return state, 0, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	union := unionCounts{to: x}
	defer func() { err = errors.Join(err, union.counts.Close()) }()
	for _, l := range logs {
		if l.file == nil {
			continue
		}
		if err := union.absorb(l); err != nil {
			return state, 0, damagedExact(l.file.Name(), err)
		}
	}
	if union.counts != nil {
		if err := union.counts.Note(); err != nil {
			return state, 0, err
		}
	}
	state = stateOf(x.Stats())
	if union.counts != nil {
		state.Counted = union.counts.Selection().String()
	}
	length, err = x.Flush()
	return state, length, err
}
