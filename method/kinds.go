package method

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
)

// An ExactKind is what an exact memory remembers: signatures, fingerprints or vectors.
type ExactKind interface {
	// Name is its name among the parameters of an index, and Entries what it calls its entries.
	Name() string
	Entries() string

	// Validate reports what has no meaning.
	Validate() error

	// Begin returns an empty index. What is beyond its memory goes to files in dir, or in TMPDIR if
	// that is empty.
	Begin(dir string) (memory.Index, error)

	// Groups returns groups of no record.
	Groups() (memory.Groups, error)

	// CheckRoom refuses so many entries for which there is no room. what says where the number
	// comes from.
	CheckRoom(entries uint64, what string) error

	// Limit has an index take at most so much memory.
	Limit(bytes uint64) error
}

// signaturesOf is what is remembered of MinHash signatures.
func signaturesOf(c *config.Filter, keys KeyKind) ExactKind {
	return &signatureKind{Params: ExactParams(c, keys)}
}

// indexOf and groupsOf make no memory of an error one that is there.
func indexOf[X memory.Index](x X, err error) (memory.Index, error) {
	if err != nil {
		return nil, err
	}
	return x, nil
}

func groupsOf[G memory.Groups](g G, err error) (memory.Groups, error) {
	if err != nil {
		return nil, err
	}
	return g, nil
}

// signatureKind is the ExactKind of signatures.
type signatureKind struct {
	signatures.Params
	after *afterLimit // what goes on after an index, or nil
}

func (*signatureKind) Name() string { return config.MemoryExact }

func (*signatureKind) Entries() string { return "signatures" }

func (k *signatureKind) Begin(dir string) (memory.Index, error) {
	p := k.Params
	p.SpillDir = dir
	x, err := signatures.New(p)
	if k.after != nil {
		k.after.exact = x
	}
	return indexOf(x, err)
}

func (k *signatureKind) Groups() (memory.Groups, error) {
	return groupsOf(signatures.NewGroups(k.Params))
}

func (k *signatureKind) CheckRoom(entries uint64, what string) error {
	return checkRoom(k.Params, entries, what)
}

func (k *signatureKind) Limit(bytes uint64) error {
	k.MaxMemory = bytes
	return nil
}

// MemoryOfFingerprints is what an index with a log of fingerprints has for its memory.
const MemoryOfFingerprints = "fingerprints"

// fingerprintKind is the ExactKind of fingerprints.
type fingerprintKind struct{ fingerprints.Params }

func (fingerprintKind) Name() string { return MemoryOfFingerprints }

func (fingerprintKind) Entries() string { return "fingerprints" }

func (k fingerprintKind) Begin(string) (memory.Index, error) {
	return indexOf(fingerprints.New(k.Params))
}

func (k fingerprintKind) Groups() (memory.Groups, error) {
	return groupsOf(fingerprints.NewGroups(k.Params))
}

func (k fingerprintKind) CheckRoom(entries uint64, what string) error {
	advice := ""
	if k.Measure == fingerprints.Hamming {
		advice = ", or a smaller --distance, or --bits 64"
	}
	return checkPeak(k.PeakBytes(entries), units.Count(entries)+" "+what, advice)
}

func (k fingerprintKind) Limit(uint64) error { return errUnlimited(k) }

// MemoryOfVectors is what an index with a log of vectors has for its memory.
const MemoryOfVectors = "vectors"

// vectorKind is the ExactKind of vectors.
type vectorKind struct{ vectors.Params }

func (vectorKind) Name() string { return MemoryOfVectors }

func (vectorKind) Entries() string { return "records" }

func (k vectorKind) Begin(string) (memory.Index, error) { return indexOf(vectors.New(k.Params)) }

func (k vectorKind) Groups() (memory.Groups, error) { return groupsOf(vectors.NewGroups(k.Params)) }

func (k vectorKind) CheckRoom(entries uint64, what string) error {
	return checkPeak(k.Memory(entries), "the vectors of "+units.Count(entries)+" "+what, "")
}

func (k vectorKind) Limit(uint64) error { return errUnlimited(k) }

// errUnlimited is the error of --max-memory for what is all in memory.
func errUnlimited(kind ExactKind) error {
	return usage.Error(fmt.Errorf("--max-memory is for signatures and samples: an index of %s is all in memory",
		kind.Name()))
}
