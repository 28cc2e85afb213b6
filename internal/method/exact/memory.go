package exact

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Memory is the judge of --memory exact, which knows the record that a duplicate resembles. A
// run with another memory has a nil *Memory.
type Memory struct {
	Index   memory.Remembering
	matches []memory.Match // of the current records
	Described

	Against  memory.Others
	ReadOnly bool // the others are searched, and nothing is remembered

	directory
	forgetting
	after      *afterLimit // set only if the memory has a limit
	keepsNames bool        // even of records that filters have taken over

	size sizes
}

// Described is what a memory knows about its records besides their sketches.
type Described struct {
	Names  memory.Names
	Counts *counts.Counts // of the groups of the records; nil if these are not counted
}

// sizes holds the last noted sizes of a memory, for others to read while the committer works.
type sizes struct{ entries, bytes atomic.Uint64 }

// directory is the index that holds a memory. It is zero for a memory without one.
type directory struct {
	writer *index.Writer
	file   *index.Log   // the log of records, unless there are windows
	log    memory.Index // the records in file

	rewritten, deleted uint64 // as in State
}

// forgetting says how a memory forgets. It is zero if the memory forgets nothing.
type forgetting struct {
	forgets *windows.Params
	windows *windows.Memory // Memory.Index
}

// Params returns the parameters of an index for sketches of that kind.
func Params(c spec.Method, kind identity.KeyKind) signatures.Params {
	p := signatures.Params{
		NumPerm: kind.Params.NumPerm, SlotBits: kind.Params.SlotBits,
		Bands: kind.Params.Bands, Rows: kind.Params.Rows, Votes: kind.Votes,
		Threshold: c.Rule.Threshold, UnseenOnly: c.Memory.UnseenOnly(),
		MaxMemory: c.Memory.Spills(), Sets: c.HasSets(), Containment: c.Rule.Containment,
	}
	if limit := c.Memory.Limit; limit.Bytes > 0 && (limit.Refuses || c.Memory.Kind == spec.MemoryAuto) {
		p.Capacity = max(1, p.CapacityOf(limit.Bytes))
	}
	return p
}

// An Opening says what an exact memory is opened for.
type Opening struct {
	Method spec.Method
	Keys   identity.KeyKind
	Kind   *Kind
	Format record.Format // nil if records are not named by a field
	ID     string        // the field that names them; may be empty
	Decide index.Decide  // decides a prepared commit; may be nil
}

// Open opens an exact memory that judges records. After an error nothing is open.
func Open(o Opening) (*Memory, error) { return o.open(nil) }

// open opens a memory. after, which may be nil, takes over at its limit.
func (o *Opening) open(after *afterLimit) (*Memory, error) {
	described := Described{Names: memory.Names{WithIDs: o.ID != ""}}
	m := &Memory{Described: described, ReadOnly: o.Method.Memory.ReadOnly, after: after}
	if err := o.openInto(m); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.size.note(m.Index)
	return m, nil
}

// openInto opens a memory, and the others that it searches.
func (o *Opening) openInto(m *Memory) error {
	if err := record.CheckName(o.Format, o.ID); err != nil {
		return usage.Error(fmt.Errorf("--id: %w", err))
	}
	kind, parameters := o.Kind, o.Keys.Kept()
	if err := kind.Validate(); err != nil {
		return usage.Error(err)
	}
	if p, forgets := windowsOf(o.Method); forgets {
		if err := forgettingFilters(o.Method.Memory, o.Keys, p.Keep).Validate(); err != nil {
			return usage.Error(err)
		}
		m.forgets = &p
		if err := kind.divide(p, expectedRecords(o.Method)); err != nil {
			return err
		}
	} else if err := kind.CheckRoom(expectedRecords(o.Method), ofCapacity); err != nil {
		return err
	}
	if kind.Name == spec.MemoryExact {
		kind.after, parameters = m.after, identityOf(parameters, o.Keys.Params, o.Method.Rule.Verification)
	}
	var err error
	switch {
	case o.Method.Memory.Index != "" && !o.Method.Memory.ReadOnly:
		err = o.openDir(m, parameters, kind)
	case m.forgets != nil:
		if m.windows, err = windows.New(*m.forgets, kind.Begin, &m.Names); err == nil {
			m.Index = m.windows
		}
	default:
		var x memory.Index
		if x, err = kind.Begin(""); err == nil {
			m.Index = x
		}
	}
	if err == nil {
		err = o.countGroups(m)
	}
	if err != nil {
		return err
	}
	return o.openAgainst(m, parameters, kind)
}

