package sa

import (
	"bytes"
	"index/suffixarray"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// naive sorts suffixes by comparing them.
func naive(text []byte) []int {
	array := make([]int, len(text))
	for i := range array {
		array[i] = i
	}
	slices.SortFunc(array, func(a, b int) int { return bytes.Compare(text[a:], text[b:]) })
	return array
}

// check compares Sort under both index types with want.
func check(t interface{ Fatalf(string, ...any) }, text []byte, want []int) {
	checkAs[int32](t, text, want)
	checkAs[int64](t, text, want)
}

func checkAs[I Index](t interface{ Fatalf(string, ...any) }, text []byte, want []int) {
	array := make([]I, len(text))
	for i := range array {
		array[i] = 77 // Sort must not rely on a clean array
	}
	if err := Sort(text, array); err != nil {
		t.Fatalf("Sort(%q): %v", text, err)
	}
	for i := range want {
		if int(array[i]) != want[i] {
			t.Fatalf("Sort(%q) = %v, want %v", text, array, want)
		}
	}
}

// every calls f with all strings of up to length letters below alphabet.
func every(alphabet byte, length int, f func(text []byte)) {
	for n := 0; n <= length; n++ {
		text := make([]byte, n)
		for {
			f(text)
			i := n - 1
			for ; i >= 0 && text[i] == alphabet-1; i-- {
				text[i] = 0
			}
			if i < 0 {
				break
			}
			text[i]++
		}
	}
}

func TestSortOfEveryShortText(t *testing.T) {
	two, three := 18, 11
	if testing.Short() {
		two, three = 12, 7
	}
	narrow := func(text []byte) { checkAs[int32](t, text, naive(text)) }
	every(2, two, narrow)
	every(3, three, narrow)
	wide := func(text []byte) { checkAs[int64](t, text, naive(text)) }
	every(2, two-4, wide) // the same code
	every(3, three-3, wide)
}

// repetitive returns texts on which careless algorithms are slow or wrong.
func repetitive(n int) map[string][]byte {
	fibonacci := [2][]byte{[]byte("b"), []byte("a")}
	for len(fibonacci[1]) < n {
		fibonacci[0], fibonacci[1] = fibonacci[1], append(slices.Clone(fibonacci[1]), fibonacci[0]...)
	}
	thueMorse := []byte{0}
	for len(thueMorse) < n {
		for _, c := range slices.Clone(thueMorse) {
			thueMorse = append(thueMorse, 1-c)
		}
	}
	ladder := make([]byte, n)
	for i := range ladder {
		ladder[i] = byte(i * 256 / n)
	}
	down := slices.Clone(ladder)
	slices.Reverse(down)
	return map[string][]byte{
		"one letter":  bytes.Repeat([]byte("a"), n),
		"last is b":   append(bytes.Repeat([]byte("a"), n-1), 'b'),
		"last is 0":   append(bytes.Repeat([]byte("a"), n-1), 0),
		"two periods": append(bytes.Repeat([]byte("abc"), n/6), bytes.Repeat([]byte("abd"), n/6)...),
		"fibonacci":   fibonacci[1][:n],
		"thue-morse":  thueMorse[:n],
		"de bruijn":   deBruijn(12),
		"ladder":      ladder,
		"down":        down,
		"0xff":        bytes.Repeat([]byte{0xff, 0xff, 0}, n/3),
	}
}

// deBruijn holds every string of order binary letters once (the greedy "prefer one" construction).
func deBruijn(order int) []byte {
	seen := make([]bool, 1<<order)
	text := make([]byte, order)
	state := 0
	seen[0] = true
	for {
		next := (state<<1 | 1) & (1<<order - 1)
		if seen[next] {
			next &^= 1
			if seen[next] {
				return text
			}
		}
		seen[next] = true
		text = append(text, byte(next&1))
		state = next
	}
}

func TestSortOfRepetitiveText(t *testing.T) {
	n := 50_000
	if testing.Short() {
		n = 3_000
	}
	for name, text := range repetitive(n) {
		t.Run(name, func(t *testing.T) {
			checkSorted[int32](t, text)
			checkSorted[int64](t, text)
		})
	}
}

// checkSorted proves in linear time that an array is the suffix array: it is a permutation, first
// symbols ascend, and neighbours with the same first symbol are ordered as their remainders are.
func checkSorted[I Index](t *testing.T, text []byte) {
	t.Helper()
	array := make([]I, len(text))
	if err := Sort(text, array); err != nil {
		t.Fatal(err)
	}
	rank := make([]int, len(text)+1)
	for i := range rank {
		rank[i] = -1 // the empty suffix ranks lowest
	}
	for i, p := range array {
		if rank[p] != -1 {
			t.Fatalf("suffix %d occurs twice", p)
		}
		rank[p] = i
	}
	for i := 1; i < len(array); i++ {
		a, b := array[i-1], array[i]
		if text[a] > text[b] || text[a] == text[b] && rank[a+1] > rank[b+1] {
			t.Fatalf("suffixes %d and %d are out of order", a, b)
		}
	}
}

func TestSortOfRandomText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]int{1, 2, 4, 26, 256}).Draw(t, "alphabet")
		text := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) byte {
			return byte(rapid.IntRange(0, alphabet-1).Draw(t, "c") * 255 / max(alphabet-1, 1))
		}), 0, 400).Draw(t, "text")
		check(t, text, naive(text))
	})
}

// Blocks are re-read only when an entry changes after it was fetched; long random texts exercise
// that.
func TestSortOfLongText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, alphabet := range []int{2, 3, 20, 256} {
		text := make([]byte, 200_000)
		for i := range text {
			text[i] = byte(r.IntN(alphabet))
		}
		checkSorted[int32](t, text)
		checkSorted[int64](t, text)
	}
}

func TestSortRefusesAnArrayOfAnotherLength(t *testing.T) {
	if err := Sort([]byte("abc"), make([]int32, 2)); err == nil {
		t.Fatal("no error")
	}
}

func FuzzSort(f *testing.F) {
	f.Add([]byte("mississippi"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 2000 {
			return
		}
		check(t, text, naive(text))
	})
}

// prose makes text that resembles language: words of a Zipf-like vocabulary, with some passages
// copied from earlier.
func prose(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.2, 4, 50_000)
	var text []byte
	for len(text) < n {
		if r.IntN(200) == 0 && len(text) > 1000 {
			from := r.IntN(len(text) - 800)
			text = append(text, text[from:from+100+r.IntN(700)]...)
		}
		for word := zipf.Uint64() + 1; word > 0; word /= 13 {
			text = append(text, "etaoinshrdluc"[word%13])
		}
		text = append(text, ' ')
	}
	return text[:n]
}

// BenchmarkSort reports its time as a ratio to index/suffixarray on the same text in the same run.
func BenchmarkSort(b *testing.B) {
	text := prose(8 << 20)
	array := make([]int32, len(text))
	var theirs time.Duration
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Sort(text, array); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		start := time.Now()
		suffixarray.New(text)
		theirs += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(theirs), "×suffixarray")
}
