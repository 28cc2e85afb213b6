package sa

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
)

// LCP returns, for each entry of a text's suffix array, the length in bytes of the longest common
// prefix of that suffix and the one before it. The first entry is 0.
//
// It is the Φ algorithm (Kärkkäinen, Manzini, Puglisi: Permuted Longest-Common-Prefix Array, CPM
// 2009): like Kasai's it finds the lengths in text order, where each is at least the one before it
// less one, but it stores each suffix's predecessor beforehand, so that the loop that compares has
// one cache miss a suffix where Kasai's has two. A part of the text needs nothing from the part
// before it, so parts run in parallel.
func LCP[I Index](text []byte, array []I) ([]I, error) {
	if len(array) != len(text) {
		return nil, fmt.Errorf("lcp: suffix array of %d entries for a text of %d bytes", len(array), len(text))
	}
	permuted := prefixes(text, array)
	lcp := make([]I, len(array))
	parts(len(array), func(from, to int) {
		for i, p := range array[from:to] {
			lcp[from+i] = permuted[p]
		}
	})
	return lcp, nil
}

// prefixes returns the LCP of each suffix and its predecessor in the array, in text order.
func prefixes[I Index](text []byte, array []I) []I {
	if len(text) == 0 {
		return nil
	}
	phi := make([]I, len(text)) // the predecessor of each suffix, then overwritten by the length
	parts(len(array), func(from, to int) {
		if from == 0 {
			phi[array[0]] = -1
			from = 1
		}
		for i := from; i < to; i++ {
			phi[array[i]] = array[i-1]
		}
	})
	parts(len(text), func(from, to int) {
		length := 0
		for p := from; p < to; p++ {
			q := int(phi[p])
			if q < 0 {
				length = 0
			} else {
				length += CommonPrefix(text[p+length:], text[q+length:])
			}
			phi[p] = I(length)
			length = max(length-1, 0)
		}
	})
	return phi
}

// CommonPrefix returns the length of the longest common prefix of a and b.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// serial is the length below which starting goroutines costs more than they save.
const serial = 1 << 14

// parts calls f for consecutive parts of 0 … n, one for each processor, at the same time. Parts
// begin at multiples of 64, so that no two touch the same word of a bitmap.
func parts(n int, f func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	if n < serial || workers == 1 {
		f(0, n)
		return
	}
	size := (n/workers + 64) &^ 63
	var wait sync.WaitGroup
	for from := 0; from < n; from += size {
		wait.Go(func() { f(from, min(from+size, n)) })
	}
	wait.Wait()
}
