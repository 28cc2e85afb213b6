package dedup

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// method is what the options ask for, as the command line of the program would.
func (o Options) method() (spec.Method, error) {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return spec.Method{}, &ConfigError{"Threshold",
			fmt.Errorf("a threshold of %v must be between 0 and 1", o.Threshold)}
	case o.MaxMemory > 0 && o.Index != "":
		return spec.Method{}, &ConfigError{"MaxMemory",
			errors.New("an index is as large as its texts need: leave Options.MaxMemory out")}
	}
	if err := o.checkRun(); err != nil {
		return spec.Method{}, err
	}
	within := spec.ParseWithin(o.Within)
	if err := record.CheckName(record.JSONLines(nil), within.Field); err != nil {
		return spec.Method{}, &ConfigError{"Within", err}
	}
	kind := spec.MemoryBloom
	if o.Exact {
		kind = spec.MemoryExact
	}
	m := spec.Default(o.Threshold, kind)
	m.Memory.Index, m.Rule.Within = o.Index, within
	if o.Capacity > 0 {
		m.Memory.Filters.Capacity, m.Memory.Filters.Planned = o.Capacity, true
	}
	switch {
	case o.MaxMemory == 0:
		return m, nil
	case o.Exact:
		m.Memory.Limit = spec.Limit{Bytes: o.MaxMemory, Refuses: true}
		return m, nil
	}
	rule, err := m.Rule.Banding()
	if err != nil {
		return m, &ConfigError{"Threshold", err}
	}
	m.Memory.Filters.Capacity, err = o.sized(bloomlsh.Params{Bands: rule.Bands, Votes: rule.Votes})
	m.Memory.Filters.Planned, m.Memory.Filters.OnFull = true, bloomlsh.OnFullRefuse
	return m, err
}

// checkRun returns an error if Run cannot be the name of a run.
func (o Options) checkRun() error {
	if o.Run == "" {
		return nil
	}
	if o.Index == "" {
		return &ConfigError{"Run", errors.New("a run can be repeated if there is an index: give Options.Index")}
	}
	if err := journal.CheckName(o.Run); err != nil {
		return &ConfigError{"Run", err}
	}
	return nil
}

// sized is for how many texts there are filters that take no more than MaxMemory: those of
// Capacity, or as many as possible.
func (o Options) sized(p bloomlsh.Params) (capacity uint64, err error) {
	p.OnFull, p.FPRate = bloomlsh.OnFullRefuse, spec.DefaultFPRate
	fits := func(capacity uint64) bool {
		p.Capacity = capacity
		return p.FilterBytes() <= o.MaxMemory
	}
	least := max(1, o.Capacity)
	if !fits(least) {
		return 0, &MemoryError{p.FilterBytes(), o.MaxMemory, bloomlsh.ErrMemory}
	}
	if o.Capacity > 0 {
		return o.Capacity, nil
	}
	most := int(min(o.MaxMemory, math.MaxInt, 1<<40))                           // a text takes more than a byte
	more := sort.Search(most, func(n int) bool { return !fits(uint64(n) + 1) }) // the first that does not fit, less 1
	return uint64(max(1, more)), nil
}

// remembered is how texts are judged, and what is remembered of them.
type remembered struct {
	options     Options
	newSketcher func() stream.Sketcher
	detector    *method.Detector
	session     *method.Session
}

// open opens what the options ask for.
func (o Options) open() (*remembered, error) {
	m, err := o.method()
	if err != nil {
		return nil, err
	}
	opened := &remembered{options: o}
	var keys identity.KeyKind
	m = identity.AsStored(m, m.Memory.Indexes()...)
	if opened.newSketcher, keys, err = method.SketcherOf(m); err != nil {
		return nil, &ConfigError{"Threshold", err} // all else is the default
	}
	opened.detector, err = method.For(m).Open(method.Opening{
		Method: m, Keys: keys, Records: filters.Endless,
	})
	if err != nil {
		return nil, o.openError(err)
	}
	if opened.session, err = opened.detector.Session(o.Index, method.Naming{Name: o.Run}); err != nil {
		return nil, errors.Join(o.sessionError(err), opened.close())
	}
	return opened, nil
}

// texts is how many texts there have been in the life of a memory that knows originals, and else 0.
func (m *remembered) texts() uint64 {
	if m.detector.Exact == nil {
		return 0
	}
	return m.detector.Exact.Index.Stats().Records
}

// nameOfTexts is the input that texts are named by in an index: the first one is dedup:1.
const nameOfTexts = "dedup"

// name gives the text that was judged last its name, where originals have names.
func (m *remembered) name(v stream.Verdict) error {
	if m.detector.Exact == nil || m.session.Repeats() {
		return nil
	}
	return m.detector.Exact.Observe(&stream.Decided{
		Decision: stream.Decision{Verdict: v}, Input: nameOfTexts, Record: m.texts(),
	})
}

// verdict is what callers are told.
func (m *remembered) verdict(text string, v stream.Verdict) Verdict {
	told := Verdict{Text: text, Duplicate: v.Duplicate, Original: -1}
	if m.options.Exact && v.Duplicate {
		told.Original, told.Similarity = int(v.Original)-1, float64(v.Similarity)
	}
	return told
}

// commit commits that many further texts to a directory.
func (m *remembered) commit(texts uint64) error {
	if err := m.session.Commit(texts); err != nil {
		return m.options.sessionError(err)
	}
	return nil
}

func (m *remembered) close() error {
	if err := errors.Join(m.session.Close(), m.detector.Close()); err != nil {
		return &IOError{"Index", err}
	}
	return nil
}
