//go:build linux && !purego

package sketch

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// withoutAVX2 runs f as on a processor that has none.
func withoutAVX2(f func()) {
	had, wide := hasAVX2, hasAVX512
	defer func() { hasAVX2, hasAVX512 = had, wide }()
	hasAVX2, hasAVX512 = false, false
	f()
}

// guarded returns size bytes after which the next one cannot be touched.
func guarded(t *testing.T, size int) []byte {
	pages := betweenGuards(t, size)
	return pages[len(pages)-size:]
}

// betweenGuards returns whole pages, size bytes and more, around which nothing can be touched.
func betweenGuards(t *testing.T, size int) []byte {
	pages := (size + 4095) / 4096 * 4096
	mem, err := syscall.Mmap(-1, 0, pages+2*4096, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:4096], mem[4096+pages:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return mem[4096 : 4096+pages : 4096+pages]
}

// alphabets are of texts whose blocks go different ways: words and what ends them, long words,
// tokens of one letter, anything in ASCII, code points of two to four bytes in tokens and not, and
// tokens that touch each other.
var alphabets = [][]rune{
	[]rune("abcdefgh12     "), []rune("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMN "), []rune("a "),
	[]rune("a.\n"), []rune("\x00\t\v\x1c\x7f@[`{/:azAZ09 "),
	[]rune("abcdef    ’—\u00a0\u3000"), []rune("aéж   ₄😀"), []rune("漢字かなa  。"), []rune("é"), []rune("漢"), []rune("a"),
	[]rune(" "),
}

// randomText makes size bytes of some of the alphabets, in stretches.
func randomText(rng *rand.Rand, size int) []byte {
	text := make([]byte, 0, size+utf8.UTFMax)
	for len(text) < size {
		alphabet := alphabets[rng.IntN(len(alphabets))]
		for range 1 + rng.IntN(150) {
			text = utf8.AppendRune(text, alphabet[rng.IntN(len(alphabet))])
		}
	}
	for len(text) > size {
		_, n := utf8.DecodeLastRune(text)
		text = text[:len(text)-n]
	}
	return text
}

// Texts of every length, at the very end of what may be read, have the same tokens with and without
// AVX2; so have several, one after the other.
func TestTokensWithAndWithoutAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	end := guarded(t, 4096)
	for _, name := range []string{"word", "whitespace", "char"} {
		z, _ := NewTokenizer(name)
		for round := range rounds(12_000) {
			size := round % 301
			if round%50 == 0 {
				size = rng.IntN(4096)
			}
			text := randomText(rng, size)
			text = end[len(end)-copy(end[len(end)-len(text):], text):]
			// the tokens before are any that are no multiple of anything
			before := randomText(rng, rng.IntN(70))
			var got, want Tokens
			z.Append(&got, before)
			z.Append(&got, text)
			withoutAVX2(func() {
				z.Append(&want, before)
				z.Append(&want, text)
			})
			if string(got.text) != string(want.text) || !slices.Equal(got.starts, want.starts) {
				t.Fatalf("%s of %q and %q:\n got %q %d\nwant %q %d", name, before, text, got.text, got.starts,
					want.text, want.starts)
			}
			if list, defined := tokensOf(&got), append(definedTokens(name, before),
				definedTokens(name, text)...); !slices.Equal(list, defined) {
				t.Fatalf("%s of %q and %q:\n got %q\nwant %q", name, before, text, list, defined)
			}
		}
	}
}

// Tokens are joined up to the block where they touch each other; nothing is read beyond the blocks,
// nor stored beyond as many bytes as they have.
func TestJoinBlocks(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	const most = 8
	rng := rand.New(rand.NewPCG(2, 2))
	dstEnd, flatEnd := guarded(t, most*blockSize), guarded(t, most*blockSize)
	for round := range 20_000 {
		n := 1 + rng.IntN(most)
		flat := flatEnd[(most-n)*blockSize:]
		blocks := make([]block, n)
		for i := range flat {
			flat[i] = ' ' + byte(rng.IntN(96)) | byte(rng.IntN(8)/7)<<7
		}
		for i := range blocks {
			blocks[i].in = rng.Uint64() | rng.Uint64() | rng.Uint64()>>(round%64)
		}
		stop := n
		if rng.IntN(2) == 0 && n > 1 {
			stop = 1 + rng.IntN(n-1)
			blocks[stop].in |= 6
			blocks[stop].cut |= 4
		}
		inside := rng.Uint64() & 1
		dst := dstEnd[(most-n)*blockSize:]
		join := joinBlocksAVX2
		if hasAVX512 && round%2 == 1 {
			join = joinBlocksAVX512
		}
		size, done := join(&dst[0], &flat[0], &blocks[0], n, inside)

		var want []byte
		was := inside
		for i := range stop * blockSize {
			in := blocks[i/blockSize].in >> (i % blockSize) & 1
			if in != 0 {
				want = append(want, flat[i])
			} else if was != 0 {
				want = append(want, ' ')
			}
			was = in
		}
		if done != stop || string(dst[:size]) != string(want) {
			t.Fatalf("%d of %d blocks, want %d\n got %q\nwant %q", done, n, stop, dst[:size], want)
		}
	}
}

