package overlap_test

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
)

// The key of a text is published: any program with xxh3-128 can make it.
func TestExactKey(t *testing.T) {
	words, ok := overlap.Exact{}.Append([]uint64{7}, []byte("bread and butter"))
	if !ok || len(words) != 3 || words[0] != 7 || words[1] != 0x2eabadc2cf9ac52c || words[2] != 0xead9db8203852e2e {
		t.Errorf("got %x, %v", words, ok)
	}
	if words, ok := (overlap.Exact{}).Append(nil, nil); ok || len(words) != 0 {
		t.Errorf("an empty text: %x, %v", words, ok)
	}
}
