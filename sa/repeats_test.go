package sa

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func TestLCP(t *testing.T) {
	texts := repetitive(3000)
	texts["empty"] = nil
	texts["prose"] = prose(100_000)
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			array := make([]int32, len(text))
			if err := Sort(text, array); err != nil {
				t.Fatal(err)
			}
			lcp, err := LCP(text, array)
			if err != nil {
				t.Fatal(err)
			}
			for i := range lcp {
				want := 0
				if i > 0 {
					a, b := text[array[i-1]:], text[array[i]:]
					for want < min(len(a), len(b)) && a[want] == b[want] {
						want++
					}
				}
				if int(lcp[i]) != want {
					t.Fatalf("lcp[%d] = %d, want %d", i, lcp[i], want)
				}
			}
		})
	}
}

func TestLCPRefusesAnArrayOfAnotherLength(t *testing.T) {
	if _, err := LCP([]byte("abc"), []int32{0}); err == nil {
		t.Fatal("no error")
	}
}

// bruteForce remembers every window in a map.
func bruteForce(text []byte, ends []int, minLength int) []Span {
	var spans []Span
	seen := map[string]int{}
	start := 0
	for _, end := range ends {
		open := false
		for p := start; p+minLength <= end; p++ {
			window := string(text[p : p+minLength])
			q, repeated := seen[window]
			switch {
			case !repeated:
				seen[window] = p
			case open && p <= spans[len(spans)-1].End:
				spans[len(spans)-1].End = p + minLength
			default:
				spans = append(spans, Span{p, p + minLength, q})
				open = true
			}
		}
		start = end
	}
	return spans
}

func checkRepeats(t interface{ Fatalf(string, ...any) }, text []byte, ends []int, minLength int) {
	want := bruteForce(text, ends, minLength)
	narrow, err := repeats[int32](text, ends, minLength)
	if err != nil || !slices.Equal(narrow, want) {
		t.Fatalf("repeats[int32](%q, %v, %d) = %v, %v, want %v", text, ends, minLength, narrow, err, want)
	}
	wide, err := repeats[int64](text, ends, minLength)
	if err != nil || !slices.Equal(wide, want) {
		t.Fatalf("repeats[int64](%q, %v, %d) = %v, %v, want %v", text, ends, minLength, wide, err, want)
	}
}

func TestRepeatsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.IntRange(1, 5).Draw(t, "alphabet")
		var text []byte
		var ends []int
		for range rapid.IntRange(1, 12).Draw(t, "records") {
			if len(text) > 0 && rapid.Bool().Draw(t, "copy") {
				from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
				to := rapid.IntRange(from, len(text)).Draw(t, "to")
				text = append(text, text[from:to]...)
			} else {
				for range rapid.IntRange(0, 30).Draw(t, "length") {
					text = append(text, byte(255-rapid.IntRange(0, alphabet-1).Draw(t, "c")))
				}
			}
			if rapid.Bool().Draw(t, "end") {
				ends = append(ends, len(text))
			}
		}
		ends = append(ends, len(text))
		checkRepeats(t, text, ends, rapid.IntRange(1, 12).Draw(t, "minLength"))
	})
}

func TestRepeatsOfRepetitiveText(t *testing.T) {
	for name, text := range repetitive(20_000) {
		t.Run(name, func(t *testing.T) {
			third := len(text) / 3
			checkRepeats(t, text, []int{third, third, 2*third + 1, len(text)}, 50)
		})
	}
	checkRepeats(t, prose(200_000), []int{777, 100_000, 200_000}, 60)
}

func TestRepeatsRefusesBadRecords(t *testing.T) {
	text := []byte("abcdef")
	for _, ends := range [][]int{{3, 2, 6}, {7}, {3}, {-1, 6}} {
		if _, err := Repeats(text, ends, 1); err == nil {
			t.Errorf("no error for record ends %v", ends)
		}
	}
	if _, err := Repeats(text, nil, 0); err == nil {
		t.Error("no error for a minimum length of 0")
	}
}

func FuzzRepeats(f *testing.F) {
	f.Add([]byte("abracadabra abracadabra"), uint8(4), uint16(9))
	f.Fuzz(func(t *testing.T, text []byte, minLength uint8, cut uint16) {
		if len(text) > 2000 {
			return
		}
		ends := []int{min(int(cut), len(text)), len(text)}
		checkRepeats(t, text, ends, int(minLength%64)+1)
	})
}

func BenchmarkRepeats(b *testing.B) {
	text := prose(8 << 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Repeats(text, nil, 100); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLCP(b *testing.B) {
	text := prose(8 << 20)
	array := make([]int32, len(text))
	if err := Sort(text, array); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := LCP(text, array); err != nil {
			b.Fatal(err)
		}
	}
}
