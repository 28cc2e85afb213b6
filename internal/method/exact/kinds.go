package exact

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/memory/prefixes"
	"github.com/mithril-stream/mithril-stream/internal/memory/samples"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// A Kind describes what an exact memory remembers: signatures, samples, fingerprints,
// vectors, sets or keys.
type Kind struct {
	Name    string // among the parameters of an index
	Entries string // the name of its entries

	// Validate checks the parameters.
	Validate func() error

	// Begin returns an empty index. What exceeds its memory goes to files in dir, or in TMPDIR if
	// dir is empty.
	Begin func(dir string) (memory.Index, error)

	// Groups returns empty groups.
	Groups func() (memory.Groups, error)

	// CheckRoom returns an error if that many entries do not fit into memory. what says where the
	// number comes from: ofCapacity, if that is a plan.
	CheckRoom func(entries uint64, what string) error

	// maxMemory limits the memory of an index. 0 means no limit. It is nil if an index is all in
	// memory.
	maxMemory *uint64
	isDivided bool // the limit applies to each of several memories

	after *afterLimit // takes over from an index of signatures; may be nil
}

const ofCapacity = "records (--capacity)"

// Limit bounds the memory of an index.
func (k *Kind) Limit(bytes uint64) error {
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

// KindOfSignatures describes a memory of MinHash signatures.
func KindOfSignatures(p signatures.Params) *Kind {
	k := &Kind{
		Name: spec.MemoryExact, Entries: "signatures", maxMemory: &p.MaxMemory,
		Groups:    func() (memory.Groups, error) { return groupsOf(signatures.NewGroups(p)) },
		CheckRoom: func(entries uint64, what string) error { return checkRoom(p, entries, what) },
		Validate:  func() error { return p.Validate() }, // with the limit at that time
	}
	k.Begin = func(dir string) (memory.Index, error) {
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

// KindOfFingerprints describes a memory of fingerprints. advice says how to make them smaller.
func KindOfFingerprints(p fingerprints.Params, advice string) *Kind {
	return &Kind{
		Name: identity.MemoryOfFingerprints, Entries: "fingerprints", Validate: p.Validate,
		Begin:  func(string) (memory.Index, error) { return indexOf(fingerprints.New(p)) },
		Groups: func() (memory.Groups, error) { return groupsOf(fingerprints.NewGroups(p)) },
		CheckRoom: func(entries uint64, what string) error {
			return checkPeak(p.PeakBytes(entries), units.Count(entries)+" "+what, advice)
		},
	}
}

// KindOfVectors describes a memory of vectors.
func KindOfVectors(p vectors.Params) *Kind {
	return &Kind{
		Name: identity.MemoryOfVectors, Entries: "records", Validate: p.Validate,
		Begin:  func(string) (memory.Index, error) { return indexOf(vectors.New(p)) },
		Groups: func() (memory.Groups, error) { return groupsOf(vectors.NewGroups(p)) },
		CheckRoom: func(entries uint64, what string) error {
			return checkPeak(p.Memory(entries), "the vectors of "+units.Count(entries)+" "+what, "")
		},
	}
}

// KindOfSets describes a memory of sets.
func KindOfSets(p prefixes.Params) *Kind {
	return &Kind{
		Name: identity.MemoryOfSets, Entries: "sets", Validate: p.Validate,
		Begin: func(dir string) (memory.Index, error) {
			own := p
			own.SpillDir = dir
			return indexOf(prefixes.New(own))
		},
		Groups: func() (memory.Groups, error) { return groupsOf(prefixes.NewGroups(p)) },
		CheckRoom: func(entries uint64, what string) error {
			return checkPeak(p.PeakBytes(entries), "the sets of "+units.Count(entries)+" "+what,
				", or give --max-memory, which has signatures find similar records and the rest on disk")
		},
	}
}

// KindOfSamples describes a memory of samples.
func KindOfSamples(p samples.Params) *Kind {
	return &Kind{
		Name: identity.MemoryOfSamples, Entries: "samples", maxMemory: &p.MaxMemory,
		Validate: func() error { return p.Validate() }, // with the limit at that time
		Begin: func(dir string) (memory.Index, error) {
			own := p
			own.SpillDir = dir
			return indexOf(samples.New(own))
		},
		Groups: func() (memory.Groups, error) { return groupsOf(samples.NewGroups(p)) },
		CheckRoom: func(entries uint64, what string) error {
			peak, least := p.PeakBytes(entries), p.LeastMemory(entries)
			// The samples of an index may be of short texts, so they are read until memory runs
			// out.
			if what == ofCapacity && entries > 0 && p.MaxMemory > 0 && least > p.MaxMemory {
				return fmt.Errorf("%w: --max-memory must be at least %s for the samples of %s %s; a larger --scale "+
					"takes less", memory.ErrMemory, sizeFrom(least), units.Count(entries), what)
			}
			if p.MaxMemory > 0 {
				return checkPeak(min(peak, p.MaxMemory), "the samples of "+units.Count(entries)+" "+what, "")
			}
			return checkPeak(peak, "the samples of "+units.Count(entries)+" "+what, fmt.Sprintf(", or give "+
				"--max-memory %s or more, which has the rest on disk, or a larger --scale", sizeFrom(least)))
		},
	}
}
