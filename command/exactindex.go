package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/fsync"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/memory"
)

// An exact memory in a directory is an index whose Bloom filters stay empty, with a log of
// signatures beside it. The index has the lock, the parameters and the commits; each commit says
// how long the log was then. So the log is like an output of the run: it is flushed before the
// commit, and what is after the committed length does not count.

// exactLogName is the name of the log in the directory.
const exactLogName = "exact"

// exactParameter tells an index with such a log from others.
var exactParameter = bloomlsh.Parameter{Name: memoryParameter, Value: config.MemoryExact}

const memoryParameter = "memory"

// memoryBloom is the memory of an index without that parameter.
const memoryBloom = "bloom"

// setsParameter tells an index whose log has sets of shingles from others.
var setsParameter = bloomlsh.Parameter{Name: "verify", Value: config.VerifyText}

// exactIdentity is that of an exact memory for band keys of an identity.
func exactIdentity(keys []bloomlsh.Parameter, sets bool) []bloomlsh.Parameter {
	identity := append(slices.Clone(keys), exactParameter)
	if sets {
		identity = append(identity, setsParameter)
	}
	return identity
}

// openExact opens the memory of that identity that is kept in a directory.
func (f *filterRun) openExact(identity []bloomlsh.Parameter, kind exactKind) (err error) {
	m, dir := f.exact, f.c.Index.Index
	if m.store = f.memory.durable(); m.store == nil {
		if m.store, err = f.openStore(dir, emptyFilters(f.c.Index, f.keys), identity); err != nil {
			return err
		}
	}
	committed, err := exactCommitOf(m.store.Committed(), dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, exactLogName)
	flags := os.O_RDWR
	if committed.Bytes == 0 {
		flags |= os.O_CREATE
	}
	if m.file, err = os.OpenFile(path, flags, private.File(path)); err != nil {
		return err
	}
	if err = fsync.Dir(dir); err == nil {
		err = m.load(committed, kind, dir)
	}
	if err != nil {
		return damagedExact(path, err)
	}
	return nil
}

// load reads the log. If filters judge instead of what is in it, only the names of records are
// read, for the verdicts of a run that is repeated.
func (m *exactMemory) load(committed exactCommit, kind exactKind, dir string) (err error) {
	named := committed.Records
	if committed.BloomFrom > 0 {
		named = committed.BloomFrom - 1
		m.after.state, m.names.Until = committed, named
		err = memory.ReadNotes(m.file, committed.Bytes, m.names.Load)
	} else if err = kind.checkRoom(committed.Signatures, kind.entries()+" that it has"); err == nil {
		m.index, err = memory.Load(kind.begin, dir, m.file, committed.Bytes, m.names.Load)
		m.names.NoteTo(m.index)
	}
	if err == nil {
		err = m.names.Check(named)
	}
	return err
}

// openAsked opens the memory in dir, as of its last commit. It is only asked; a writer may go on.
func openAsked(
	dir string, bands int, identity []bloomlsh.Parameter, kind exactKind,
) (*memory.Named, error) {
	file, committed, err := openCommitted(dir, bands, identity)
	if err != nil {
		return nil, err
	}
	a, err := memory.ReadNamed(kind.begin, "", file, committed.Bytes)
	if err != nil {
		return nil, damagedExact(file.Name(), err)
	}
	return a, nil
}

// openCommitted opens the log in dir, for reading, and says what the last commit says of it.
func openCommitted(
	dir string, bands int, identity []bloomlsh.Parameter,
) (file *os.File, committed exactCommit, err error) {
	filters, err := bloomlsh.OpenReadOnly(dir, bands, identity)
	if err != nil {
		return nil, committed, err
	}
	committed, err = exactCommitOf(filters.Committed(), dir)
	if err = errors.Join(err, filters.Close()); err == nil {
		file, err = os.Open(filepath.Join(dir, exactLogName))
	}
	return file, committed, err
}

