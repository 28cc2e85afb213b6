package eval

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A method is a way to find duplicates.
type method struct {
	name, about                     string
	threshold, permutations, nGrams bool // which parameters it has
	begin                           func(e *Evaluator, s Setting, size size) (*trial, error)
	// thresholds to try if those of the grid do not apply
	own     func() []float64
	vectors bool // it needs Evaluator.Vectors
}

// A trial applies a method to a corpus.
type trial struct {
	rule     string // in words, if the setting does not say it
	sketcher stream.Sketcher
	judge    stream.Judge
	bytes    func() uint64 // memory in use
	close    func() error
}

// A size is the size of a corpus.
type size struct{ records, bytes int }

// methods in display order.
var methods = []method{
	{name: "lshbloom", about: "LSHBloom: a Bloom filter for each band; one band in common is enough",
		threshold: true, permutations: true, nGrams: true, begin: filtersBy(lsh.TuneForBalanced, 1)},
	{name: "minhashlsh", about: "MinHashLSH: the same bands in hash tables, without errors",
		threshold: true, permutations: true, nGrams: true, begin: beginTables},
	{name: "votes", about: "the rule of this program: several bands, in Bloom filters",
		threshold: true, permutations: true, nGrams: true, begin: filtersBy(lsh.TuneForF2, 0)},
	{name: "verified", about: "--memory exact: candidates by one band, verified by their signatures",
		threshold: true, permutations: true, nGrams: true, begin: beginVerified},
	{name: "containment", about: "--sketch fracminhash: the part of a record that is in an earlier one",
		threshold: true, nGrams: true, begin: beginContainment},
	{name: "simhash", about: "SimHash of 64 bits, term frequencies: fingerprints within a distance",
		threshold: true, nGrams: true, begin: beginSimHash, own: cosines},
	{name: "tlsh", about: "TLSH: digests of bytes within a distance",
		threshold: true, begin: beginTLSH, own: closeness},
	{name: "embedding", about: "vectors of a model, by their cosine",
		threshold: true, begin: beginEmbedding, own: ofVectors, vectors: true},
	{name: "ccnet", about: "lines that were seen, of CCNet", threshold: true, begin: beginParts},
	{name: "dolma", about: "paragraphs that were seen, of Dolma", threshold: true, begin: beginParts},
	{name: "dolma-ngram", about: "n-grams of paragraphs that were seen, of Dolma",
		threshold: true, nGrams: true, begin: beginParts},
	{name: "dclm", about: "n-grams that were seen, of DataComp-LM", threshold: true, nGrams: true, begin: beginParts},
	{name: "equal", about: "texts that are equal", begin: beginEqual},
}

// Embedding is the method that needs Evaluator.Vectors.
const Embedding = "embedding"

// MethodNames returns the values of Setting.Method.
func MethodNames() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

func find(name string) *method {
	if at := slices.IndexFunc(methods, func(m method) bool { return m.name == name }); at >= 0 {
		return &methods[at]
	}
	return nil
}

// banding returns the rule and the sketcher of a setting.
func (e *Evaluator) banding(s Setting, how string, votes int) (lsh.Banding, *sketch.Sketcher, error) {
	o := lsh.DefaultTuneOptions()
	o.How, o.Threshold, o.NumPerm, o.Votes = how, s.Threshold, s.NumPerm, votes
	rule, err := e.rules.find(o)
	if err != nil {
		return rule, nil, err
	}
	p := e.Text
	p.ShingleSize, p.NumPerm, p.Bands, p.Rows = s.NGram, rule.NumPerm, rule.Bands, rule.Rows
	sketcher, err := e.NewSketcher(p)
	return rule, sketcher, err
}

// filtersBy returns a constructor of Bloom filters whose rule is tuned in that way; with 0 votes
// they are tuned too.
func filtersBy(how string, votes int) func(e *Evaluator, s Setting, of size) (*trial, error) {
	return func(e *Evaluator, s Setting, of size) (*trial, error) {
		rule, sketcher, err := e.banding(s, how, votes)
		if err != nil {
			return nil, err
		}
		index, err := bloomlsh.New(bloomlsh.Params{
			Bands: rule.Bands, Votes: rule.Votes, Capacity: uint64(of.records), FPRate: e.FPRate,
		})
		if err != nil {
			return nil, err
		}
		return &trial{
			rule: rule.String(), sketcher: sketcher, judge: votesOf(index, rule.Votes),
			bytes: func() uint64 { return index.Stats().Bytes }, close: index.Close,
		}, nil
	}
}

