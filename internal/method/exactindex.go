package method

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// An exact memory in a directory is an index whose Bloom filters stay empty, with a log of
// signatures beside it. The index has the lock, the parameters and the commits; each commit says
// how long the log was then. So the log is like an output of the run: it is flushed before the
// commit, and what is after the committed length does not count.

// exactLogName is the name of the log in the directory until it is rewritten.
const exactLogName = "exact"

// exactParameter tells an index with such a log from others.
var exactParameter = bloomlsh.Parameter{Name: MemoryParameter, Value: spec.MemoryExact}

const MemoryParameter = "memory"

// verifyParameter tells an index whose log has sets of shingles from others, by how they are
// compared.
const verifyParameter = "verify"

// setsParameter says that sets are compared as a whole.
var setsParameter = bloomlsh.Parameter{Name: verifyParameter, Value: spec.VerifyText}

// slotBitsParameter is what the bits of a slot are called in an identity.
const slotBitsParameter = "slot-bits"

// slotBitsOf says how many bits of each slot signatures keep.
func slotBitsOf(p sketch.Params) bloomlsh.Parameter {
	return bloomlsh.Parameter{Name: slotBitsParameter, Value: strconv.Itoa(p.PackedBits())}
}

// exactIdentity is the identity of an exact memory for band keys of an identity.
func exactIdentity(keys []bloomlsh.Parameter, p sketch.Params, v spec.Verification) []bloomlsh.Parameter {
	identity := append(slices.Clone(keys), exactParameter, slotBitsOf(p))
	if v.ComparesSets() {
		identity = append(identity, bloomlsh.Parameter{Name: verifyParameter, Value: v.Verify})
	}
	return append(identity, setIdentity(v)...)
}

// openDir opens the memory of that identity that is kept in a directory.
func (o *Opening) openDir(m *Exact, identity []bloomlsh.Parameter, kind *ExactKind) (err error) {
	dir := o.Method.Memory.Index
	if m.after != nil {
		m.store = m.after.filters.durable()
	} else if m.store, err = o.openStore(emptyFilters(o.Method.Memory, o.Keys), identity); err != nil {
		return err
	}
	committed, err := exactCommitOf(m.store.Committed(), dir)
	if err != nil {
		return err
	}
	if m.dir, err = dirOf(m.store, dir); err != nil {
		return err
	}
	if err := committed.logs().FinishUndo(m.dir); err != nil {
		return err
	}
	m.deleted = committed.Deleted
	if m.forgets != nil {
		_ = committed.logs().RemoveOthers(m.dir) // or the next run does
		return o.openWindows(m, committed, kind)
	}
	if committed.Bytes == 0 {
		m.file, err = m.dir.Create(committed.logName())
	} else {
		m.file, err = m.dir.OpenForWriting(committed.logName())
		err = missingLog(err)
	}
	if err != nil {
		return err
	}
	m.rewritten = committed.Rewritten
	_ = committed.logs().RemoveOthers(m.dir) // or the next run does
	if err = m.dir.Sync(); err == nil {
		err = m.load(committed, kind, dir)
	}
	if err != nil {
		return damagedExact(m.file.Name(), err)
	}
	return nil
}