// emptyFilters are the parameters of the index beside a log. Only what is remembered of records
// matters to it, so what is asked of filters does not.
func emptyFilters(c config.IndexFlags, kind keyKind) bloomlsh.Params {
	return bloomlsh.Params{Bands: kind.bands, Votes: kind.votes, Capacity: 1, Remember: c.Remember}
}

// An exactCommit is what a commit says about the log.
type exactCommit struct {
	Bytes      int64  `json:"bytes"`
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Duplicates uint64 `json:"duplicates"`
	Copies     uint64 `json:"copies,omitempty"`
	Forgotten  uint64 `json:"forgotten,omitempty"`
	BloomFrom  uint64 `json:"bloom_from,omitempty"` // the first record that the filters have judged, if any
}

// commitOf describes an index, but for its log.
func commitOf(s memory.Stats) exactCommit {
	return exactCommit{
		Records: s.Records, Signatures: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Forgotten: s.Forgotten,
	}
}

// exactCommitOf is what the last commit of the index in dir says. It is zero before the first.
func exactCommitOf(at bloomlsh.Position, dir string) (exactCommit, error) {
	last, err := runOf(at, dir)
	switch {
	case err != nil || last == nil:
		return exactCommit{}, err
	case last.Exact == nil || last.Exact.Bytes <= 0:
		return exactCommit{}, damagedExact(dir,
			errors.New("its last commit does not say how long the log of signatures is"))
	}
	return *last.Exact, nil
}

func damagedExact(path string, err error) error {
	if !errors.Is(err, memory.ErrCorrupt) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: %w: restore it from a copy, or build the index again", path, err)
}

// sync makes the log durable and describes it. Without a directory there is none.
func (m *exactMemory) sync() (*exactCommit, error) {
	if m == nil || m.file == nil {
		return nil, nil
	}
	if err := m.retire(); err != nil {
		return nil, err
	}
	if m.hasTurned() {
		committed := m.after.state
		return &committed, nil
	}
	if err := m.names.Note(); err != nil {
		return nil, err
	}
	length, err := m.index.Sync()
	committed := commitOf(m.index.Stats())
	committed.Bytes = length
	return &committed, err
}

// memoryOf is the kind of memory that the index in dir has.
func memoryOf(dir string) (kind string, err error) {
	_, identity, err := bloomlsh.ReadParameters(dir)
	for _, p := range identity {
		if p.Name == memoryParameter {
			return p.Value, err
		}
	}
	return memoryBloom, err
}

// exactOf is what a commit of a run or of a consumer says about the log; nil if there is none.
func exactOf(at bloomlsh.Position, dir string) (*exactCommit, error) {
	last, err := runOf(at, dir)
	if err != nil || last == nil {
		return nil, err
	}
	return last.Exact, nil
}

// exactFile describes the log. ok is false if there is none.
func exactFile(x *exactCommit) (f bloomlsh.FileInfo, ok bool) {
	if x == nil {
		return f, false
	}
	return bloomlsh.FileInfo{Name: exactLogName, Bytes: x.Bytes}, true
}

// verifyExact checks every checksum of the log of the index in dir, and if the last program that
// wrote has ended in order, what follows on its length.
func verifyExact(dir string, length int64, ended bool) error {
	path := filepath.Join(dir, exactLogName)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := memory.VerifyLog(f, length); err != nil {
		return damagedExact(path, err)
	}
	info, err := f.Stat()
	if err == nil && ended {
		err = memory.VerifyEnd(f, length, info.Size())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// cutEnd cuts off what a run has appended to the log and not committed.
func (m *exactMemory) cutEnd() error {
	if m.file == nil || m.store == nil || !m.store.IsSettled() {
		return nil
	}
	committed, err := exactCommitOf(m.store.Committed(), m.file.Name())
	if err != nil {
		return err
	}
	info, err := m.file.Stat()
	if err != nil || info.Size() <= committed.Bytes {
		return err
	}
	return errors.Join(m.file.Truncate(committed.Bytes), m.file.Sync())
}
