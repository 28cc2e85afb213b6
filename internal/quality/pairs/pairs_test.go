package pairs

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// A record is what is added of one.
type record struct{ set, keys []uint64 }

// compareAll is what a Join must find: each record compared with each.
func compareAll(p Params, records []record, others int) (want []Pair) {
	for i, a := range records {
		for k := i + 1; k < len(records); k++ {
			if others >= 0 && (i >= others || k < others) {
				continue
			}
			b := records[k]
			pair := Pair{First: uint64(i) + 1, Second: uint64(k) + 1}
			same := slices.Equal(a.keys, b.keys) && (p.Unverified || slices.Equal(a.set, b.set))
			if p.Votes > 0 {
				pair.Keys = countCommon(a.keys, b.keys)
			}
			if p.Votes > 0 && (len(a.keys) == 0 || len(b.keys) == 0 || !same && pair.Keys < p.Votes) {
				continue
			}
			if !p.Unverified {
				n := countCommon(a.set, b.set)
				pair.Similarity = float64(n) / float64(len(a.set)+len(b.set)-n)
				if !(pair.Similarity >= p.Threshold) {
					continue
				}
			}
			want = append(want, pair)
		}
	}
	return want
}

// countCommon goes once through both, which are sorted.
func countCommon(a, b []uint64) (n int) {
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == x {
			n++
		}
	}
	return n
}

// find joins records, of which those from others on are compared with the ones before.
func find(p Params, records []record, others int) (got []Pair, err error) {
	j, err := New(p)
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		if i == others {
			j.Divide()
		}
		if err := j.Add(r.set, r.keys); err != nil {
			return nil, err
		}
	}
	if others == len(records) {
		j.Divide()
	}
	defer j.Close()
	err = j.Find(context.Background(), func(p Pair) error {
		got = append(got, p)
		return nil
	})
	return got, err
}

// drawSet draws elements that are far apart, as hashes are, of which sets have many in common.
func drawSet(t *rapid.T, most int, what string) []uint64 {
	var set []uint64
	for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, most, rapid.ID).Draw(t, what) {
		set = append(set, uint64(n)*0x9e3779b97f4a7c15)
	}
	slices.Sort(set)
	return set
}

func drawRecords(t *rapid.T) (records []record) {
	for range rapid.IntRange(0, 20).Draw(t, "records") {
		r := record{drawSet(t, 24, "set"), drawSet(t, 4, "keys")}
		if len(records) > 0 && rapid.IntRange(0, 2).Draw(t, "near") > 0 {
			r = rapid.SampledFrom(records).Draw(t, "earlier")
			if n := len(r.set); n > 0 && rapid.Bool().Draw(t, "without") {
				r.set = slices.Delete(slices.Clone(r.set), 0, rapid.IntRange(0, min(n, 3)).Draw(t, "fewer"))
			}
		}
		records = append(records, r)
	}
	return records
}

func drawParams(t *rapid.T) Params {
	p := Params{
		Threshold: rapid.SampledFrom([]float64{1e-9, .1, .3, .5, 2. / 3, .7, .8, .9, 1}).Draw(t, "threshold"),
		Votes:     rapid.IntRange(0, 3).Draw(t, "votes"),
		Threads:   rapid.IntRange(1, 4).Draw(t, "threads"),
	}
	largest := bytesOf(make([]uint64, 24), make([]uint64, 4))
	p.MaxMemory = rapid.SampledFrom([]uint64{0, 2 * largest, 6 * largest, 12 * largest}).Draw(t, "memory")
	p.Unverified = p.Votes > 0 && rapid.Bool().Draw(t, "unverified")
	return p
}

// TestAllPairs: the pairs of any records are those that a comparison of each with each finds, in
// its order, whatever the threads and the memory.
func TestAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, records := drawParams(t), drawRecords(t)
		others := rapid.IntRange(-1, len(records)).Draw(t, "others")
		got, err := find(p, records, others)
		if err != nil {
			t.Fatal(err)
		}
		if want := compareAll(p, records, others); !slices.Equal(got, want) {
			t.Fatalf("%+v of %v, others from %d:\n%v, want\n%v", p, records, others, got, want)
		}
	})
}

// TestManyRecords: of more records than a chunk has, and more elements than a range.
func TestManyRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var records []record
	for range 2000 {
		var set []uint64
		if n := len(records); n > 0 && random.IntN(2) == 0 {
			set = slices.Clone(records[random.IntN(n)].set)
			for range random.IntN(20) {
				set[random.IntN(len(set))] = random.Uint64()
			}
		}
		for len(set) < 20 {
			set = append(set, random.Uint64())
		}
		for range random.IntN(40) {
			set = append(set, random.Uint64())
		}
		slices.Sort(set)
		records = append(records, record{set: slices.Compact(set)})
	}
	want := compareAll(Params{Threshold: .5}, records, -1)
	for _, threads := range []int{1, 3} {
		got, err := find(Params{Threshold: .5, Threads: threads}, records, -1)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) < 100 || !slices.Equal(got, want) {
			t.Fatalf("%d threads: %d pairs, want %d", threads, len(got), len(want))
		}
	}
}