// openAgainst opens the memories of that identity that are searched besides the run's own, or
// instead of it.
func (o *Opening) openAgainst(m *Memory, parameters []bloomlsh.Parameter, kind *Kind) error {
	dirs := o.Method.Memory.Against
	if o.Method.Memory.ReadOnly {
		dirs = o.Method.Memory.Indexes()
	}
	if len(dirs) > memory.MostOthers {
		return fmt.Errorf("%d indexes are searched, and at most %d are possible", len(dirs), memory.MostOthers)
	}
	for _, dir := range dirs {
		a, err := OpenAsked(dir, o.Keys.Bands, parameters, kind)
		if err != nil {
			return err
		}
		m.Against = append(m.Against, a)
	}
	return nil
}

// Judge returns a judge that names the original of each duplicate. Records without a sketch count,
// too, so that record numbers are those of the stream.
func (m *Memory) Judge() stream.Judge { return stream.Judge{Decide: m.decide} }

func (m *Memory) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	if err := m.retire(); err != nil {
		return 0, err
	}
	for i, sketched := 0, 0; i < len(out); {
		end := i
		for end < len(out) && len(b.Sketch(end)) > 0 {
			end++
		}
		if end == i {
			if m.HasTurned() {
				m.after.state.Records++
			} else {
				m.Index.Pass(1)
			}
			out[i] = stream.Verdict{}
			i++
			continue
		}
		var times []int64
		if b.Times != nil {
			times = b.Times[sketched : sketched+end-i]
			end = i + m.Against.Alike(times)
			times = times[:end-i]
		}
		if m.windows != nil {
			n, err := m.windows.Next(times, end-i)
			if err != nil {
				return i, err
			}
			end = i + n
		}
		sketched += end - i
		words := b.Words[b.Ends[i]-len(b.Sketch(i)) : b.Ends[end-1]]
		if err := m.observe(times[:min(len(times), end-i)], words, out[i:end]); err != nil {
			return i, err
		}
		i = end
	}
	m.size.note(m.Index)
	return len(out), nil
}

// observe judges records that all have sketches, and times if these are known.
func (m *Memory) observe(times []int64, sketches []uint64, out []stream.Verdict) error {
	if m.HasTurned() {
		return m.judgeAfter(sketches, out)
	}
	m.matches = slices.Grow(m.matches[:0], len(out))[:len(out)]
	if err := m.Against.QueryAt(times, sketches, m.matches); err != nil {
		return err
	}
	observed, err := len(out), error(nil)
	if m.ReadOnly {
		m.Index.Pass(len(out))
	} else {
		observed, err = m.Index.ObserveBeside(sketches, m.matches)
	}
	for i, match := range m.matches[:observed] {
		out[i] = VerdictOf(match)
	}
	if m.after == nil || !errors.Is(err, memory.ErrFull) {
		return err
	}
	if err := m.turn(); err != nil {
		return err
	}
	return m.judgeAfter(sketches[observed*len(sketches)/len(out):], out[observed:])
}

// VerdictOf returns the verdict for a match.
func VerdictOf(m memory.Match) stream.Verdict {
	return stream.Verdict{
		Duplicate: m.Record != 0, Votes: m.Votes, Original: m.Original(), Similarity: m.Similarity,
		Contains: m.Contains,
	}
}

// Name appends the name of an original, which may be in another memory.
func (m *Memory) Name(dst []byte, original uint64) []byte {
	return m.Against.AppendName(dst, &m.Names, original)
}

// note notes the size of an index, which may be nil.
func (s *sizes) note(index memory.Remembering) {
	if index == nil {
		s.bytes.Store(0)
		return
	}
	stats := index.Stats()
	s.entries.Store(stats.Entries)
	s.bytes.Store(stats.Bytes)
}

// Size returns the number of entries of the memory and its size in bytes, as noted last. It may be
// called while the committer works.
func (m *Memory) Size() (entries, bytes uint64) { return m.size.entries.Load(), m.size.bytes.Load() }

// Writer returns the index that holds the memory, or nil without one.
func (m *Memory) Writer() *index.Writer {
	if m == nil {
		return nil
	}
	return m.writer
}

// Close closes the memory and its index.
func (m *Memory) Close() error {
	if m == nil {
		return nil
	}
	errs := []error{m.Counts.Close()}
	if m.Index != nil {
		errs = append(errs, m.Index.Close())
	}
	errs = append(errs, m.Against.Close())
	if m.writer != nil && m.after == nil { // otherwise the filters close it
		errs = append(errs, m.writer.Discard())
	}
	return errors.Join(errs...)
}
