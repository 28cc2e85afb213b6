package vectors

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

const testDims = 50 // not a multiple of what rows are padded to

// A drawer draws vectors around topics, as texts have them, and now and then one near an earlier
// one.
type drawer struct {
	rng    *rand.Rand
	topics [][]float32
	drawn  [][]float32
}

func newDrawer(seed uint64, topics int) *drawer {
	d := &drawer{rng: rand.New(rand.NewPCG(seed, 1))}
	common := d.around(nil, 1)
	for range topics {
		d.topics = append(d.topics, d.around(common, 1))
	}
	return d
}

// around draws a vector near another one, with so much noise for its length.
func (d *drawer) around(center []float32, noise float64) []float32 {
	v := make([]float32, testDims)
	for i := range v {
		v[i] = float32(d.rng.NormFloat64() * noise / math.Sqrt(testDims))
		if center != nil {
			v[i] += center[i]
		}
	}
	return v
}

func (d *drawer) draw() []float32 {
	if len(d.drawn) > 0 && d.rng.IntN(4) == 0 {
		near := d.drawn[d.rng.IntN(len(d.drawn))]
		length := 0.
		for _, v := range near {
			length += float64(v) * float64(v)
		}
		return d.around(near, d.rng.Float64()*.6*math.Sqrt(length))
	}
	v := d.around(d.topics[d.rng.IntN(len(d.topics))], .8)
	d.drawn = append(d.drawn, v)
	return v
}

func (d *drawer) rows(n int) (words []uint64) {
	for range n {
		words = rowOf(words, d.draw())
	}
	return words
}

// compareAll finds the match of each row by comparing it with all earlier ones.
func compareAll(words []uint64, threshold float64) (matches []memory.Match) {
	size := rows.Words(testDims)
	var q, other query
	for i := 0; i < len(words); i += size {
		best := memory.Match{}
		q.set(bytesOf(words[i : i+size]))
		highest := 0.
		for j := 0; j < i; j += size {
			other.set(bytesOf(words[j : j+size]))
			dot := [1]int32{}
			dotsGo(dot[:], q.wide, other.row)
			if c := q.cosine(dot[0], other.squares); c >= threshold && c > highest {
				highest, best = c, memory.Match{Record: uint64(j/size) + 1, Similarity: float32(c)}
			}
		}
		matches = append(matches, best)
	}
	return matches
}

func newIndex(tb testing.TB, p Params) *Index {
	tb.Helper()
	x, err := New(p)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func observe(tb testing.TB, x *Index, words []uint64) []memory.Match {
	tb.Helper()
	matches := make([]memory.Match, len(words)/rows.Words(x.params.Dims))
	n, err := x.Observe(words, matches)
	if err != nil || n != len(matches) {
		tb.Fatal(n, err)
	}
	return matches
}

// TestAllListsProbedIsBruteForce has nothing missed where nothing is left out.
func TestAllListsProbedIsBruteForce(t *testing.T) {
	words := newDrawer(1, 20).rows(3000)
	if testing.Short() {
		t.Skip("a comparison with all earlier rows is long")
	}
	x := newIndex(t, Params{Dims: testDims, Threshold: .9, Probes: 1000})
	got, want := observe(t, x, words), compareAll(words, .9)
	if !slices.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("record %d: %v, want %v", i+1, got[i], want[i])
			}
		}
	}
	s := x.Stats()
	if s.Lists < 5 || s.Records != 3000 || s.Entries+s.Copies != 3000 {
		t.Errorf("%+v", s)
	}
	if most := x.params.Memory(3000); s.Bytes < 3000*64 || s.Bytes > most {
		t.Errorf("%d bytes, at most %d were said to be needed", s.Bytes, most)
	}
}

