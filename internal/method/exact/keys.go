package exact

import (
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/memory/keytimes"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// MapsKeysToRecords reports whether the memory knows which record had a key.
func MapsKeysToRecords(c spec.Method) bool {
	return c.Rule.Parts.ByEquality() && c.Memory.Kind == spec.MemoryExact
}

// KnowsTimes reports whether the memory knows when a key came last, to forget it to the second.
func KnowsTimes(c spec.Method) bool { return MapsKeysToRecords(c) && c.Memory.Forget.After > 0 }

// KindOfRecords describes the memory of records that are compared for equality.
func KindOfRecords(c spec.Method, _ identity.KeyKind) *Kind {
	age := time.Duration(0)
	if KnowsTimes(c) {
		age = c.Memory.Forget.After
	}
	return KindOfKeys(age, c.Memory.UnseenOnly())
}

// KindOfKeys describes a memory of keys. A key is the 128-bit hash of what is compared, so the
// memory is one of fingerprints at distance 0: it finds every equal key, and no other. With an age
// it also knows when each key came last.
func KindOfKeys(age time.Duration, unseenOnly bool) *Kind {
	if age == 0 {
		k := KindOfFingerprints(fingerprints.Params{Bits: 128, UnseenOnly: unseenOnly}, "")
		k.Name, k.Entries = identity.MemoryOfKeys, "keys"
		return k
	}
	p := keytimes.Params{Age: int64(age / time.Second), UnseenOnly: unseenOnly}
	return &Kind{
		Name: identity.MemoryOfKeys, Entries: "keys", Validate: p.Validate,
		Begin: func(string) (memory.Index, error) { return indexOf(keytimes.New(p)) },
		CheckRoom: func(entries uint64, what string) error {
			return checkPeak(p.PeakBytes(entries), units.Count(entries)+" "+what, "")
		},
	}
}

// in returns the kind of an index with these parameters, whose keys may have times.
func (k *Kind) in(list []bloomlsh.Parameter) *Kind {
	if k.Name != identity.MemoryOfKeys {
		return k
	}
	return KindOfKeys(identity.ExactAge(list), false)
}