// The starts of code points are found; nothing is read beyond 32 bytes after the text, nor stored
// beyond eight places more than there are.
func TestCodePoints(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	const most = 500
	rng := rand.New(rand.NewPCG(5, 5))
	textEnd, outEnd := guarded(t, most+len(noStarts)), guarded(t, 4*(most+8))
	for round := range 20_000 {
		n, base := round%most, rng.IntN(1<<20)
		text := textEnd[most-n:]
		copy(text[n:], noStarts)
		var want []uint32
		for i := range n {
			if text[i] = byte(rng.Uint32()); rng.IntN(1+round%9) > 0 {
				text[i] &= 0x7f
			}
			if utf8.RuneStart(text[i]) {
				want = append(want, uint32(base+i))
			}
		}
		out := unsafe.Slice((*uint32)(unsafe.Pointer(&outEnd[len(outEnd)-4*(len(want)+8)])), len(want)+8)
		got := codePointsAVX2(&out[0], &text[0], n, base)
		if got != len(want) || !slices.Equal(out[:got], want) {
			t.Fatalf("%q: got %d %d, want %d", text[:n], got, out, want)
		}
	}
}

// Spans of code points, at the very end of what may be read, have the hashes that the library gives
// them.
func TestCharHashesAreXXH3(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(6, 6))
	end := guarded(t, 4096)
	for round := range 20_000 {
		size := 4 + round%5
		text := randomText(rng, size+round%301)
		text = end[len(end)-copy(end[len(end)-len(text):], text):]
		var starts []uint32
		for i := range string(text) {
			starts = append(starts, uint32(i))
		}
		if len(starts) <= size {
			continue
		}
		for i, got := range appendCharHashes([]uint64{7}, text, starts, size)[1:] {
			if span := text[starts[i]:starts[i+size]]; got != xxh3.Hash(span) {
				t.Fatalf("span %d of %d, %q: got %x, want %x", i, len(starts)-size, span, got, xxh3.Hash(span))
			}
		}
		want := 0
		for areEightSingle(starts[want:], size) {
			want += 8
		}
		out := make([]uint64, len(starts))
		if got := hashCharsAVX2(&out[0], &text[0], &starts[0], size, len(starts)); got != want {
			t.Fatalf("%q: hashed %d spans by eight, want %d", text, got, want)
		}
	}
}

// Spans of all lengths mixed, from the very beginning to the very end of what may be read, have the
// hashes that the library gives them, in some order, whatever is in the lists from before.
func TestSortedHashesAreXXH3(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	pages := betweenGuards(t, 16<<10)
	mixtures := [][]int{
		{1, 2, 3}, {4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}, {17, 18, 33, 64, 65, 300}, {0, 1, 3, 4, 8, 9, 16,
			17},
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 9}, {5, 5, 5, 5, 5, 5, 5,
			5, 5, 20, 2},
	}
	for round := range 6000 {
		lengths, gap := mixtures[round%len(mixtures)], rng.IntN(2)
		text := pages[len(pages)-rng.IntN(3000):]
		switch {
		case round%50 == 0:
			text = pages
		case round%3 == 0:
			text = pages[:rng.IntN(300)]
		}
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
		var starts, nexts []uint32
		for from := rng.IntN(2); ; {
			next := from + lengths[rng.IntN(len(lengths))] + gap
			if next > len(text) {
				break
			}
			starts, nexts = append(starts, uint32(from)), append(nexts, uint32(next))
			from = next + rng.IntN(2)
		}
		var want []uint64
		for i := range starts {
			want = append(want, xxh3.Hash(text[starts[i]:int(nexts[i])-gap]))
		}
		got := appendSortedHashes([]uint64{7}, text, starts, nexts, gap)
		if got[0] != 7 {
			t.Fatalf("what was there before has become %x", got[0])
		}
		slices.Sort(got[1:])
		slices.Sort(want)
		if !slices.Equal(got[1:], want) {
			t.Fatalf("%d spans of %d bytes, %d apart:\n got %x\nwant %x", len(starts), lengths, gap, got[1:], want)
		}
	}
}

