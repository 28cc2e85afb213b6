package exact

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A Description of an exact memory is what the directory of its index says about it.
type Description struct {
	All      []bloomlsh.Parameter // its parameters
	Bands    int
	Identity []bloomlsh.Parameter // those of All that say how its sketches were made
	Kind     *Kind
}

// Merge makes the union of exact memories, which are of the kind of the first one. It writes a
// log of all entries, one directory after the other, and commits it. An interrupted merge has
// committed nothing and can be repeated.
func Merge(
	dirs []string, stored Description, output string, maxMemory uint64, describe func(State) ([]byte, error),
) (err error) {
	if maxMemory > 0 {
		if err := stored.Kind.Limit(maxMemory); err != nil {
			return err
		}
	}
	logs, sources, err := openLogs(dirs, &stored)
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
	file, err := w.CreateLog(State{}.logName())
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
type unionSection struct{ state State }

// Name implements index.Section.
func (*unionSection) Name() string { return sectionName }

// State implements index.Section.
func (u *unionSection) State() ([]byte, error) { return jsonout.Marshal(u.state) }

// A committedLog is the log of a directory, as of its last commit.
type committedLog struct {
	file  *index.File // nil if it has no records
	bytes int64
	State
}

// Close closes the log.
func (l committedLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// openLogs opens the logs of indexes with the same parameters, and reduces like to what all of them
// have. sources identifies these indexes.
func openLogs(dirs []string, like *Description) (logs []committedLog, sources []byte, err error) {
	entries := uint64(0)
	for _, dir := range dirs {
		var source []byte
		var parameters []bloomlsh.Parameter
		l, err := index.Open(index.System, dir, func(from *index.Snapshot) (l committedLog, err error) {
			if err := checkAsked(from, like.Bands, like.Identity); err != nil {
				return l, err
			}
			source, parameters = from.Source(), from.Parameters()
			if l.State, err = StateIn(from.Committed(), dir); err == nil {
				l.file, l.bytes, err = openRecords(from, l.State)
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
	return logs, sources, like.Kind.CheckRoom(entries, like.Kind.Entries+" of all indexes")
}

// writeUnion writes a log with the contents of all logs, and returns its length.
func writeUnion(
	to *index.Log, logs []committedLog, kind *Kind, dir string,
) (state State, length int64, err error) {
	x, err := memory.Load(kind.Begin, dir, to, 0, nil)
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
			return state, 0, damaged(l.file.Name(), err)
		}
	}
	if union.counts != nil {
		if err := union.counts.Note(); err != nil {
			return state, 0, err
		}
	}
	state = stateFrom(x.Stats())
	if union.counts != nil {
		state.Counted = union.counts.Selection().String()
	}
	length, err = x.Flush()
	return state, length, err
}
