package identity

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// MemoryParameter is the parameter that names the memory of an index. One with Bloom filters alone
// lacks it.
const MemoryParameter = "memory"

// The names of memories beside those of package spec.
const (
	MemoryOfKeys         = "keys"         // knows which record had a key, for --equal and --key
	MemoryOfFingerprints = "fingerprints" // a log of fingerprints
	MemoryOfVectors      = "vectors"      // a log of vectors
	MemoryOfSamples      = "samples"      // a log of samples
	MemoryOfSets         = "sets"         // a log of sets without signatures
	// MemoryOfGroups has the sketches of all records, and groups them again each day.
	MemoryOfGroups = "groups"
)

// VerifyParameter tells an index whose log has sets of shingles from others, by how they are
// compared.
const VerifyParameter = "verify"

// SetsParameter says that whole sets are compared.
var SetsParameter = bloomlsh.Parameter{Name: VerifyParameter, Value: spec.VerifyText}

// SlotBitsParameter is the name of the bits of a slot in an identity.
const SlotBitsParameter = "slot-bits"

// SlotBits returns how many bits of each slot signatures keep.
func SlotBits(p sketch.Params) bloomlsh.Parameter {
	return bloomlsh.Parameter{Name: SlotBitsParameter, Value: strconv.Itoa(p.PackedBits())}
}

// MemoryOf returns the kind of memory of the index in dir.
func MemoryOf(dir string) (kind string, err error) {
	list, err := index.ReadParameters(dir)
	return MemoryIn(list), err
}

// MemoryIn returns the kind of memory of an index with these parameters.
func MemoryIn(list []bloomlsh.Parameter) string {
	if kind, given := parameter.Value(list, MemoryParameter); given {
		return kind
	}
	return spec.MemoryBloom // without that parameter
}

// HasFilters reports whether an index with that memory has Bloom filters.
func HasFilters(memory string) bool { return memory == spec.MemoryBloom || memory == spec.MemoryAuto }
