//go:build !purego

package bloomlsh

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLinesAVX2 compares the assembly that tests and sets lines with the Go code: what it returns,
// and every word.
func TestLinesAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	rapid.Check(t, func(t *rapid.T) {
		g := geometry{bands: rapid.IntRange(1, 150).Draw(t, "bands"),
			probes: rapid.IntRange(minPartitions, maxPartitions).Draw(t, "partitions"),
			filter: FilterPaged, bandWords: uint64(rapid.IntRange(1, 3).Draw(t, "pages") * pageWords)}
		stream := &keyStream{rapid.Uint64().Draw(t, "seed")}
		words := make([]uint64, g.words()+lineWords) // an extra line, which must not be touched
		for i, missing := range rapid.SliceOfN(rapid.Uint64(), 0, 200).Draw(t, "missing") {
			words[i*7%len(words)] = missing
		}
		if rapid.Bool().Draw(t, "nearly full") {
			for i := range words {
				words[i] = ^(words[i] & stream.next() & stream.next())
			}
		}
		twinWords := slices.Clone(words)
		f, twin := newPaged(g, words[:g.words()]), newPaged(g, twinWords[:g.words()])
		keys, next := make([]Key, g.bands), make([]Key, g.bands)
		for range rapid.IntRange(1, 40).Draw(t, "records") {
			if rapid.IntRange(0, 3).Draw(t, "copy") > 0 {
				stream.fill(keys)
			}
			if rapid.Bool().Draw(t, "one is new") {
				stream.fill(keys[rapid.IntRange(0, g.bands-1).Draw(t, "band"):][:1])
			}
			stream.fill(next)
			from := rapid.IntRange(0, 70).Draw(t, "from")
			set, twinSet := make(bandSet, setWords(from+g.bands)), make(bandSet, setWords(from+g.bands))
			set.put(0)
			twinSet.put(0)
			present := f.test(f.address(0, keys), f.address(1, next), from, set)
			want := twin.testLines(twin.address(0, keys), from, twinSet)
			if present != want || !slices.Equal(set, twinSet) {
				t.Fatalf("%d bands are present, %b, want %d, %b", present, set, want, twinSet)
			}
			present = f.set(f.address(0, keys), f.address(1, next))
			if want := twin.setLines(twin.address(0, keys)); present != want {
				t.Fatalf("%d bands are present, want %d", present, want)
			}
		}
		if !slices.Equal(words, twinWords) {
			t.Fatal("they have set other bits")
		}
	})
}

// TestAddressAVX2 compares the lines that the assembly finds with those of the Go code, in filters
// of up to 2³² pages, whose memory is not touched.
func TestAddressAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	had512 := hasAVX512
	defer func() { hasAVX512 = had512 }()
	rapid.Check(t, func(t *rapid.T) {
		hasAVX512 = had512 && rapid.Bool().Draw(t, "AVX-512")
		bands := rapid.IntRange(1, 50).Draw(t, "bands")
		f := newPaged(geometry{bands: bands, probes: rapid.IntRange(minPartitions,
			maxPartitions).Draw(t, "partitions")}, nil)
		f.pages = rapid.Uint64Range(1, 1<<32).Draw(t, "pages")
		f.mask ^= rapid.SampledFrom([]uint64{0, 1, 1 << 63, 0x123456789abcdef}).Draw(t, "seed")
		keys := make([]Key, bands)
		for i := range keys {
			keys[i] = Key{Hi: rapid.Uint64().Draw(t, "high"), Lo: rapid.Uint64().Draw(t, "low")}
		}
		got, want := make([]pagedLine, bands*f.partitions), make([]pagedLine, bands*f.partitions)
		spreads, twins := make([]keySpread, bands), make([]keySpread, bands)
		spreadAll(spreads, keys, f.mask)
		for i, key := range keys {
			twins[i] = spread(key, f.mask)
		}
		stride := rapid.SampledFrom([]uint64{f.pages, 0}).Draw(t, "stride") // several bands, or one
		f.locateKeys(got, spreads, stride)
		f.locateFew(want, twins, 0, stride)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for i, line := range got {
			first := uint64(i/f.partitions) * stride
			if page := line.word / pageWords; page < first || page >= first+f.pages {
				t.Fatalf("line %d is in page %d", i, page)
			}
		}
	})
}

// TestInsertAVX2 inserts the same batches with and without the assembly.
func TestInsertAVX2(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	had512 := hasAVX512
	defer func() { hasAVX2, hasAVX512 = true, had512 }()
	for _, rate := range []float64{1e-5, 1e-9, 1e-13} { // 2, 3 and 4 partitions
		for _, bands := range []int{1, 14, 450} {
			var words [2][]uint64
			var verdicts [2][]bool
			for i := range words {
				hasAVX2, hasAVX512 = i == 0, i == 0 && had512
				p := Params{Bands: bands, Capacity: 500, FPRate: rate, Filter: FilterPaged, Remember: RememberAll,
					OnFull: OnFullGrow}
				x, stream := mustNew(t, p), &keyStream{5}
				keys, duplicates := make([]Key, 80*bands), make([]bool, 80)
				for range 10 { // reaches the capacity
					for j := range keys {
						keys[j] = Key{Hi: stream.next() >> 52, Lo: stream.next() >> 63}
					}
					if _, err := observeRecords(x, keys, duplicates); err != nil {
						t.Fatal(err)
					}
					verdicts[i] = append(verdicts[i], duplicates...)
				}
				for _, g := range x.generations {
					words[i] = append(words[i], bitsOf(g)...)
				}
			}
			if !slices.Equal(verdicts[0], verdicts[1]) || !slices.Equal(words[0], words[1]) {
				t.Errorf("rate %g, %d bands: other verdicts or other bits", rate, bands)
			}
		}
	}
}
