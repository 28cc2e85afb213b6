package command

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

// An exactKind is what an exact memory remembers: signatures, fingerprints or vectors.
type exactKind interface {
	// memory is its name among the parameters of an index, and entries what it calls its entries.
	memory() string
	entries() string

	// Validate reports what has no meaning.
	Validate() error

	// begin returns an empty index. What is beyond its memory goes to files in dir, or in TMPDIR if
	// that is empty.
	begin(dir string) (memory.Index, error)

	// groups returns groups of no record.
	groups() (memory.Groups, error)

	// checkRoom refuses so many entries for which there is no room. what says where the number
	// comes from.
	checkRoom(entries uint64, what string) error

	// limit has an index take at most so much memory.
	limit(bytes uint64) error
}

// exactKind is what a run remembers, or puts into groups.
func (f *filterRun) exactKind() exactKind {
	switch {
	case f.c.Fingerprint != nil:
		return fingerprintKind{fingerprintParams(f.c)}
	case f.c.Similar.ByVectors():
		return vectorKind{vectorParams(f.c, f.keys)}
	}
	return &signatureKind{Params: exactParams(f.c, f.keys)}
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

// signatureKind is the exactKind of signatures.
type signatureKind struct {
	signatures.Params
	after *afterLimit // what goes on after an index, or nil
}

func (*signatureKind) memory() string { return config.MemoryExact }

func (*signatureKind) entries() string { return "signatures" }

func (k *signatureKind) begin(dir string) (memory.Index, error) {
	p := k.Params
	p.SpillDir = dir
	x, err := signatures.New(p)
	if k.after != nil {
		k.after.exact = x
	}
	return indexOf(x, err)
}

func (k *signatureKind) groups() (memory.Groups, error) {
	return groupsOf(signatures.NewGroups(k.Params))
}

func (k *signatureKind) checkRoom(entries uint64, what string) error {
	return checkRoom(k.Params, entries, what)
}

func (k *signatureKind) limit(bytes uint64) error {
	k.MaxMemory = bytes
	return nil
}

// memoryOfFingerprints is what an index with a log of fingerprints has for its memory.
const memoryOfFingerprints = "fingerprints"

// fingerprintKind is the exactKind of fingerprints.
type fingerprintKind struct{ fingerprints.Params }

func (fingerprintKind) memory() string { return memoryOfFingerprints }

func (fingerprintKind) entries() string { return "fingerprints" }

func (k fingerprintKind) begin(string) (memory.Index, error) {
	return indexOf(fingerprints.New(k.Params))
}

func (k fingerprintKind) groups() (memory.Groups, error) {
	return groupsOf(fingerprints.NewGroups(k.Params))
}

func (k fingerprintKind) checkRoom(entries uint64, what string) error {
	advice := ""
	if k.Measure == fingerprints.Hamming {
		advice = ", or a smaller --distance, or --bits 64"
	}
	return checkPeak(k.PeakBytes(entries), units.Count(entries)+" "+what, advice)
}

func (k fingerprintKind) limit(uint64) error { return errUnlimited(k) }

// memoryOfVectors is what an index with a log of vectors has for its memory.
const memoryOfVectors = "vectors"

// vectorKind is the exactKind of vectors.
type vectorKind struct{ vectors.Params }

func (vectorKind) memory() string { return memoryOfVectors }

func (vectorKind) entries() string { return "records" }

func (k vectorKind) begin(string) (memory.Index, error) { return indexOf(vectors.New(k.Params)) }

func (k vectorKind) groups() (memory.Groups, error) { return groupsOf(vectors.NewGroups(k.Params)) }

func (k vectorKind) checkRoom(entries uint64, what string) error {
	return checkPeak(k.Memory(entries), "the vectors of "+units.Count(entries)+" "+what, "")
}

func (k vectorKind) limit(uint64) error { return errUnlimited(k) }

// errUnlimited is the error of --max-memory for what is all in memory.
func errUnlimited(kind exactKind) error {
	return usage.Error(fmt.Errorf("--max-memory is for signatures: an index of %s is all in memory", kind.memory()))
}
