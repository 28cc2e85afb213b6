package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// MemoryOfKeys names the memory of an index that knows which record had a key, for --equal and
// --key.
const MemoryOfKeys = "keys"

// keysParameter tells such an index from one that holds keys in Bloom filters.
var keysParameter = bloomlsh.Parameter{Name: MemoryParameter, Value: MemoryOfKeys}

// mapsKeysToRecords reports whether the memory knows which record had a key.
func mapsKeysToRecords(c spec.Method) bool {
	return c.Rule.Parts.ByEquality() && c.Memory.Kind == spec.MemoryExact
}

// keysOfRecords describes the memory of records that are compared for equality. A key is the
// 128-bit hash of what is compared, so the memory is one of fingerprints at distance 0: it finds
// every equal key, and no other.
func keysOfRecords(c spec.Method, _ KeyKind) *ExactKind {
	k := fingerprintKind(fingerprints.Params{Bits: 128, UnseenOnly: c.Memory.UnseenOnly()}, "")
	k.Name, k.entries = MemoryOfKeys, "keys"
	return k
}

// pageOfKeys says what a record is compared by.
func pageOfKeys(c spec.Method, _ KeyKind) Page {
	return Page{Parameters: equalityParameters(c)}
}

// equalityParameters say what is compared for equality.
func equalityParameters(c spec.Method) []bloomlsh.Parameter {
	return parameters("method", c.Rule.Parts.Method, "normalize", c.Rule.Text.Normalize)
}

// ofKeys completes the description of a memory of keys.
func (m *storedMemory) ofKeys(_ string, files *SketchFiles) error {
	m.Kind = keysOfRecords(spec.Method{}, KeyKind{})
	if files == nil {
		return nil
	}
	return usage.Error(errors.New("it has keys of records, to which nothing is near: filter the records " +
		"by mithril-stream --read-only, and --originals names what they equal"))
}
