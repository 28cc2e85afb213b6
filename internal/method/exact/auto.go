package exact

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// The memory of --memory auto is exact until it holds as many signatures as its limit allows. Then
// all of them are inserted into Bloom filters, which judge every later record. The band keys of the
// filters are made from packed signatures, all that the exact memory keeps of a text; so they may
// differ from those by which it finds candidates, and are tuned for votes.
//
// When that happens depends only on the number of signatures, and thus on the input and the options
// (I2). In a directory the filters belong to the index, empty at first, and a commit says from
// which record on they judge. The log stays, since it has the names of originals for verdicts of
// earlier runs, which may be repeated.

// afterLimit holds the Bloom filters that replace an exact memory at its limit.
type afterLimit struct {
	rule    lsh.Banding
	filters *filters.Memory
	exact   *signatures.Index // judges before the filters do
	state   State             // of the memory, once the filters judge; zero before

	keys  []bloomlsh.Key
	votes []uint16
}

// KeysAfter returns the kind of the keys that the filters hold. It has the identity of the whole
// memory.
func KeysAfter(kind identity.KeyKind, rule lsh.Banding) identity.KeyKind {
	parameters := slices.Clone(kind.Identity)
	for i := range parameters {
		if parameters[i].Name == "rows" {
			parameters[i].Value = strconv.Itoa(rule.Rows)
		}
	}
	parameters = append(parameters, autoParameter, identity.SlotBits(kind.Params),
		bloomlsh.Parameter{Name: candidateBands, Value: strconv.Itoa(kind.Params.Bands)},
		bloomlsh.Parameter{Name: candidateRows, Value: strconv.Itoa(kind.Params.Rows)})
	return identity.KeyKind{Identity: parameters, Banding: identity.Banding{
		Bands: rule.Bands, Votes: rule.Votes, Rule: rule, Params: kind.Params, Threshold: kind.Threshold,
	}}
}

// autoParameter distinguishes an index with filters and a log from others. The two parameters after
// it say how the exact memory finds candidates.
var autoParameter = bloomlsh.Parameter{Name: identity.MemoryParameter, Value: spec.MemoryAuto}

const candidateBands, candidateRows = "candidate-bands", "candidate-rows"

// HasTurned reports whether the filters judge records.
func (m *Memory) HasTurned() bool {
	return m != nil && m.after != nil && m.after.state.BloomFrom > 0
}

// KeepNames keeps the names of records in memory even when filters judge, for verdicts of an
// earlier run that are repeated in between.
func (m *Memory) KeepNames() {
	if m != nil {
		m.keepsNames = true
	}
}

// TurnedAt returns the number of the first record that the filters judged, counted from the first
// record of the memory.
func (m *Memory) TurnedAt() uint64 { return m.after.state.BloomFrom }

// turn inserts everything remembered into the filters. The exact memory stays until the records
// that it has judged are named.
func (m *Memory) turn() error {
	a := m.after
	a.state = stateFrom(m.Index.Stats())
	a.state.BloomFrom = a.state.Records + 1
	m.Names.Until = a.state.Records
	const batch = 256
	for signature := range a.exact.Signatures() {
		a.keys = sketch.AppendPackedKeys(a.keys, signature, a.rule.Bands, a.rule.Rows)
		if len(a.keys) == batch*a.rule.Bands {
			if err := a.observe(batch); err != nil {
				return err
			}
		}
	}
	return a.observe(len(a.keys) / a.rule.Bands)
}

// observe inserts the records with the current keys into the filters, and stores their votes.
func (a *afterLimit) observe(records int) error {
	a.votes = slices.Grow(a.votes[:0], records)[:records]
	_, err := a.filters.Observe(a.keys, a.votes)
	a.keys = a.keys[:0]
	return err
}

// judgeAfter judges records with the filters.
func (m *Memory) judgeAfter(sketches []uint64, out []stream.Verdict) error {
	a, size := m.after, len(sketches)/len(out)
	packed := sketch.PackedWords(a.rule.NumPerm, 8)
	for end := size; end <= len(sketches); end += size {
		a.keys = sketch.AppendPackedKeys(a.keys, sketches[end-packed:end], a.rule.Bands, a.rule.Rows)
	}
	if err := a.observe(len(out)); err != nil {
		return err
	}
	for i, votes := range a.votes {
		out[i] = stream.Verdict{Duplicate: int(votes) >= a.rule.Votes, Votes: votes}
		if out[i].Duplicate {
			a.state.Duplicates++
		}
	}
	a.state.Records += uint64(len(out))
	return nil
}

// retire frees an exact memory that filters have replaced, once all its records are named.
func (m *Memory) retire() error {
	if !m.HasTurned() {
		return nil
	}
	if !m.keepsNames {
		defer m.Names.Forget()
	}
	if m.Index == nil {
		return nil
	}
	if m.file != nil {
		if err := m.checkCommit(m.after.state.logged()); err != nil {
			return fmt.Errorf("%s: %w", m.writer.Path(), err)
		}
		if err := errors.Join(m.Names.Note(), m.file.End()); err != nil {
			return err
		}
	}
	err := m.Index.Close()
	m.Index, m.log = nil, nil
	return err
}

// OpenUpToLimit opens a memory that is exact up to its limit, after which filters for keys of
// KeysAfter judge. The memory does not close the filters. After an error, nothing else is open.
func OpenUpToLimit(o Opening, after *filters.Memory) (*Memory, error) {
	return o.open(&afterLimit{rule: o.Method.Memory.AfterLimit, filters: after})
}
