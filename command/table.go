package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A method is a way to find duplicates: what is made of a text, and who judges it. Everything that
// judges takes it from the table: runs, groups, consumers, indexes that are asked.
type method struct {
	name string
	// is reports whether that is how records are to be compared.
	is func(c *config.Filter) bool
	// sketcher returns what makes a sketcher for each worker, of texts that are taken out of markup
	// already, and of which kind its sketches are.
	sketcher func(c *config.Filter) (func() stream.Sketcher, keyKind, error)
	// begin returns the judge of a run.
	begin func(o *opening) (*judging, error)
	// kind is what the judge remembers of records that it can name, or nil if it names none.
	kind func(c *config.Filter, keys keyKind) exactKind
}

// methods are all of them. The first one that is meant counts.
var methods = []method{
	{name: "embedding",
		is:       func(c *config.Filter) bool { return c.Similar.ByVectors() },
		sketcher: vectorSketcher, begin: beginExact,
		kind: func(c *config.Filter, keys keyKind) exactKind { return vectorKind{vectorParams(c, keys)} }},
	{name: "parts, exactly",
		is:       func(c *config.Filter) bool { return c.Method != "" && c.Memory == config.MemoryExact },
		sketcher: partSketcher, begin: beginSet},
	{name: "parts",
		is:       func(c *config.Filter) bool { return c.Method != "" },
		sketcher: partSketcher, begin: beginFilters},
	{name: "fingerprint",
		is:       func(c *config.Filter) bool { return c.Fingerprint != nil },
		sketcher: fingerprintSketcher, begin: beginExact,
		kind: func(c *config.Filter, _ keyKind) exactKind { return fingerprintKind{fingerprintParams(c)} }},
	{name: "MinHash, exactly",
		is:       func(c *config.Filter) bool { return c.Memory == config.MemoryExact },
		sketcher: minHashSketcher, begin: beginExact, kind: signaturesOf},
	{name: "MinHash, exactly up to a limit",
		is:       func(c *config.Filter) bool { return c.Memory == config.MemoryAuto },
		sketcher: minHashSketcher, begin: beginAuto, kind: signaturesOf},
	{name: "MinHash",
		is:       func(c *config.Filter) bool { return true },
		sketcher: minHashSketcher, begin: beginFilters, kind: signaturesOf},
}

// methodOf is the method that is asked for.
func methodFor(c *config.Filter) method {
	return methods[slices.IndexFunc(methods, func(m method) bool { return m.is(c) })]
}

// open returns the judge of a run.
func (m method) open(o opening) (*judging, error) {
	o.kind = m.kind
	return m.begin(&o)
}

// An opening is what a method is told of the run that it judges for.
type opening struct {
	c       *config.Filter
	std     files.Streams
	threads int
	keys    keyKind
	format  stream.Format
	kind    func(c *config.Filter, keys keyKind) exactKind // of the method; nil if it names no records
	// openStore opens the index of a directory: bloomlsh.Open, or another way.
	openStore openStore
	// partsPerRecord counts the parts of the first records, where records are judged by parts.
	partsPerRecord func() (float64, error)
}

// A judging is a method at work. What it has none of is nil, and its methods take that for nothing.
type judging struct {
	judge      stream.Judge
	similarity func(votes int) float64 // that votes mean, or nil
	ahead      int64                   // bytes of batches that the judge wants to foresee
	filters    *seen                   // Bloom filters
	exact      *exactMemory            // knows which record another one resembles
	pieces     *overlap.Judge          // knows which parts of a record were seen
	set        *overlap.Set            // of parts that are remembered exactly
}

// store is what is committed with a run, or nil if nothing is kept.
func (j *judging) store() *bloomlsh.Store {
	if j.exact != nil && j.exact.store != nil {
		return j.exact.store
	}
	return j.filters.durable()
}

// judges reports whether records are compared at all.
func (j *judging) judges() bool { return j.filters != nil || j.exact != nil || j.set != nil }

// names reports whether originals have names.
func (j *judging) names() bool { return j.exact != nil }

// progress says how large the memory is.
func (j *judging) progress() (parts []files.Part) {
	if g := j.filters; g != nil && (j.exact == nil || g.inserted.Load() > 0) {
		parts = append(parts, files.Part{Text: fmt.Sprintf("index %s of %s records, %s", units.Count(g.inserted.Load()),
			units.Count(g.capacity.Load()), units.Bytes(g.bytes.Load())), Rank: 4})
	}
	if e := j.exact; e != nil && e.bytes.Load() > 0 {
		parts = append(parts, files.Part{Text: fmt.Sprintf("index %s signatures, %s", units.Count(e.entries.Load()),
			units.Bytes(e.bytes.Load())), Rank: 4})
	}
	return parts
}

// close closes the memory, and the index that it is kept in.
func (j *judging) close() error {
	if j == nil { // the run has not come so far
		return nil
	}
	return errors.Join(j.exact.close(), j.filters.close())
}
