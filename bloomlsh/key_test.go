package bloomlsh_test

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestKeysArePackedInOneWay checks that a key is the same whether it is made of its halves, of the
// words of a sketch or of bytes.
func TestKeysArePackedInOneWay(t *testing.T) {
	sketcher, err := sketch.New(sketch.Default())
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("the quick brown fox jumps over the lazy dog")
	words, _ := sketcher.Append(nil, text)
	keys, _ := sketcher.BandKeys(nil, text)
	for i, key := range keys {
		packed := bloomlsh.PackKey(words[2*i], words[2*i+1])
		if packed != key || bloomlsh.KeyOfBytes(key.Bytes()) != key || stream.KeysOf(words)[i] != key {
			t.Fatalf("key %d is %x, packed %x, of bytes %x", i, key, packed, bloomlsh.KeyOfBytes(key.Bytes()))
		}
		if bloomlsh.PackKey(words[2*i+1], words[2*i]) == key {
			t.Fatal("the halves of a key are equal, so this test says nothing")
		}
	}
}
