package dedup

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// remembered is how texts are judged, and what is remembered of them.
type remembered struct {
	method  stream.Method
	options Options
	exact   bool
	bytes   func() uint64 // that it takes
	memory  io.Closer
	store   *bloomlsh.Store // memory, if it is kept in a directory
}

// open opens what the options ask for.
func (o Options) open() (*remembered, error) {
	m, err := o.openMemory()
	if err != nil {
		return nil, o.openError(err)
	}
	m.options = o
	return m, nil
}

func (o Options) openMemory() (*remembered, error) {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return nil, &ConfigError{"Threshold", fmt.Errorf("a threshold of %v must be between 0 and 1", o.Threshold)}
	case o.Exact && o.Index != "":
		return nil, &ConfigError{"Exact", errors.New("signatures are not kept in a directory: leave Options.Index or " +
			"Options.Exact out")}
	case o.MaxMemory > 0 && o.Index != "":
		return nil, &ConfigError{"MaxMemory", errors.New("an index is as large as Options.Capacity says: leave " +
			"Options.MaxMemory out")}
	}
	rule, err := o.rule()
	if err != nil {
		return nil, &ConfigError{"Threshold", err}
	}
	params := sketch.Default()
	params.NumPerm, params.Bands, params.Rows = rule.NumPerm, rule.Bands, rule.Rows
	sketcher, err := sketch.New(params)
	if err != nil {
		return nil, err
	}
	if o.Exact {
		return o.openExact(sketcher, rule)
	}
	return o.openFilters(sketcher, rule)
}

// rule is how many bands there are, and how many of them make a duplicate: the program's, tuned
// where another threshold is given. A memory that compares what it finds needs one band.
func (o Options) rule() (bloomlsh.Banding, error) {
	p := sketch.Default()
	if o.Threshold == 0 && !o.Exact {
		return bloomlsh.Banding{NumPerm: p.NumPerm, Bands: p.Bands, Rows: p.Rows, Votes: sketch.DefaultVotes}, nil
	}
	tune := bloomlsh.DefaultTuneOptions()
	tune.Threshold = o.threshold()
	if o.Exact {
		tune.How, tune.Votes = bloomlsh.TuneForRecall, 1
		rule, err := bloomlsh.Tune(tune)
		rule.NumPerm = max(rule.NumPerm, p.NumPerm) // sharper than what finds candidates
		return rule, err
	}
	return bloomlsh.Tune(tune)
}

func (o Options) threshold() float64 {
	return cmp.Or(o.Threshold, bloomlsh.DefaultTuneOptions().Threshold)
}

func (o Options) openFilters(sketcher *sketch.Sketcher, rule bloomlsh.Banding) (*remembered, error) {
	p, err := o.sized(bloomlsh.Params{Bands: rule.Bands, Votes: rule.Votes, Capacity: o.Capacity})
	if err != nil {
		return nil, err
	}
	of := func() stream.Sketcher { return bySymbols(sketcher, sketcher.Clone()) }
	m := &remembered{method: stream.Method{NewSketcher: of}}
	if o.Index == "" {
		index, err := bloomlsh.New(p)
		if err != nil {
			return nil, err
		}
		m.memory, m.method.Judge = index, stream.ByVotes(index, rule.Votes)
		m.bytes = func() uint64 { return index.Stats().Bytes }
		return m, nil
	}
	if m.store, err = bloomlsh.Open(o.Index, p, identity(sketcher.Params())); err != nil {
		return nil, err
	}
	m.memory, m.method.Judge = m.store, stream.ByVotes(m.store, rule.Votes)
	m.bytes = func() uint64 { return m.store.Stats().Bytes }
	return m, nil
}

// bySymbols has a sketcher compare texts that have no normal form by their bytes.
func bySymbols(made *sketch.Sketcher, of stream.Sketcher) stream.Sketcher {
	p := made.Params()
	symbols, _ := sketch.NewSymbols(p.Normalize, p.Tokenize) // which the sketcher knows
	return sketch.BySymbols{Of: of, Symbols: symbols}
}

// sized are the parameters of filters that take no more than MaxMemory.
func (o Options) sized(p bloomlsh.Params) (bloomlsh.Params, error) {
	if o.MaxMemory == 0 {
		return p, nil
	}
	p.OnFull = bloomlsh.OnFullRefuse
	fits := func(capacity uint64) bool {
		p.Capacity = capacity
		return p.FilterBytes() <= o.MaxMemory
	}
	least := max(1, o.Capacity)
	if !fits(least) {
		return p, &MemoryError{p.FilterBytes(), o.MaxMemory, bloomlsh.ErrMemory}
	}
	if o.Capacity > 0 {
		return p, nil
	}
	most := int(min(o.MaxMemory, math.MaxInt, 1<<40))                           // a text takes more than a byte
	more := sort.Search(most, func(n int) bool { return !fits(uint64(n) + 1) }) // the first that does not fit, less 1
	p.Capacity = uint64(max(1, more))
	return p, nil
}

// identity is what decides which texts resemble each other, and that an index is one of this
// package.
func identity(p sketch.Params) []bloomlsh.Parameter {
	return []bloomlsh.Parameter{
		{Name: "package", Value: "dedup"},
		{Name: "normalize", Value: p.Normalize},
		{Name: "tokenize", Value: p.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(p.ShingleSize)},
		{Name: "sketch", Value: p.Sketch},
		{Name: "num-perm", Value: strconv.Itoa(p.NumPerm)},
		{Name: "rows", Value: strconv.Itoa(p.Rows)},
	}
}

func (o Options) openExact(sketcher *sketch.Sketcher, rule bloomlsh.Banding) (*remembered, error) {
	p := signatures.Params{
		NumPerm: rule.NumPerm, Bands: rule.Bands, Rows: rule.Rows, Votes: rule.Votes, Threshold: o.threshold(),
	}
	if o.MaxMemory > 0 {
		p.Capacity = max(1, p.CapacityOf(o.MaxMemory))
	}
	index, err := signatures.New(p)
	if err != nil {
		return nil, err
	}
	return &remembered{
		method: stream.Method{
			NewSketcher: func() stream.Sketcher {
				return bySymbols(sketcher, sketch.Signed{Sketcher: sketcher.Clone()})
			},
			Judge: byOriginal{index},
		},
		exact: true, memory: index, bytes: func() uint64 { return index.Stats().Bytes },
	}, nil
}

// byOriginal is the judge of signatures.
type byOriginal struct{ *signatures.Index }

// Judge finds the original of each text.
func (x byOriginal) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	var match [1]memory.Match
	for i := range out {
		out[i] = stream.Verdict{}
		if len(b.Sketch(i)) == 0 {
			x.Pass(1)
			continue
		}
		if _, err := x.Observe(b.Sketch(i), match[:]); err != nil {
			return i, err
		}
		if m := match[0]; m.Record != 0 {
			out[i] = stream.Verdict{Duplicate: true, Original: m.Record, Similarity: m.Similarity}
		}
	}
	return len(out), nil
}

// commit has a directory remember what was read: so many texts more.
func (m *remembered) commit(read uint64) error {
	if m.store == nil {
		return nil
	}
	if err := m.store.Commit(bloomlsh.Position{Records: m.store.Committed().Records + read}); err != nil {
		return &IOError{"Index", err}
	}
	return nil
}

func (m *remembered) close() error {
	if err := m.memory.Close(); err != nil {
		return &IOError{"Index", err}
	}
	return nil
}
