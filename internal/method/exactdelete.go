package method

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Stored is an exact memory in a directory that is written to otherwise than by a run. Its
// records are not loaded.
type Stored struct {
	Store *bloomlsh.Store // has the lock
	dir   *store.Dir
	kind  *ExactKind
	exact ExactCommit
}

// OpenToDelete opens the memory of the index in dir, which the user calls by a name. Bloom filters
// are refused.
func OpenToDelete(dir, name string) (*Stored, error) {
	kind, err := memoryOf(dir)
	if err != nil {
		return nil, err
	}
	if kind == spec.MemoryAuto {
		return nil, fmt.Errorf("%s is of --memory auto, whose Bloom filters take the place of the records and cannot "+
			"forget one alone: records can be deleted from an index of --memory exact", name)
	}
	if kind == spec.MemoryBloom {
		return nil, fmt.Errorf("%s has Bloom filters, which cannot forget a record alone: build it anew without the "+
			"records, as in mithril-stream sketch REST -o rest.sketch && mithril-stream dedup --index NEW "+
			"rest.sketch; or have old records forgotten (--forget-after), or use --memory exact, from which "+
			"records can be deleted",
			name)
	}
	stored, err := ReadStored(dir, nil)
	if err != nil {
		return nil, err
	}
	index, err := bloomlsh.Open(dir, stored.Params, stored.Identity)
	if err != nil {
		return nil, err
	}
	s := &Stored{Store: index, kind: stored.Kind}
	if s.exact, err = exactCommitOf(index.Committed(), dir); err == nil {
		s.dir, err = dirOf(index, dir)
	}
	if err == nil {
		err = s.exact.logs().FinishUndo(s.dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the index.
func (s *Stored) Close() error {
	err := s.Store.Close()
	if s.dir != nil {
		err = errors.Join(err, s.dir.Close())
	}
	return err
}

// Found is what a memory knows of records that somebody has named.
type Found struct {
	Records   []uint64 // those that it has not forgotten yet, in their order
	Entries   uint64   // of these, those that are remembered by themselves, and not as copies of others
	Forgotten uint64   // how many it has forgotten before

	areCounted bool // the groups of its records are
}

// Find looks for the records whose names are wanted. Wanted is asked about each name, as JSON.
func (s *Stored) Find(wanted func(name []byte) bool) (found Found, err error) {
	if s.exact.Bytes == 0 {
		return found, nil
	}
	var names memory.Names
	var known memory.Numbers
	if w := s.exact.Windows; w != nil {
		known, err = windows.Numbers(s.dir, s.kind.begin, &names, w, s.exact.Records, s.exact.Signatures)
		err = advised(err)
	} else {
		known, found.areCounted, err = s.numbers(&names)
	}
	if err != nil {
		return found, err
	}
	names.Each(func(record uint64, name []byte) {
		if !wanted(name) {
			return
		}
		if _, isGone := known.Forgotten[record]; isGone {
			found.Forgotten++
			return
		}
		found.Records = append(found.Records, record)
		if _, has := slices.BinarySearch(known.Entries, record); has {
			found.Entries++
		}
	})
	return found, nil
}

// numbers reads which records the log has, with their names, and whether their groups are counted.
func (s *Stored) numbers(names *memory.Names) (known memory.Numbers, areCounted bool, err error) {
	file, err := s.dir.Open(s.exact.logName())
	if err != nil {
		return known, false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	x, err := s.kind.begin("")
	if err != nil {
		return known, false, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	known, err = x.ReadNumbers(file, s.exact.Bytes, func(note []byte) error {
		if counts.IsNote(note) {
			areCounted = true
			return nil
		}
		return names.Load(note)
	})
	if err == nil {
		err = names.Check(s.exact.Records)
	}
	if err != nil {
		err = damagedExact(file.Name(), err)
	}
	return known, areCounted, err
}

// Forget notes in the log that a run forgets records that were found, also in the groups that are
// counted, and returns what a commit is to say of it. Until that is made, nothing has changed. The
// run is 0 where there are no runs, as with a consumer.
func (s *Stored) Forget(found Found, run uint64) (committed ExactCommit, err error) {
	committed = s.exact
	if w := s.exact.Windows; w != nil {
		var entries uint64
		if committed.Windows, entries, err = windows.Forget(s.dir, s.kind.begin, w, found.Records); err != nil {
			return committed, advised(err)
		}
		committed.Bytes, committed.Deleted = committed.Windows.Bytes(), committed.Windows.Deleted()
		committed.Signatures -= entries
		return committed, nil
	}
	file, err := s.dir.OpenForWriting(s.exact.logName())
	if err != nil {
		return committed, err
	}
	var notes [][]byte
	if found.areCounted {
		notes = counts.DeletionNotes(s.exact.Records, run, found.Records)
	}
	committed.Bytes, err = memory.Forget(file, s.exact.Bytes, found.Records, notes)
	committed.Signatures -= found.Entries
	committed.Deleted += uint64(len(found.Records))
	return committed, errors.Join(err, file.Close())
}

// Rewrite writes a new log without deleted records, beside the current one, and returns what to
// commit. After that commit RemoveOthers removes the other log.
func (s *Stored) Rewrite(maxMemory uint64) (committed ExactCommit, err error) {
	if maxMemory > 0 {
		if err := s.kind.Limit(maxMemory); err != nil {
			return committed, err
		}
	}
	if err := s.kind.checkRoom(s.exact.Signatures, s.kind.entries+" that it has"); err != nil {
		return committed, err
	}
	if w := s.exact.Windows; w != nil {
		committed = s.exact
		committed.Windows, err = windows.Rewrite(s.dir, s.kind.begin, w, s.exact.Records, s.exact.Signatures)
		if err != nil {
			return committed, advised(err)
		}
		committed.Bytes, committed.Deleted = committed.Windows.Bytes(), 0
		return committed, nil
	}
	next := ExactCommit{Rewritten: s.exact.Rewritten + 1}
	err = s.dir.Derive(s.exact.logName(), next.logName(), func(from, to *store.File) (err error) {
		committed, err = writeUnion(to, []committedLog{{from.File, s.exact}}, s.kind, s.dir.Path())
		return err
	})
	if err != nil {
		return committed, err
	}
	committed.Rewritten = next.Rewritten
	return committed, s.dir.Sync()
}

// RemoveOthers removes the logs that a commit does not depend on.
func (s *Stored) RemoveOthers(committed ExactCommit) error {
	return committed.logs().RemoveOthers(s.dir)
}

// HasLog reports whether the index in dir has a log of an exact memory.
func HasLog(dir string) (bool, error) {
	kind, err := memoryOf(dir)
	return kind != spec.MemoryBloom, err
}

// WithExact is what a commit says, with something else about the log.
func WithExact(meta []byte, committed ExactCommit) ([]byte, error) {
	said := map[string]json.RawMessage{}
	if len(meta) > 0 {
		if err := json.Unmarshal(meta, &said); err != nil {
			return nil, err
		}
	}
	log, err := jsonout.Marshal(committed)
	if err != nil {
		return nil, err
	}
	said[exactMember] = log
	return jsonout.Marshal(said)
}
