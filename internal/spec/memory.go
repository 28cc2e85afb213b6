package spec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// Values of Memory.Kind.
const (
	MemoryBloom = "bloom" // Bloom filters, which know that a record was seen
	MemoryExact = "exact" // knows which earlier record a duplicate resembles
	MemoryAuto  = "auto"  // exact up to Memory.Limit, Bloom filters from there on
)

// RememberUnseen is the Memory.Remember that compares a record with those that were kept alone.
const RememberUnseen = "unseen"

// A Memory says what is remembered of records, and where.
type Memory struct {
	Kind string
	OwnIndex
	Against  []string // directories of indexes that are asked beside it
	Limit    Limit
	Remember string // all or unseen
	Filters  Filters
	Forget   Forget

	Counting   *counts.Selection // what is counted of groups of records; nil for nothing
	AfterLimit lsh.Banding       // of MemoryAuto: the rule of its Bloom filters
	MadeBy     []string          // the flags of the rule, which a new index keeps
	Signatures bool              // sketches have signatures, although nothing is remembered here
}

// An OwnIndex is the directory that keeps a memory; it is empty if the memory ends with the run.
// One that is read-only is asked, as those of Memory.Against are, and nothing is added.
type OwnIndex struct {
	Index    string `not:"set,kinds,audit,sketched" placeholder:"DIR" brief:"Keep what was seen here, for later runs" help:"@flags/index"`
	ReadOnly bool   `not:"past" needs:"--index DIR|--against DIR: without one there is nothing to compare with" help:"Look records up in --index and --against without adding them. Records are compared only with these, not with each other."`
}

// IsExact reports whether originals are known, at least at first.
func (m Memory) IsExact() bool { return m.Kind == MemoryExact || m.Kind == MemoryAuto }

// UnseenOnly reports whether a record is compared only with those that were kept.
func (m Memory) UnseenOnly() bool { return m.Remember == RememberUnseen }

// Spills is the limit of an exact memory, beyond which it goes on in files; 0 if it has none.
func (m Memory) Spills() uint64 {
	if m.Kind != MemoryExact || m.Limit.Refuses {
		return 0
	}
	return m.Limit.Bytes
}

// A Limit bounds the memory in use. The zero value means no limit.
type Limit struct {
	Bytes   uint64
	Refuses bool // an exact memory takes nothing in beyond it, instead of going on in files
}

// IsBanded reports whether signatures have to tell bands apart by themselves, because Bloom filters
// take their keys from them.
func (m Method) IsBanded() bool { return m.Memory.Kind == MemoryAuto }

// HasSets reports whether the memory keeps the sets of shingles that signatures represent.
func (m Method) HasSets() bool {
	return m.Memory.IsExact() && m.Rule.ComparesSets() && m.Rule.ByMinHash() && m.Rule.Parts.Method == "" &&
		m.Rule.Kinds == nil
}

// RarestFrom is the lowest threshold at which similar sets are found by their rarest elements.
const RarestFrom = .6

// FindsByRarest reports whether similar sets are found by their rarest elements, and not by bands
// of signatures. That is for sets of single words, or of other shingles of one token, at a
// threshold of RarestFrom or more: a few common words would be in the bands of thousands of texts.
// A shingle of several words is rare anyway. Bands do it if the user has asked for any, if what
// exceeds the memory has to go to files, or if sets are compared in another way than as a whole.
func (m Method) FindsByRarest() bool {
	r := m.Rule
	return m.Memory.Kind == MemoryExact && m.HasSets() && r.Verify == VerifyText && r.Verification.Shingle == 0 &&
		r.Text.ShingleSize == 1 && r.Threshold >= RarestFrom && r.IsOpen && m.Memory.Limit.Bytes == 0
}

// Indexes are the indexes whose records a run is compared with: its own, which may not be there
// yet, and the others.
func (m Memory) Indexes() []string {
	if m.Index == "" {
		return m.Against
	}
	return slices.Concat([]string{m.Index}, m.Against)
}

// Filters say how Bloom filters are made.
type Filters struct {
	Kind     string // tagged, paged or classic; empty for what suits the rule
	Capacity uint64 // records that they are planned for
	Planned  bool   // Capacity was asked for, and is not the default
	Parts    uint64 // parts of records that they are planned for; 0 for those of Capacity records
	FPRate   float64
	OnFull   string // grow or refuse
}

// Forget says what a memory forgets. The zero value forgets nothing.
type Forget struct {
	Generations int           // that are kept; 0 for all
	After       time.Duration // what is older is forgotten; 0 for nothing
	Time        TimeField     // where records say how old they are
}

// A TimeField is where the time of a record is: a field; or of lines of text line, with the year of
// the first of them or without it.
type TimeField string

const lineTime = "line"

// Field is the name of the field; of lines it is "line".
func (t TimeField) Field() string {
	if t.Year() > 0 {
		return lineTime
	}
	return string(t)
}

// Year is the year of the first line; 0 if none is said.
func (t TimeField) Year() int {
	digits, isLine := strings.CutPrefix(string(t), lineTime+":")
	year, err := strconv.ParseUint(digits, 10, 16)
	if !isLine || err != nil || len(digits) != 4 {
		return 0
	}
	return int(year)
}

// Kinds say how records are counted and limited by kinds.
type Kinds struct {
	Every       time.Duration // 0: it is not said what came again
	Rate        Rate          // zero: only the first record of a kind passes
	MaxKinds    int           // kinds
	ForgetAfter time.Duration // 0: kinds do not grow old
	Time        TimeField     // the field that says when a record was made; empty: the clock counts
}

// A Rate is a number of records in an interval.
type Rate struct {
	Records int
	Every   time.Duration
}
