package known

import (
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"
)

// TestTableGrows enters more hashes than there are places at first, and finds nearly all.
func TestTableGrows(t *testing.T) {
	k := New(1<<12, true)
	k.used = 1
	k.Open()
	defer k.Close()
	hash := func(i int) uint64 { return xxh3.HashString(fmt.Sprint(i)) }
	const texts = 16000
	for i := range texts {
		k.Insert(hash(i), hash(-i))
	}
	found := 0
	for i := range texts {
		if sketch, isKnown := k.lookUpHash(hash(i), k.size.Load()).Find(); isKnown {
			if found++; sketch != hash(-i) {
				t.Fatalf("text %d has the hash of another sketch", i)
			}
		}
		if _, isKnown := k.lookUpHash(hash(texts+i), k.size.Load()).Find(); isKnown {
			t.Fatalf("text %d is known and was not entered", texts+i)
		}
	}
	if found < texts*9/10 || k.used != k.most {
		t.Errorf("%d of %d hashes are found in %d buckets", found, texts, k.used)
	}
}
