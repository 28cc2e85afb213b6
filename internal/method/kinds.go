package method

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// An ExactKind describes what an exact memory remembers: signatures, samples, fingerprints or
// vectors.
type ExactKind struct {
	Name    string // among the parameters of an index
	entries string // the name of its entries

	// validate checks the parameters.
	validate func() error

	// begin returns an empty index. What exceeds its memory goes to files in dir, or in TMPDIR if
	// that is empty.
	begin func(dir string) (memory.Index, error)

	// Groups returns empty groups.
	Groups func() (memory.Groups, error)

	// checkRoom returns an error if that many entries do not fit into memory. what says where the
	// number comes from: ofCapacity, if that is a plan.
	checkRoom func(entries uint64, what string) error

	// maxMemory is what an index takes at most; nil where all of it is in memory. 0 is no limit.
	maxMemory *uint64
	isDivided bool // each of several memories has it

	after *afterLimit // takes over from an index of signatures; may be nil
}

const ofCapacity = "records (--capacity)"

// Limit bounds the memory of an index.
func (k *ExactKind) Limit(bytes uint64) error {
	if k.maxMemory == nil {
		return usage.Error(fmt.Errorf("--max-memory is for signatures and samples: an index of %s is all in memory",
			k.Name))
	}
	*k.maxMemory = bytes
	return nil
}

// indexOf and groupsOf return a nil interface with an error, not one that holds a nil pointer.
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

// signaturesOf describes the memory of MinHash signatures.
func signaturesOf(c spec.Method, keys identity.KeyKind) *ExactKind {
	return signatureKind(ExactParams(c, keys))
}

func signatureKind(p signatures.Params) *ExactKind {
	k := &ExactKind{
		Name: spec.MemoryExact, entries: "signatures", maxMemory: &p.MaxMemory,
		Groups:    func() (memory.Groups, error) { return groupsOf(signatures.NewGroups(p)) },
		checkRoom: func(entries uint64, what string) error { return checkRoom(p, entries, what) },
		validate:  func() error { return p.Validate() }, // as the limit is then
	}
	k.begin = func(dir string) (memory.Index, error) {
		own := p
		own.SpillDir = dir
		x, err := signatures.New(own)
		if k.after != nil {
			k.after.exact = x
		}
		return indexOf(x, err)
	}
	return k
}

// fingerprintKind describes a memory of fingerprints. advice says how to make them smaller.
func fingerprintKind(p fingerprints.Params, advice string) *ExactKind {
	return &ExactKind{
		Name: identity.MemoryOfFingerprints, entries: "fingerprints", validate: p.Validate,
		begin:  func(string) (memory.Index, error) { return indexOf(fingerprints.New(p)) },
		Groups: func() (memory.Groups, error) { return groupsOf(fingerprints.NewGroups(p)) },
		checkRoom: func(entries uint64, what string) error {
			return checkPeak(p.PeakBytes(entries), units.Count(entries)+" "+what, advice)
		},
	}
}

func vectorKind(p vectors.Params) *ExactKind {
	return &ExactKind{
		Name: identity.MemoryOfVectors, entries: "records", validate: p.Validate,
		begin:  func(string) (memory.Index, error) { return indexOf(vectors.New(p)) },
		Groups: func() (memory.Groups, error) { return groupsOf(vectors.NewGroups(p)) },
		checkRoom: func(entries uint64, what string) error {
			return checkPeak(p.Memory(entries), "the vectors of "+units.Count(entries)+" "+what, "")
		},
	}
}
