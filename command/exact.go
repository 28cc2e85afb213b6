package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An exactMemory is the judge that knows which record a duplicate resembles. A nil *exactMemory is
// that of a run which did not ask for it.
type exactMemory struct {
	index   memory.Index
	matches []memory.Match // of the records at hand
	names   memory.Names

	against  memory.Others
	readOnly bool // only those are asked, and nothing is remembered

	// What follows is nil unless the memory is kept in a directory.
	store *bloomlsh.Store // the lock, the parameters and the commits
	file  *os.File        // the log

	after *afterLimit // nil unless it has a limit

	entries, bytes atomic.Uint64 // for others to read while the committer works
}

// sketchOf is what is made of a text: for the exact memory with its signature.
func sketchOf(c *config.Filter, s *sketch.Sketcher) stream.Sketcher {
	switch {
	case c.IsExact() && c.Verify == config.VerifyText:
		return sketch.SignedSet{Sketcher: s}
	case c.IsExact() || c.Signatures:
		return sketch.Signed{Sketcher: s}
	}
	return s
}

// exactParams are those of an index for sketches of that kind.
func exactParams(c *config.Filter, kind keyKind) signatures.Params {
	p := signatures.Params{
		NumPerm: kind.params.NumPerm, Bands: kind.params.Bands, Rows: kind.params.Rows, Votes: kind.votes,
		Threshold: c.Similar.Threshold, UnseenOnly: c.Index.Remember == "unseen",
		MaxMemory: uint64(c.MaxMemory), Sets: c.Verify == config.VerifyText,
	}
	if c.Verify == config.VerifyNone {
		p.Threshold = 0
	}
	if c.MemoryLimit > 0 {
		p.Capacity = max(1, p.CapacityOf(uint64(c.MemoryLimit)))
	}
	return p
}

// useExact has the records judged by an exact memory; after is what it goes on with, or nil.
func (f *filterRun) useExact(after *afterLimit) error {
	if err := f.checkID(); err != nil {
		return err
	}
	kind, identity := f.exactKind(), f.keys.identity
	if err := kind.Validate(); err != nil {
		return usage.Error(err)
	}
	if err := kind.checkRoom(expectedRecords(f.c), "records (--capacity)"); err != nil {
		return err
	}
	if s, ok := kind.(*signatureKind); ok {
		s.after, identity = after, exactIdentity(identity, s.Sets)
	}
	f.exact = &exactMemory{names: memory.Names{WithIDs: f.c.ID != ""}, readOnly: f.c.Index.ReadOnly, after: after}
	f.opts.Method.Judge, f.opts.ID = f.keys.failures.before(f.exact), f.c.ID
	var err error
	if f.c.Index.Index != "" && !f.c.Index.ReadOnly {
		err = f.openExact(identity, kind)
	} else {
		f.exact.index, err = kind.begin("")
	}
	if err == nil {
		err = f.openAgainst(identity, kind)
	}
	if err == nil {
		f.exact.look()
	}
	return err
}

// openAgainst opens the memories of that identity that are asked beside the run's own, or in place
// of it.
func (f *filterRun) openAgainst(identity []bloomlsh.Parameter, kind exactKind) error {
	dirs := f.c.Index.Against
	if f.c.Index.ReadOnly && f.c.Index.Index != "" {
		dirs = append([]string{f.c.Index.Index}, dirs...)
	}
	if len(dirs) > memory.MostOthers {
		return fmt.Errorf("%d indexes are asked, and at most %d are possible", len(dirs), memory.MostOthers)
	}
	for _, dir := range dirs {
		a, err := openAsked(dir, f.keys.bands, identity, kind)
		if err != nil {
			return err
		}
		f.exact.against = append(f.exact.against, a)
	}
	return nil
}

// checkID refuses an --id that no record can have.
func (f *filterRun) checkID() error {
	if err := stream.CheckID(f.opts.Format, f.c.ID); err != nil {
		return usage.Error(fmt.Errorf("--id: %w", err))
	}
	return nil
}

