package method

import (
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/memory/keytimes"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// keysParameter tells such an index from one that holds keys in Bloom filters.
var keysParameter = bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfKeys}

// mapsKeysToRecords reports whether the memory knows which record had a key.
func mapsKeysToRecords(c spec.Method) bool {
	return c.Rule.Parts.ByEquality() && c.Memory.Kind == spec.MemoryExact
}

// keysOfRecords describes the memory of records that are compared for equality.
func keysOfRecords(c spec.Method, _ identity.KeyKind) *ExactKind {
	age := time.Duration(0)
	if KnowsTimes(c) {
		age = c.Memory.Forget.After
	}
	return kindOfKeys(age, c.Memory.UnseenOnly())
}

// KnowsTimes reports whether it is remembered when a key came last, to forget it to the second.
func KnowsTimes(c spec.Method) bool { return mapsKeysToRecords(c) && c.Memory.Forget.After > 0 }

// kindOfKeys describes a memory of keys. A key is the 128-bit hash of what is compared, so the
// memory is one of fingerprints at distance 0: it finds every equal key, and no other. With an age
// it also knows when each key came last.
func kindOfKeys(age time.Duration, unseenOnly bool) *ExactKind {
	if age == 0 {
		k := fingerprintKind(fingerprints.Params{Bits: 128, UnseenOnly: unseenOnly}, "")
		k.Name, k.entries = identity.MemoryOfKeys, "keys"
		return k
	}
	p := keytimes.Params{Age: int64(age / time.Second), UnseenOnly: unseenOnly}
	return &ExactKind{
		Name: identity.MemoryOfKeys, entries: "keys", validate: p.Validate,
		begin: func(string) (memory.Index, error) { return indexOf(keytimes.New(p)) },
		checkRoom: func(entries uint64, what string) error {
			return checkPeak(p.PeakBytes(entries), units.Count(entries)+" "+what, "")
		},
	}
}

// in returns the kind of an index with these parameters, whose keys may have times.
func (k *ExactKind) in(list []bloomlsh.Parameter) *ExactKind {
	if k.Name != identity.MemoryOfKeys {
		return k
	}
	return kindOfKeys(identity.ExactAge(list), false)
}

// pageOfKeys says what a record is compared by.
func pageOfKeys(c spec.Method, _ identity.KeyKind) Page {
	return Page{Parameters: equalityParameters(c)}
}

// equalityParameters say what is compared for equality.
func equalityParameters(c spec.Method) []bloomlsh.Parameter {
	return parameters("method", c.Rule.Parts.Method, "normalize", c.Rule.Text.Normalize)
}

// ofKeys completes the description of a memory of keys.
func (m *storedMemory) ofKeys(_ string, files *SketchFiles) error {
	m.Kind = kindOfKeys(identity.ExactAge(m.All), false)
	if files == nil {
		return nil
	}
	return usage.Error(errors.New("it has keys of records, to which nothing is near: filter the records " +
		"by mithril-stream --read-only, and --originals names what they equal"))
}