// TestRecall has nearly all matches found with the default.
func TestRecall(t *testing.T) {
	words := newDrawer(2, 30).rows(6000)
	if testing.Short() {
		t.Skip("a comparison with all earlier rows is long")
	}
	x := newIndex(t, Params{Dims: testDims, Threshold: .9})
	got, want := observe(t, x, words), compareAll(words, .9)
	duplicates, found, best := 0, 0, 0
	for i := range want {
		if want[i].Record == 0 {
			if got[i].Record != 0 {
				t.Fatalf("record %d matches %v, and nothing is within the threshold", i+1, got[i])
			}
			continue
		}
		duplicates++
		if got[i].Record != 0 {
			found++
		}
		if got[i] == want[i] {
			best++
		}
	}
	if duplicates < 500 || float64(found) < .99*float64(duplicates) || float64(best) < .97*float64(duplicates) {
		t.Errorf("of %d duplicates %d are found, %d with the best match", duplicates, found, best)
	}
}

// TestBatchesDoNotMatter observes the same rows one by one and all at once (I2).
func TestBatchesDoNotMatter(t *testing.T) {
	words, size := newDrawer(3, 10).rows(2500), rows.Words(testDims)
	p := Params{Dims: testDims, Threshold: .9}
	want := observe(t, newIndex(t, p), words)
	x := newIndex(t, p)
	var got []memory.Match
	for i := 0; i < len(words); {
		n := min(len(words)-i, size*(1+i%37))
		got = append(got, observe(t, x, words[i:i+n])...)
		i += n
	}
	if !slices.Equal(got, want) {
		t.Error("other batches have other matches")
	}
}

// TestNamesTheNearest names the nearest, of equal ones the first, and numbers records that have no
// vector too.
func TestNamesTheNearest(t *testing.T) {
	x := newIndex(t, Params{Dims: 2, Threshold: .95})
	x.Pass(2)
	var words []uint64
	for _, degrees := range []float64{0, 90, 10, 6, 0, 8, 91} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		words = rowOf(words, []float32{float32(cos), float32(sin)})
	}
	var records []uint64
	for _, m := range observe(t, x, words) {
		records = append(records, m.Record)
	}
	if want := []uint64{0, 0, 3, 5, 3, 5, 4}; !slices.Equal(records, want) {
		t.Errorf("the matches are %v, want %v", records, want)
	}
	if s := x.Stats(); s.Records != 9 || s.Duplicates != 5 || s.Copies != 1 || s.Entries != 6 {
		t.Errorf("%+v", s)
	}
}

// TestUnseenOnly compares with what was kept alone.
func TestUnseenOnly(t *testing.T) {
	var words []uint64
	for _, degrees := range []float64{0, 20, 40} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		words = rowOf(words, []float32{float32(cos), float32(sin)})
	}
	for unseen, want := range map[bool]uint64{false: 2, true: 0} {
		x := newIndex(t, Params{Dims: 2, Threshold: .9, UnseenOnly: unseen})
		if got := observe(t, x, words)[2].Record; got != want {
			t.Errorf("with UnseenOnly %v the match is %d, want %d", unseen, got, want)
		}
	}
}

// TestAllAlike has rows that differ by hardly anything: lists must stay short.
func TestAllAlike(t *testing.T) {
	d := newDrawer(4, 1)
	center := d.around(nil, 1)
	var words []uint64
	for range 5000 {
		words = rowOf(words, d.around(center, .05))
	}
	x := newIndex(t, Params{Dims: testDims, Threshold: .9})
	for i, m := range observe(t, x, words) {
		if (m.Record == 0) != (i == 0) {
			t.Fatalf("record %d matches %v", i+1, m)
		}
	}
	for i := range x.lists {
		if n := x.lists[i].len(); n >= mostRows {
			t.Errorf("list %d has %d rows", i, n)
		}
	}
}

func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, bytes := range []int{32, 64, 96, 256, 1024} {
		rows := make([]int8, 7*bytes)
		for i := range rows {
			rows[i] = int8(rng.IntN(255) - 127)
		}
		if bytes == 1024 { // the largest products
			for i := range rows {
				rows[i] = 127
			}
		}
		var q query
		q.set(rows[3*bytes : 4*bytes])
		for n := range 8 {
			got, want := make([]int32, n), make([]int32, n)
			dots(got, q.wide, rows[:n*bytes])
			dotsGo(want, q.wide, rows[:n*bytes])
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d bytes: %v, want %v", n, bytes, got, want)
			}
			if n > 3 && got[3] != q.squares {
				t.Errorf("a row's product with itself is %d, want %d", got[3], q.squares)
			}
		}
	}
}