// dirOf opens the directory of an index that is open, beside its filters.
func dirOf(index *bloomlsh.Store, path string) (*store.Dir, error) {
	dir, err := store.OpenDir(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(index.CheckNotMoved(), dir.CheckNotMoved()); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// load reads the log. If filters judge instead of what is in it, only the names of records are
// read, for the verdicts of a run that is repeated.
func (m *Exact) load(committed ExactCommit, kind *ExactKind, dir string) (err error) {
	named := committed.Records
	if committed.BloomFrom > 0 {
		named = committed.BloomFrom - 1
		m.after.state, m.Names.Until = committed, named
		err = memory.ReadNotes(m.file, committed.Bytes, m.Names.Load)
	} else if err = kind.checkRoom(committed.Signatures, kind.entries+" that it has"); err == nil {
		if m.log, err = memory.Load(kind.begin, dir, m.file, committed.Bytes, m.loadNote); err == nil {
			m.Index = m.log
			m.Names.NoteTo(m.log)
		}
	}
	if err == nil {
		err = m.Names.Check(named)
	}
	if err == nil && m.Counts != nil && m.Counts.Records() != named {
		err = fmt.Errorf("%w: it has %d records and the groups of %d", memory.ErrCorrupt, named, m.Counts.Records())
	}
	return err
}

// emptyFilters are the parameters of the index beside a log. Only what is remembered of records
// matters to it, so what is asked of filters does not.
func emptyFilters(m spec.Memory, kind KeyKind) bloomlsh.Params {
	return bloomlsh.Params{
		Bands: kind.Bands, Votes: kind.Votes, Capacity: 1, Remember: m.Remember,
		KeepGenerations: m.Forget.Generations, ForgetAfter: m.Forget.After,
	}
}

// An ExactCommit is what a commit says about the log.
type ExactCommit struct {
	Bytes      int64  `json:"bytes"`
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Duplicates uint64 `json:"duplicates"`
	Copies     uint64 `json:"copies,omitempty"`
	Forgotten  uint64 `json:"forgotten,omitempty"`
	BloomFrom  uint64 `json:"bloom_from,omitempty"` // the first record that the filters have judged, if any
	Deleted    uint64 `json:"deleted,omitempty"`    // records whose entries or names are in the log and do not count
	// how often the log was rewritten without deleted records
	Rewritten uint64 `json:"rewritten,omitempty"`
	Counted   string `json:"counted,omitempty"` // how its groups are counted, as it is asked for, if they are

	Windows *windows.State `json:"windows,omitempty"` // the windows, each with logs, if it forgets
}

// logName is the name of the log in the directory of the index.
func (x ExactCommit) logName() string {
	if x.Rewritten == 0 {
		return exactLogName
	}
	return fmt.Sprintf("%s-%d", exactLogName, x.Rewritten)
}

// commitOf describes an index, but for its log.
func commitOf(s memory.Stats) ExactCommit {
	return ExactCommit{
		Records: s.Records, Signatures: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Forgotten: s.Forgotten,
	}
}

// exactCommitOf is what the last commit of the index in dir says. It is zero before the first.
func exactCommitOf(at bloomlsh.Position, dir string) (ExactCommit, error) {
	exact, err := ExactOf(at, dir)
	switch {
	case err != nil || len(at.Meta) == 0:
		return ExactCommit{}, err
	case exact == nil || exact.Bytes <= 0:
		return ExactCommit{}, damagedExact(dir,
			errors.New("its last commit does not say how long the log of signatures is"))
	}
	return *exact, nil
}

// missingLog says what to do about a log that cannot be opened since it is missing.
func missingLog(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return damagedExact(of.Path, fmt.Errorf("%w: it is missing", memory.ErrCorrupt))
	}
	return err
}

func damagedExact(path string, err error) error { return advised(fmt.Errorf("%s: %w", path, err)) }

// Sync makes the log durable and returns what to commit, or nil without a directory.
func (m *Exact) Sync() (*ExactCommit, error) {
	if !m.IsKept() {
		return nil, nil
	}
	if m.windows != nil {
		return m.syncWindows()
	}
	if err := m.retire(); err != nil {
		return nil, err
	}
	if m.HasTurned() {
		committed := m.after.state
		return &committed, nil
	}
	if err := m.note(); err != nil {
		return nil, err
	}
	length, err := m.log.Sync()
	committed := commitOf(m.Index.Stats())
	committed.Bytes, committed.Rewritten, committed.Deleted = length, m.rewritten, m.deleted
	if m.Counts != nil {
		committed.Counted = m.Counts.Selection().String()
	}
	return &committed, err
}

// memoryOf is the kind of memory that the index in dir has.
func memoryOf(dir string) (kind string, err error) {
	_, identity, err := bloomlsh.ReadParameters(dir)
	if kind, given := parameter.Value(identity, MemoryParameter); given {
		return kind, err
	}
	return spec.MemoryBloom, err // without that parameter
}

// AsStored returns m as the first of the indexes was made that is there. One without sets of
// shingles goes on comparing signatures, unless the user has said how candidates are verified.
func AsStored(m spec.Method, indexes ...string) spec.Method {
	for _, dir := range indexes {
		_, identity, err := bloomlsh.ReadParameters(dir)
		if err != nil || m.Rule.Estimated == nil {
			continue // opening it says what is wrong
		}
		kind, _ := parameter.Value(identity, MemoryParameter)
		verify, isSaid := parameter.Value(identity, verifyParameter)
		if (kind == spec.MemoryExact || kind == MemoryOfGroups) && (!isSaid || verify == spec.VerifySignature) {
			m.Rule.Tuning, m.Rule.Verification = *m.Rule.Estimated, spec.Verification{Verify: spec.VerifySignature}
		}
		return m
	}
	return m
}

// ExactOf returns what a commit of a run or of a consumer says about the log, or nil if it has no
// log.
func ExactOf(at bloomlsh.Position, dir string) (*ExactCommit, error) {
	if len(at.Meta) == 0 {
		return nil, nil
	}
	var said struct {
		Exact *ExactCommit `json:"exact"` // exactMember
	}
	if err := json.Unmarshal(at.Meta, &said); err != nil {
		return nil, ErrLastRun(dir, err)
	}
	return said.Exact, nil
}

// exactMember is the name of what a commit says about the log, beside what else it says.
const exactMember = "exact"

// ErrLastRun is the error of a commit that cannot be read.
func ErrLastRun(dir string, err error) error {
	return fmt.Errorf("%s: what its last run has left cannot be read: %w: mithril-stream index settle "+
		"%s gives that run up", dir, err, dir)
}

// cutEnd cuts off what a run has appended to the logs and not committed.
func (m *Exact) cutEnd() error {
	if m.store == nil || m.dir == nil || !m.store.IsSettled() || m.dir.CheckNotMoved() != nil {
		return nil
	}
	committed, err := exactCommitOf(m.store.Committed(), m.dir.Path())
	if err != nil {
		return err
	}
	logs := committed.logs()
	return errors.Join(logs.RemoveOthers(m.dir), logs.Cut(m.dir))
}

// IsKept reports whether the memory is in a directory, to be committed.
func (m *Exact) IsKept() bool {
	return m != nil && (m.file != nil || m.windows != nil && m.store != nil)
}