// TestThreshold: what follows from a threshold is what a count of all cases gives.
func TestThreshold(t *testing.T) {
	for _, j := range []float64{1e-9, .1, .3, .5, 2. / 3, .7, .8, .85, .9, .95, 1} {
		th := threshold(j)
		for together := 2; together < 300; together++ {
			want := together/2 + 1
			for c := together / 2; c > 0 && th.isMet(c, together); c-- {
				want = c
			}
			if got := th.needed(together); got != want {
				t.Fatalf("%v of %d: %d needed, want %d", j, together, got, want)
			}
		}
		for size := 1; size < 300; size++ {
			want := size
			for want > 1 && float64(want-1)/float64(size) >= j {
				want--
			}
			if got := th.least(size); got != want {
				t.Fatalf("%v of %d: at least %d, want %d", j, size, got, want)
			}
		}
	}
}

func TestParams(t *testing.T) {
	for _, p := range []Params{{}, {Threshold: 1.1}, {Threshold: -1}, {Threshold: .5, Votes: -1},
		{Threshold: .5, Unverified: true}} {
		if _, err := New(p); err == nil {
			t.Errorf("%+v makes sense", p)
		}
	}
}

// TestMaxMemory: records beyond the memory have the same pairs, in the same order. Two of one size
// must have room.
func TestMaxMemory(t *testing.T) {
	const count = 400 // in up to 40 blocks, each of which meets each
	var records []record
	for i := range count {
		records = append(records, record{set: []uint64{uint64(i), uint64(i) + 1, 5000 + uint64(i)%7}})
	}
	p := Params{Threshold: .2}
	want, err := find(p, records, -1)
	if err != nil || len(want) < count-1 {
		t.Fatal(len(want), err)
	}
	one := bytesOf(records[0].set, nil)
	for _, p.MaxMemory = range []uint64{count * one, (count - 1) * one, count / 2 * one, 20 * one} {
		if got, err := find(p, records, -1); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d bytes: %d pairs, want %d, %v", p.MaxMemory, len(got), len(want), err)
		}
	}
	p.MaxMemory = 2*one - 1
	var room *MemoryError
	if _, err := find(p, records, -1); !errors.As(err, &room) || room.Needed != 2*one {
		t.Error(err)
	}
	t.Setenv("TMPDIR", "/dev/null")
	p.MaxMemory = 2 * one
	j, err := New(p)
	for i := 0; err == nil && i < len(records); i++ {
		err = j.Add(records[i].set, nil)
	}
	if err == nil || j.Close() != nil {
		t.Errorf("there is no directory for temporary files: %v", err)
	}
}

// TestBlocks: records that have no room together are in blocks, and the work of them is told.
func TestBlocks(t *testing.T) {
	one := bytesOf([]uint64{1, 2}, nil)
	for memory, want := range map[uint64]int{0: 1, 100 * one: 1, 99 * one: 3, 20 * one: 10} {
		j, err := New(Params{Threshold: .5, MaxMemory: memory})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for i := range uint64(100) {
			if err := j.Add([]uint64{2 * i, 2*i + 1}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Find(context.Background(), func(Pair) error { return errors.New("no pair is there") }); err != nil {
			t.Error(err)
		}
		if j.Blocks() != want || j.Progress() != 1 {
			t.Errorf("%d bytes: %d blocks, want %d; %v is done", memory, j.Blocks(), want, j.Progress())
		}
	}
}

// TestEnds: an error of who takes the pairs ends the join, and so does the end of the context.
func TestEnds(t *testing.T) {
	stop := errors.New("enough")
	for range 3 {
		j, err := New(Params{Threshold: .1, Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			if err := j.Add([]uint64{1, 2, uint64(i) + 3}, nil); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		ctx, cancel := context.WithCancelCause(context.Background())
		err = j.Find(ctx, func(Pair) error {
			if n++; n == 5000 {
				cancel(stop)
			}
			return nil
		})
		if !errors.Is(err, stop) || n > 200_000 {
			t.Errorf("%d pairs, %v", n, err)
		}
	}
	records := slices.Repeat([]record{{set: []uint64{1}}}, 1000)
	j, _ := New(Params{Threshold: .5})
	for _, r := range records {
		if err := j.Add(r.set, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Find(context.Background(), func(Pair) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}