func TestRowsAreRefused(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want string
	}{
		{Params{Dims: 0, Threshold: .9}, "vectors of 0 dimensions"},
		{Params{Dims: 1 << 20, Threshold: .9}, "vectors of 1048576 dimensions"},
		{Params{Dims: 2, Threshold: 1.5}, "a threshold of 1.5"},
		{Params{Dims: 2, Threshold: math.NaN()}, "a threshold of NaN"},
		{Params{Dims: 2, Threshold: .9, Probes: -1}, "-1 probes"},
	} {
		if _, err := New(c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %q", err, c.want)
		}
	}
	x := newIndex(t, Params{Dims: 2, Threshold: .9})
	_, err := x.Observe(make([]uint64, 5), make([]memory.Match, 1))
	if err == nil || !strings.Contains(err.Error(), "5 words of 1 rows") {
		t.Errorf("the error is %v", err)
	}
	words := append(rowOf(nil, []float32{1, 0}), make([]uint64, 4)...)
	n, err := x.Observe(words, make([]memory.Match, 2))
	if n != 1 || err == nil || !strings.Contains(err.Error(), "is zero") {
		t.Errorf("%d rows were observed, and the error is %v", n, err)
	}
}

// BenchmarkObserve gives the time of a record in an index of so many, beside what comparing it with
// all of them would take.
func BenchmarkObserve(b *testing.B) {
	const dims, size = 256, 100_000
	rng := rand.New(rand.NewPCG(1, 1))
	topics := make([][]float32, 500)
	draw := func(center []float32, noise float64) []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * noise)
			if center != nil {
				v[i] += center[i]
			}
		}
		return v
	}
	for i := range topics {
		topics[i] = draw(nil, 1)
	}
	var words []uint64
	for range size {
		words = rowOf(words, draw(topics[rng.IntN(len(topics))], .8))
	}
	one := rows.Words(dims)
	b.Run("index", func(b *testing.B) {
		x := newIndex(b, Params{Dims: dims, Threshold: .9})
		for i := 0; b.Loop(); i = (i + 1) % size {
			if i == 0 {
				x = newIndex(b, x.params)
			}
			x.Observe(words[i*one:(i+1)*one], make([]memory.Match, 1))
		}
	})
	b.Run("all", func(b *testing.B) {
		var q query
		products := make([]int32, size)
		for i := 0; b.Loop(); i = (i + 1) % size {
			q.set(bytesOf(words[i*one : (i+1)*one]))
			dots(products, q.wide, bytesOf(words))
		}
	})
}

// TestRowsHaveTheCosinesOfVectors holds what docs/reference/embedding.md says of rounding.
func TestRowsHaveTheCosinesOfVectors(t *testing.T) {
	const dims = 256
	rng := rand.New(rand.NewPCG(7, 7))
	worst := 0.
	for range 2000 {
		a, b := make([]float32, dims), make([]float32, dims)
		share := rng.Float64()
		dot, aa, bb := 0., 0., 0.
		for i := range a {
			a[i] = float32(rng.NormFloat64())
			b[i] = float32(share*float64(a[i]) + (1-share)*rng.NormFloat64())
			dot += float64(a[i]) * float64(b[i])
			aa += float64(a[i]) * float64(a[i])
			bb += float64(b[i]) * float64(b[i])
		}
		var p, q query
		p.set(bytesOf(rowOf(nil, a)))
		q.set(bytesOf(rowOf(nil, b)))
		product := [1]int32{}
		dotsGo(product[:], p.wide, q.row)
		cosine := p.cosine(product[0], q.squares)
		if want := rows.Cosine(wordsOf(p.row), wordsOf(q.row)); cosine != want {
			t.Fatalf("the cosine is %v in an index, and %v of two rows", cosine, want)
		}
		worst = max(worst, math.Abs(cosine-dot/math.Sqrt(aa*bb)))
	}
	if worst > .003 {
		t.Errorf("a cosine is off by %v", worst)
	}
}

// rowOf is rows.Append for a vector that has a row.
func rowOf(dst []uint64, vector []float32) []uint64 {
	dst, err := rows.Append(dst, vector)
	if err != nil {
		panic(err)
	}
	return dst
}