// The places after single spaces are found; nothing is read beyond 64 bytes after the text, nor
// stored beyond four places more than there are, with AVX-512 sixteen.
func TestBehindSpaces(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	const most = 500
	rng := rand.New(rand.NewPCG(3, 3))
	textEnd, outEnd := guarded(t, most+blockSize), guarded(t, 4*(most/2+1+16))
	for round := range 20_000 {
		n, base := round%most, rng.IntN(1<<20)
		text := textEnd[most-n:]
		var want []uint32
		for i := range text {
			text[i] = '!' + byte(rng.IntN(223))
			if i < n && (i == 0 || text[i-1] != ' ') && rng.IntN(1+round%9) == 0 {
				text[i] = ' '
				want = append(want, uint32(base+i+1))
			}
		}
		afterSpaces, more := afterSpacesAVX2, 4
		if hasAVX512 && rng.IntN(2) == 0 {
			afterSpaces, more = afterSpacesAVX512, 16
		}
		out := unsafe.Slice((*uint32)(unsafe.Pointer(&outEnd[len(outEnd)-4*(len(want)+more)])), len(want)+more)
		got := afterSpaces(&out[0], &text[0], n, base)
		if got != len(want) || !slices.Equal(out[:got], want) {
			t.Fatalf("%q: got %d %d, want %d", text[:n], got, out, want)
		}
	}
}

// Rounds on slots that are untouched, settled, or of a later round of a window before leave the
// same with and without AVX2. Nothing around the slots and the hashes is touched.
func TestScatterWithAndWithoutAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	defer func() { hasAVX2 = true }()
	const most = 600
	rng := rand.New(rand.NewPCG(4, 4))
	slotsEnd, pages := guarded(t, 8*most), betweenGuards(t, 8*most)
	settledOnes, cases := 0, rounds(20_000)
	for i := range cases {
		k, n := 1+i%most, leastAVX2+rng.IntN(most-leastAVX2)
		f := newFSS(k, rng.Uint64()).(*fss)
		slots := unsafe.Slice((*uint64)(unsafe.Pointer(&slotsEnd[8*(most-k)])), k)
		hashes := unsafe.Slice((*uint64)(unsafe.Pointer(&pages[i%2*(len(pages)-8*n)])), n)
		from := rng.IntN(min(5, k))
		to := min(k, from+1+rng.IntN(4*patience))
		untouchedShare := rng.IntN(101)
		for j := range slots {
			slots[j] = rng.Uint64N(6)<<32 | uint64(rng.Uint32())
			if rng.IntN(100) < untouchedShare {
				slots[j] = untouched
			}
		}
		for j := range hashes {
			hashes[j] = rng.Uint64()
		}
		want := slices.Clone(slots)
		hasAVX2 = false
		wantSettled := f.scatterRounds(want, hashes, from, to)
		hasAVX2 = true
		settled := f.scatterRounds(slots, hashes, from, to)
		if !slices.Equal(slots, want) {
			t.Fatalf("%d hashes, rounds %d to %d:\n got %x\nwant %x", n, from, to, slots, want)
		}
		if settled && !wantSettled {
			t.Fatalf("%d hashes, rounds %d to %d: not all slots are settled: %x", n, from, to, slots)
		}
		if settled {
			settledOnes++
		}
	}
	if settledOnes < cases/20 {
		t.Errorf("all slots were settled in %d cases only", settledOnes)
	}
}

// Few hashes, on slots that an earlier window of the text has filled or not, leave the same with
// and without AVX-512. Nothing around the slots and the hashes is touched.
func TestFewHashesWithAndWithoutAVX512(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512")
	}
	defer func() { hasAVX512 = true }()
	const most = 520
	rng := rand.New(rand.NewPCG(5, 5))
	slotsEnd, pages := guarded(t, 8*most), betweenGuards(t, 8*most)
	for i := range 6000 {
		k, n := 8+8*(i%(most/8)), 1+rng.IntN(leastAVX2-1)
		f := newFSS(k, rng.Uint64()).(*fss)
		slots := unsafe.Slice((*uint64)(unsafe.Pointer(&slotsEnd[8*(most-k)])), k)
		hashes := unsafe.Slice((*uint64)(unsafe.Pointer(&pages[i%2*(len(pages)-8*n)])), n)
		for j := range slots {
			slots[j] = untouched
		}
		fill := func() {
			for j := range hashes {
				hashes[j] = rng.Uint64()
			}
		}
		for range i % 3 { // windows before
			fill()
			f.addHashes(slots, hashes)
		}
		fill()
		want := slices.Clone(slots)
		hasAVX512 = false
		f.addHashes(want, slices.Clone(hashes))
		hasAVX512 = true
		f.addHashes(slots, hashes)
		if !slices.Equal(slots, want) {
			t.Fatalf("%d hashes, %d slots:\n got %x\nwant %x", n, k, slots, want)
		}
	}
}

