package record

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestLastIndexByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for size := range 2000 {
		buf := bytes.Repeat([]byte("x"), size)
		for range rng.IntN(4) {
			if size > 0 {
				buf[rng.IntN(size)] = '\n'
			}
		}
		if got, want := lastIndexByte(buf, '\n'), bytes.LastIndexByte(buf, '\n'); got != want {
			t.Fatalf("%d bytes: %d, want %d", size, got, want)
		}
	}
}