// votesOf returns a judge by votes in filters.
func votesOf(index *bloomlsh.Index, votes int) stream.Judge {
	return stream.ByVotes(stream.BandIndex{
		Observe: index.Observe, Remembers: index.Remembers, ObserveCopies: index.ObserveCopies,
	}, votes)
}

func beginTables(e *Evaluator, s Setting, _ size) (*trial, error) {
	rule, sketcher, err := e.banding(s, lsh.TuneForBalanced, 1)
	if err != nil {
		return nil, err
	}
	tables := &tables{keys: overlap.NewSet(), bands: rule.Bands}
	return &trial{
		rule: rule.String(), sketcher: sketcher, judge: stream.ByVotes(stream.BandIndex{Observe: tables.Observe}, 1),
		bytes: tables.bytes, close: closeNothing,
	}, nil
}

// tables holds the hash tables of MinHashLSH. Keys include the number of the band, so one table
// serves all bands.
type tables struct {
	keys  *overlap.Set
	bands int
	found []uint16 // scratch buffer
}

// Observe implements stream.BandIndex.Observe.
func (t *tables) Observe(keys []stream.Key, votes []uint16) (observed int, err error) {
	t.found = append(t.found[:0], make([]uint16, t.bands)...)
	for i := range votes {
		if _, err := t.keys.Observe(keys[i*t.bands:(i+1)*t.bands], t.found); err != nil {
			return i, err
		}
		votes[i] = 0
		for _, found := range t.found {
			votes[i] += found
		}
	}
	return len(votes), nil
}

// bytes returns the minimum size of such tables: for each key 16 bytes, and 4 for the number of the
// record.
func (t *tables) bytes() uint64 { return 20 * uint64(t.keys.Len()) }

func beginVerified(e *Evaluator, s Setting, _ size) (*trial, error) {
	rule, sketcher, err := e.banding(s, lsh.TuneForRecall, 1)
	if err != nil {
		return nil, err
	}
	index, err := signatures.New(signatures.Params{
		NumPerm: rule.NumPerm, Bands: rule.Bands, Rows: rule.Rows, Votes: 1, Threshold: s.Threshold,
	})
	if err != nil {
		return nil, err
	}
	return trialOf(index, sketch.Signed{Sketcher: sketcher}, rule.String()+", verified"), nil
}

func trialOf(index memory.Index, sketcher stream.Sketcher, rule string) *trial {
	return &trial{
		rule: rule, sketcher: sketcher, judge: stream.ByRecord(nil, matcher{index}.decide),
		bytes: func() uint64 { return index.Stats().Bytes }, close: index.Close,
	}
}

// A matcher judges by an index that knows originals.
type matcher struct{ index memory.Index }

func (m matcher) decide(b stream.Batch, i int) (v stream.Verdict, err error) {
	words := b.Sketch(i)
	if len(words) == 0 { // such as a text too short for a digest
		m.index.Pass(1)
		return v, nil
	}
	var match [1]memory.Match
	_, err = m.index.Observe(words, match[:])
	v.Duplicate = match[0].Record > 0
	return v, err
}

func beginParts(e *Evaluator, s Setting, of size) (*trial, error) {
	p, err := overlap.Params{Method: s.Method, NGram: s.NGram, Threshold: s.Threshold}.Complete()
	if err != nil {
		return nil, err
	}
	rate := e.FPRate
	if p.HasNGrams() { // votes of several n-grams decide
		rate = nGramRate
	}
	// PartsPerRecord is for records of 2 KB
	parts := float64(p.PartsPerRecord()) * max(float64(of.records), float64(of.bytes)/2000)
	index, err := bloomlsh.New(bloomlsh.Params{Bands: 1, Capacity: uint64(parts), FPRate: rate})
	if err != nil {
		return nil, err
	}
	memory := overlap.Memory{Observe: index.Observe, Query: index.Query}
	return &trial{
		sketcher: overlap.NewSketcher(p),
		judge:    overlap.NewJudge(p, memory).Judge(),
		bytes:    func() uint64 { return index.Stats().Bytes }, close: index.Close,
	}, nil
}

// nGramRate is the error rate of n-gram filters, as in the filter.
const nGramRate = 1e-3

func beginEqual(*Evaluator, Setting, size) (*trial, error) {
	set := overlap.NewSet()
	return &trial{
		sketcher: overlap.Exact{}, judge: stream.ByVotes(stream.BandIndex{Observe: set.Observe}, 1),
		bytes: func() uint64 { return 16 * uint64(set.Len()) }, close: closeNothing,
	}, nil
}

func closeNothing() error { return nil }

// About describes a method.
func About(name string) string {
	if m := find(name); m != nil {
		return m.about
	}
	return ""
}