// Judge names the original of each duplicate. Records without a sketch count too, so that numbers
// are those of records in the stream.
func (m *exactMemory) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	if err := m.retire(); err != nil {
		return 0, err
	}
	for i := 0; i < len(out); {
		end := i
		for end < len(out) && len(b.Sketch(end)) > 0 {
			end++
		}
		if end == i {
			m.pass()
			out[i] = stream.Verdict{}
			i++
			continue
		}
		if err := m.observe(b.Words[b.Ends[i]-len(b.Sketch(i)):b.Ends[end-1]], out[i:end]); err != nil {
			return i, err
		}
		i = end
	}
	m.look()
	return len(out), nil
}

// pass counts a record that has no sketch.
func (m *exactMemory) pass() {
	if m.hasTurned() {
		m.after.state.Records++
		return
	}
	m.index.Pass(1)
}

// observe judges records that all have sketches.
func (m *exactMemory) observe(sketches []uint64, out []stream.Verdict) error {
	if m.hasTurned() {
		return m.judgeAfter(sketches, out)
	}
	m.matches = slices.Grow(m.matches[:0], len(out))[:len(out)]
	if err := m.against.Query(sketches, m.matches); err != nil {
		return err
	}
	observed, err := len(out), error(nil)
	if m.readOnly {
		m.index.Pass(len(out))
	} else {
		observed, err = m.index.ObserveBeside(sketches, m.matches)
	}
	for i, match := range m.matches[:observed] {
		out[i] = verdictOf(match)
	}
	if m.after == nil || !errors.Is(err, memory.ErrFull) {
		return err
	}
	if err := m.turn(); err != nil {
		return err
	}
	return m.judgeAfter(sketches[observed*len(sketches)/len(out):], out[observed:])
}

// verdictOf is what a match says about a record.
func verdictOf(m memory.Match) stream.Verdict {
	return stream.Verdict{
		Duplicate: m.Record != 0, Votes: m.Votes, Original: m.Original(), Similarity: m.Similarity,
	}
}

// name appends what an original is called, in its own memory or another one.
func (m *exactMemory) name(dst []byte, original uint64) []byte {
	return m.against.AppendName(dst, &m.names, original)
}

// look notes the size of the index for others.
func (m *exactMemory) look() {
	if m.index == nil {
		m.bytes.Store(0)
		return
	}
	s := m.index.Stats()
	m.entries.Store(s.Entries)
	m.bytes.Store(s.Bytes)
}

// exactStats is the exact memory as it was at the end of the run.
type exactStats struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Copies     uint64 `json:"copies"`     // records whose signature was known
	Forgotten  uint64 `json:"forgotten"`  // bands of records that were given up for keys that too many share
	Bytes      uint64 `json:"bytes"`
	Sealed     uint64 `json:"sealed,omitempty"`     // of the signatures, those on disk
	FileBytes  uint64 `json:"file_bytes,omitempty"` // that these take there
	LogBytes   uint64 `json:"log_bytes,omitempty"`  // of the log, if it has sets of shingles
	BloomFrom  uint64 `json:"bloom_from,omitempty"` // the first record that Bloom filters have judged
}

func (m *exactMemory) stats() *exactStats {
	if m == nil {
		return nil
	}
	if m.hasTurned() {
		s := m.after.state
		return &exactStats{
			Records: s.Records, Signatures: s.Signatures, Copies: s.Copies, Forgotten: s.Forgotten,
			BloomFrom: s.BloomFrom,
		}
	}
	s := m.index.Stats()
	return &exactStats{
		Records: s.Records, Signatures: s.Entries, Copies: s.Copies, Forgotten: s.Forgotten, Bytes: s.Bytes,
		Sealed: s.Sealed, FileBytes: s.FileBytes, LogBytes: s.LogBytes,
	}
}

func (m *exactMemory) close() error {
	if m == nil {
		return nil
	}
	var errs []error
	if m.index != nil {
		errs = append(errs, m.index.Close())
	}
	errs = append(errs, m.against.Close())
	if m.file != nil {
		errs = append(errs, m.cutEnd(), m.file.Close())
	}
	if m.store != nil && m.after == nil { // else it is that of the filters
		errs = append(errs, m.store.Close())
	}
	return errors.Join(errs...)
}
