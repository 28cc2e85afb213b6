package sketch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// The ways for processors with and without AVX2 are the same, for every byte and at every place.
func TestASCIIWithAndWithoutAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 20_000 {
		text := make([]byte, blockSize*(round%4)+rng.IntN(blockSize))
		beyond := rng.IntN(4) * rng.IntN(20) // how many of a hundred bytes are not ASCII
		for i := range text {
			text[i] = byte(rng.IntN(128))
			if rng.IntN(100) < beyond {
				text[i] |= 0x80
			}
		}
		n := len(text) / blockSize
		for name, ways := range map[string][2]func([]block, []byte, []byte){
			"alnum": {
				alnumBlocks, func(b []block, flat, text []byte) { tokenBlocks(b, flat, text, true) },
			},
			"non-space": {
				nonSpaceBlocks, func(b []block, flat, text []byte) { tokenBlocks(b, flat, text, false) },
			},
		} {
			var blocks [2][]block
			var flat [2][]byte
			for i, way := range ways {
				blocks[i], flat[i] = slices.Repeat([]block{{7, 7, 7}}, n), make([]byte, n*blockSize)
				way(blocks[i], flat[i], text)
			}
			if !slices.Equal(blocks[0], blocks[1]) || !bytes.Equal(flat[0], flat[1]) {
				t.Fatalf("%s of %q:\n%x %q\n%x %q", name, text, blocks[0], flat[0], blocks[1], flat[1])
			}
		}
		want, wantN := appendFoldedASCIISWAR([]byte("x"), text)
		if got, n := appendFoldedASCII([]byte("x"), text); n != wantN || !bytes.Equal(got, want) {
			t.Fatalf("fold of %q:\n got %q\nwant %q", text, got, want)
		}
	}
}
