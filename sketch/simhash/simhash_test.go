package simhash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// newSketcher returns a Sketcher for shingles of n tokens.
func newSketcher(t testing.TB, n int, tokenizer string, p Params) *Sketcher {
	t.Helper()
	shingler, err := sketch.New(shinglesOf(n, tokenizer))
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(shingler, p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shinglesOf(n int, tokenizer string) sketch.Params {
	return sketch.Params{Normalize: "nfkc-fold", Tokenize: tokenizer, ShingleSize: n, Sketch: "fss", NumPerm: 1,
		Seed: 1, Bands: 1, Rows: 1, BandKey: "xxh3"}
}

// The vectors come from a second implementation; testdata/golden/README.md says what they mean.
func TestGoldenFingerprints(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "golden", "simhash.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	count := 0
	for ; lines.Scan(); count++ {
		var v struct {
			Text   string
			N      int
			Bits   int
			Weight string
			Words  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		words, ok := newSketcher(t, v.N, "word", Params{Bits: v.Bits, Weight: v.Weight}).Append(nil, []byte(v.Text))
		got := []string{}
		for _, w := range words {
			got = append(got, fmt.Sprintf("%016x", w))
		}
		if ok != (len(v.Words) > 0) || !slices.Equal(got, v.Words) {
			t.Errorf("line %d, %d bits, %s: %s, want %s", count+1, v.Bits, v.Weight, got, v.Words)
		}
	}
	if err := lines.Err(); err != nil || count < 20 {
		t.Fatalf("%d vectors: %v", count, err)
	}
}

// defined is the fingerprint of hashes by its definition: a sum of weights for each bit.
func defined(hashes []uint64, p Params) []uint64 {
	if p.Weight == Uniform {
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
	}
	words := make([]uint64, p.Words())
	for i := range words {
		for bit := range 64 {
			sum := 0
			for _, h := range hashes {
				weight := 1
				if p.Weights != nil {
					weight = int(p.Weights.of(h))
				}
				if i == 1 {
					h = mix(h)
				}
				sum += (int(h>>bit&1)*2 - 1) * weight
			}
			if sum > 0 {
				words[i] |= 1 << bit
			}
		}
	}
	return words
}

func TestFingerprintsAreAsDefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3)), 1, 70).Draw(t, "hashes")
		p := Params{Bits: rapid.SampledFrom([]int{64, 128}).Draw(t, "bits"),
			Weight: rapid.SampledFrom([]string{TermFrequency, Uniform, IDF}).Draw(t, "weight")}
		if p.Weight == IDF {
			p.Weights = drawWeights(t)
		}
		f := &Sketcher{params: p, sums: make([]counters, p.Words())}
		cut := rapid.IntRange(0, len(some)).Draw(t, "cut")
		f.add(slices.Clone(some[:cut]))
		f.add(slices.Clone(some[cut:]))
		want := defined(slices.Clone(some), p)
		for i := range want {
			if got := f.sums[i].majority(); got != want[i] {
				t.Fatalf("%v: word %d: %016x, want %016x", p, i, got, want[i])
			}
		}
	})
}

// Many texts through one Sketcher, long and short in turns, so that nothing stays of one in the
// next; and windows of a long text make no difference.
func TestOneSketcherForManyTexts(t *testing.T) {
	texts := []string{"", "a", strings.Repeat("one two three four five six seven. ", 9000), "a b c", " ,. ",
		numbered(20000), "a b c", numbered(70000), "a"}
	for _, p := range []Params{{64, TermFrequency, nil}, {128, Uniform, nil}} {
		f := newSketcher(t, 2, "word", p)
		for _, text := range texts {
			got, ok := f.Append([]uint64{7}, []byte(text))
			hashes := f.shingler.Shingles(nil, []byte(text))
			want := []uint64{7}
			if len(hashes) > 0 {
				want = append(want, defined(hashes, p)...)
			}
			if !slices.Equal(got, want) || ok != (len(hashes) > 0) {
				t.Errorf("%v: %.20q: %x, %v, want %x", p, text, got, ok, want)
			}
		}
	}
}

// numbered is a text of n different words.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