// The places of the bits of two masks are stored as without AVX-512, and nothing more than 16
// after them.
func TestPlacesAVX512(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512")
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 20_000 {
		masks, base := [2]uint64{}, rng.IntN(1<<31)
		for j := range masks {
			for masks[j] = rng.Uint64(); rng.IntN(3) > 0; {
				masks[j] &= rng.Uint64()
			}
			if i%7 == 0 {
				masks[j] = -uint64(rng.IntN(2))
			}
		}
		var got, want [2][64 + 17]uint32
		for j := range got {
			for k := range got[j] {
				got[j][k] = 7
			}
		}
		placesAVX512(&got[0][0], &got[1][0], masks[0], masks[1], base)
		for j, mask := range masks {
			n := appendPlaces(want[j][:], 0, mask, base)
			if !slices.Equal(got[j][:n], want[j][:n]) {
				t.Fatalf("%x: got %v, want %v", mask, got[j][:n], want[j][:n])
			}
			if slices.ContainsFunc(got[j][n+16:], func(place uint32) bool { return place != 7 }) {
				t.Fatalf("%x: more than 16 are stored after the last: %v", mask, got[j])
			}
		}
	}
}

// Hashes are put in the order that they have without AVX-512. Nothing around them is touched.
func TestOrderAVX512(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512")
	}
	defer func() { hasAVX512 = true }()
	rng := rand.New(rand.NewPCG(7, 7))
	end := guarded(t, 8*mostSorted)
	all := unsafe.Slice((*uint64)(unsafe.Pointer(&end[0])), mostSorted)
	var o orderedHasher
	for i := range 4000 {
		n := 1 + i%mostSorted
		got, want := all[mostSorted-n:], make([]uint64, n)
		starts, ends := make([]uint32, n), make([]uint32, n)
		longest := 1 + rng.IntN(24)
		for j := range starts {
			starts[j] = rng.Uint32N(1 << 31)
			ends[j] = starts[j] + uint32(rng.IntN(longest))
			o.sorted[j] = rng.Uint64()
		}
		hasAVX512 = false
		o.putInOrder(want, starts, ends)
		hasAVX512 = true
		o.putInOrder(got, starts, ends)
		if !slices.Equal(got, want) {
			t.Fatalf("%d hashes: got %x, want %x", n, got, want)
		}
	}
}

// A processor with AVX-512 is held to what one with AVX2 alone does as well.
func TestWithoutAVX512(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512: all tests are without")
	}
	hasAVX512 = false
	defer func() { hasAVX512 = true }()
	t.Run("spans", TestSpanHashesAreXXH3)
	t.Run("runs of spans", TestRunsOfSpanHashesAreXXH3)
	t.Run("sorted spans", TestSortedHashesAreXXH3)
	t.Run("rounds", TestScatterWithAndWithoutAVX2)
	t.Run("bands", TestBandKeysAreXXH3)
	t.Run("tokens", TestTokensWithAndWithoutAVX2)
	t.Run("words", TestWordHashes)
}

func TestWordHashesWithoutAVX2(t *testing.T) { withoutAVX2(func() { TestWordHashes(t) }) }

// Nothing is read before a text, or after it.
func TestWordHashesOfGuardedTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pages := betweenGuards(t, 4096)
	for i := range pages {
		pages[i] = "abc  defgh_i.j,\n"[rng.IntN(16)]
	}
	for _, hasher := range []*WordHasher{NewSpaceWordHasher(), NewSegmentHasher()} {
		for size := range 600 {
			for _, text := range [][]byte{pages[len(pages)-size:], pages[:size:size]} {
				want := hasher.Append(nil, append([]byte("a "), text...))[1:]
				if got := hasher.Append(nil, text); !slices.Equal(got, want) {
					t.Fatalf("%q: %d words, want %d", text, len(got), len(want))
				}
			}
		}
	}
}
