package command

import (
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// The memory of --memory auto is exact until it holds as many signatures as its limit has room for.
// Then Bloom filters take in all of them, and judge every record from there on. Band keys of the
// filters are made of packed signatures, which is what the exact memory still has of a text; so
// they need not be those by which it finds candidates, and are tuned for votes.
//
// Where that happens depends on the number of signatures alone, so on the input and the options
// (I2). In a directory the filters are those of the index, empty at first, and a commit says since
// which record they judge. The log stays: verdicts of earlier runs, which may be repeated, name
// originals by it.

// afterLimit are the Bloom filters that an exact memory goes on with.
type afterLimit struct {
	rule    bloomlsh.Banding
	filters *seen
	exact   *signatures.Index // before
	state   exactCommit       // from the first record on that they have judged; before, it is zero

	keys  []bloomlsh.Key
	votes []uint16
}

// keysAfter is the kind of the keys that the filters hold. Its identity is that of the whole
// memory.
func keysAfter(kind keyKind, rule bloomlsh.Banding) keyKind {
	identity := slices.Clone(kind.identity)
	for i := range identity {
		if identity[i].Name == "rows" {
			identity[i].Value = strconv.Itoa(rule.Rows)
		}
	}
	identity = append(identity, autoParameter,
		bloomlsh.Parameter{Name: candidateBands, Value: strconv.Itoa(kind.params.Bands)},
		bloomlsh.Parameter{Name: candidateRows, Value: strconv.Itoa(kind.params.Rows)})
	return keyKind{bands: rule.Bands, votes: rule.Votes, rule: rule, params: kind.params, identity: identity}
}

// autoParameter tells an index with filters and a log from others. The two after it say how the
// exact memory finds candidates.
var autoParameter = bloomlsh.Parameter{Name: memoryParameter, Value: config.MemoryAuto}

const candidateBands, candidateRows = "candidate-bands", "candidate-rows"

// useAuto has the records judged by an exact memory, and by Bloom filters when it is full.
func (f *filterRun) useAuto() (err error) {
	after := &afterLimit{rule: f.c.AfterLimit}
	kind := keysAfter(f.keys, after.rule)
	if f.memory, err = openSeen(f.c.Index, kind, f.std, f.opts.Threads, bloomlsh.Open); err != nil {
		return err
	}
	after.filters = f.memory
	return f.useExact(after)
}

// hasTurned reports whether the filters judge.
func (m *exactMemory) hasTurned() bool {
	return m != nil && m.after != nil && m.after.state.BloomFrom > 0
}

// turnedAt is the number of the first record that the filters have judged, in the life of the
// memory.
func (m *exactMemory) turnedAt() uint64 { return m.after.state.BloomFrom }

// turn has the filters take in everything that is remembered. The exact memory stays until those
// records have been named that it has judged.
func (m *exactMemory) turn() error {
	a := m.after
	a.state = commitOf(m.index.Stats())
	a.state.BloomFrom = a.state.Records + 1
	m.names.Until = a.state.Records
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

// observe has the filters take in the records whose keys are at hand, and leaves their votes.
func (a *afterLimit) observe(records int) error {
	a.votes = slices.Grow(a.votes[:0], records)[:records]
	_, err := a.filters.Observe(a.keys, a.votes)
	a.keys = a.keys[:0]
	return err
}

// judgeAfter judges records by the filters.
func (m *exactMemory) judgeAfter(sketches []uint64, out []stream.Verdict) error {
	a, size := m.after, len(sketches)/len(out)
	packed := sketch.PackedWords(a.rule.NumPerm)
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

// retire gives back an exact memory whose filters judge, when all its records are named.
func (m *exactMemory) retire() error {
	if !m.hasTurned() {
		return nil
	}
	defer m.names.Forget()
	if m.index == nil {
		return nil
	}
	if m.file != nil {
		if err := m.names.Note(); err != nil {
			return err
		}
		var err error
		if m.after.state.Bytes, err = m.index.Sync(); err != nil {
			return err
		}
	}
	err := m.index.Close()
	m.index = nil
	return err
}