func TestParamsAreChecked(t *testing.T) {
	for _, p := range []Params{{}, {32, Uniform, nil}, {65, Uniform, nil}, {64, IDF, nil}, {64, "tfidf", nil},
		{128, "", nil}, {64, Uniform, new(Weights)}} {
		if p.Validate() == nil {
			t.Errorf("%+v is taken", p)
		}
		if _, err := New(nil, p); err == nil {
			t.Errorf("%+v is taken by New", p)
		}
	}
}

// Of two vectors at an angle θ a bit differs with the probability θ/π.
func TestCosineIsEstimated(t *testing.T) {
	f := newSketcher(t, 1, "word", Params{128, Uniform, nil})
	const n, shared = 200, 100
	var sum float64
	for i := range n {
		var a, b strings.Builder
		for w := range 2 * shared {
			fmt.Fprintf(&a, "%d-%d ", i, w)
			fmt.Fprintf(&b, "%d-%d ", i, w+shared)
		}
		x, _ := f.Append(nil, []byte(strings.ReplaceAll(a.String(), "-", "x")))
		y, _ := f.Append(nil, []byte(strings.ReplaceAll(b.String(), "-", "x")))
		sum += Cosine(Distance(x, y), 128)
	}
	if mean := sum / n; math.Abs(mean-.5) > .02 {
		t.Errorf("half of the words are shared: a cosine of %.3f, want .5", mean)
	}
	if c := Cosine(0, 64); c != 1 {
		t.Errorf("distance 0: %v", c)
	}
	if c := Cosine(32, 64); math.Abs(c) > 1e-12 {
		t.Errorf("distance 32: %v", c)
	}
}

func TestNoAllocationsARecord(t *testing.T) {
	text := []byte(numbered(400))
	for _, p := range []Params{{64, TermFrequency, nil}, {128, Uniform, nil}} {
		f, words := newSketcher(t, 1, "word", p), make([]uint64, 0, 2)
		f.Append(words, text)
		if n := testing.AllocsPerRun(100, func() { f.Append(words, text) }); n > 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}

// plainCounters are what a reader would write: a number for each bit.
type plainCounters [64]int

func (c *plainCounters) add(words []uint64) {
	for _, w := range words {
		for bit := range c {
			c[bit] += int(w >> bit & 1)
		}
	}
}

func BenchmarkCounters(b *testing.B) {
	words := make([]uint64, 350)
	for i := range words {
		words[i] = bits.Reverse64(uint64(i) * 0x9e3779b97f4a7c15)
	}
	b.Run("plain", func(b *testing.B) {
		for range b.N {
			var c plainCounters
			c.add(words)
		}
	})
	b.Run("planes", func(b *testing.B) {
		for range b.N {
			var c counters
			c.add(words, 0)
			c.majority()
		}
	})
}

// manyWeights is a table of a million shingles, which does not fit the caches.
func manyWeights() *Weights {
	w, rng := &Weights{others: 200}, rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		w.hashes, w.weights = append(w.hashes, 1+rng.Uint64N(1<<63)), append(w.weights, uint16(1+rng.IntN(200)))
	}
	w.index()
	return w
}

// BenchmarkAppend is on 2 KB of English: words of the usual lengths, some of them repeated.
func BenchmarkAppend(b *testing.B) {
	text := english(2048)
	for _, n := range []int{1, 5} {
		shingler, _ := sketch.New(shinglesOf(n, "word"))
		b.Run(fmt.Sprintf("shingles/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				shingler.EachShingle(text, func([]uint64) {})
			}
		})
		for _, p := range []Params{{64, TermFrequency, nil}, {64, Uniform, nil}, {128, TermFrequency, nil},
			{64, IDF, manyWeights()}} {
			f, words := newSketcher(b, n, "word", p), make([]uint64, 0, 2)
			b.Run(fmt.Sprintf("%d-%s/%d", p.Bits, p.Weight, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for range b.N {
					f.Append(words, text)
				}
			})
		}
	}
}

// english is a text of so many bytes.
func english(size int) []byte {
	const page = "The river rises in a field of wet grass on the north side of the hill, and for its first two miles " +
		"it is a ditch that a child can jump. Below the mill it takes in the brook from Ashford; there the bridge, " +
		"which was built in %d, has %d arches of stone. "
	var text []byte
	for i := 0; len(text) < size; i++ {
		text = fmt.Appendf(text, page, 1700+i, i)
	}
	return text[:size]
}
