package bloomlsh

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
)

// The statistical tests compare a count with its expectation, with fixed seeds. The bound is 4.5
// standard deviations of a Poisson count, which a correct implementation misses for one in 150,000
// seeds, plus 1 % for the randomness of the inserted keys.
func withinBound(count int, expected float64) bool {
	return math.Abs(float64(count)-expected) <= 4.5*math.Sqrt(expected)+0.01*expected
}

// TestPagedLoad compares the bits per key needed for some rates with an independent computation
// (which used 63 of a page's 64 lines for 3 partitions).
func TestPagedLoad(t *testing.T) {
	rates := []float64{1e-4, 1e-5, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}
	for partitions, bitsPerKey := range map[int][]float64{
		2: {20.2, 25.4, 31.5, 35.2, 38.8, 47.4, 57.8, 70.4, 85.8, 105, 128},
		3: {21.9, 26.2, 30.9, 33.6, 36.1, 41.9, 48.3, 55.5, 63.7, 72.9, 83.3},
		4: {23.6, 27.5, 31.6, 33.9, 36.0, 40.8, 45.9, 51.4, 57.4, 63.9, 71.0},
	} {
		for i, rate := range rates {
			got := 64 * pageWords / pagedLoad(rate, partitions)
			want := bitsPerKey[i]
			if partitions == 3 {
				want *= 63. / 64
			}
			if math.Abs(got/want-1) > .005 {
				t.Errorf("%d partitions, rate %g: %.2f bits a key, want %.2f", partitions, rate, got, want)
			}
		}
	}
}

// TestPagedLoadIsTheLargest compares pagedLoad, which determines where the keys of an index are,
// with bisection, the slow way to find the largest multiple of 1/64 whose rate does not exceed the
// given one.
func TestPagedLoadIsTheLargest(t *testing.T) {
	bisect := func(rate float64, partitions int) float64 {
		low, high := 1, pageLoads/2*64
		for high-low > 1 {
			if middle := (low + high) / 2; pagedRate(float64(middle)/64, partitions) <= rate {
				low = middle
			} else {
				high = middle
			}
		}
		return float64(low) / 64
	}
	for partitions := minPartitions; partitions <= maxPartitions; partitions++ {
		for rate := 1e-30; rate < 1; rate *= 1.37 {
			if got, want := pagedLoad(rate, partitions), bisect(rate, partitions); got != want {
				t.Errorf("%d partitions, rate %g: a load of %g, want %g", partitions, rate, got, want)
			}
		}
		for _, rate := range []float64{5e-324, 1e-300, 1e-100, .9, .999, .999999, 1 - 1e-16, 1} {
			if got, want := pagedLoad(rate, partitions), bisect(rate, partitions); got != want {
				t.Errorf("%d partitions, rate %g: a load of %g, want %g", partitions, rate, got, want)
			}
		}
	}
}

// TestSumsAreComplete checks that pagedRate and lineRate stop summing where further terms change
// nothing, to the last bit.
func TestSumsAreComplete(t *testing.T) {
	wholeLine := func(x int, q float64) float64 {
		mode := int(float64(x+1) * q)
		logMode := lgamma(x+1) - lgamma(mode+1) - lgamma(x-mode+1) + float64(mode)*math.Log(q) +
			float64(x-mode)*math.Log1p(-q)
		odds, sum, weight := q/(1-q), 0.0, math.Exp(logMode)
		for i := mode; i >= 1 && weight > 1e-25; i-- {
			sum += weight * fullLine()[min(i, len(fullLine())-1)]
			weight *= float64(i) / (float64(x-i+1) * odds)
		}
		weight = math.Exp(logMode)
		for i := mode + 1; i <= x; i++ {
			if weight *= float64(x-i+1) * odds / float64(i); weight > 1e-25 {
				sum += weight * fullLine()[min(i, len(fullLine())-1)]
			}
		}
		return min(sum, 1)
	}
	for lines := pageLines / maxPartitions; lines <= pageLines/minPartitions; lines++ {
		for x := 1; x < pageLoads; x += 1 + x/200 {
			if got, want := lineRate(x, 1/float64(lines)), wholeLine(x, 1/float64(lines)); got != want {
				t.Fatalf("a line of %d with %d keys: %g, want %g", lines, x, got, want)
			}
		}
	}
	for partitions := minPartitions; partitions <= maxPartitions; partitions++ {
		rates := pageRatesOf(partitions)
		for load := 1. / 64; load < pageLoads; load *= 1.013 {
			mode := int(load)
			logMode := -load + float64(mode)*math.Log(load) - lgamma(mode+1)
			want, weight := 0.0, math.Exp(logMode)
			for x := mode; x >= 1 && weight > 1e-30; x-- {
				want += weight * rates.at(x)
				weight *= float64(x) / load
			}
			weight = math.Exp(logMode)
			for x := mode + 1; ; x++ {
				if weight *= load / float64(x); weight <= 1e-30 {
					break
				}
				want += weight * rates.at(x)
			}
			if got := pagedRate(load, partitions); got != min(want, 1) {
				t.Fatalf("%d partitions, %g keys a page: %g, want %g", partitions, load, got, want)
			}
		}
	}
}

func TestFullLine(t *testing.T) {
	for i, got := range fullLine() {
		if want := math.Pow(-math.Expm1(float64(i)*math.Log(63./64)), 8); got != want {
			t.Errorf("%d keys: %g, want %g", i, got, want)
		}
	}
}

// TestPageRatesAtOnce checks that goroutines computing rates at the same time get the same ones.
func TestPageRatesAtOnce(t *testing.T) {
	fresh := func() pageRates { return pageRates{partitions: 3, bits: new([pageLoads]atomic.Uint64)} }
	shared, alone := fresh(), fresh()
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for x := 1; x < 3000; x += 7 {
				shared.at(x)
			}
		})
	}
	workers.Wait()
	for x := 1; x < 3000; x += 7 {
		if a, b := shared.at(x), alone.at(x); a != b || a <= 0 || a > 1 {
			t.Fatalf("a page of %d keys has the rates %g and %g", x, a, b)
		}
	}
	if rate := shared.at(pageLoads); rate != 1 {
		t.Errorf("a page beyond the table has the rate %g", rate)
	}
}

func TestPagedRateEnds(t *testing.T) {
	for partitions := minPartitions; partitions <= maxPartitions; partitions++ {
		if got := pagedRate(0, partitions); got != 0 {
			t.Errorf("rate of an empty filter is %g", got)
		}
		last := 0.0
		for load := 1.0; load < 20_000; load *= 1.3 {
			rate := pagedRate(load, partitions)
			if !(rate >= last && rate <= 1) {
				t.Errorf("%d partitions: rate %g at %g keys a page after %g", partitions, rate, load, last)
			}
			last = rate
		}
		if last < .999 {
			t.Errorf("rate of a saturated filter is %g", last)
		}
	}
}

// TestMeasuredRate fills one band so that some thousands of false positives are expected, and looks
// up keys that were not inserted. Sequential keys are the hardest for the hash: they differ in a
// few low bits of one half.
func TestMeasuredRate(t *testing.T) {
	const inserted = 100_000
	asked := 1_000_000
	if hurried() {
		asked /= 10
	}
	random := &keyStream{11}
	for name, key := range map[string]func(i int) Key{
		"random":   func(int) Key { return Key{Hi: random.next(), Lo: random.next()} },
		"low half": func(i int) Key { return Key{Lo: uint64(i)} },
		"high end": func(i int) Key { return Key{Hi: uint64(i) << 40} },
		"both":     func(i int) Key { return Key{Hi: uint64(i), Lo: uint64(i)} },
	} {
		shapes := []geometry{{filter: FilterClassic, probes: 8, bandWords: inserted * 12 / 64}}
		for partitions := minPartitions; partitions <= maxPartitions; partitions++ {
			pages := inserted / pagedLoad(3e-3, partitions)
			shapes = append(shapes, geometry{filter: FilterPaged, probes: partitions,
				bandWords: uint64(pages) * pageWords})
		}
		for _, g := range shapes {
			g.bands = 1
			t.Run(fmt.Sprintf("%s/%s/%d", name, g.filter, g.probes), func(t *testing.T) {
				f := newFilter(g, make([]uint64, g.words()))
				for i := range inserted {
					f.add([]Key{key(i)})
				}
				found := 0
				for i := inserted; i < inserted+asked; i++ {
					if f.contains([]Key{key(i)}, 0, nil) > 0 {
						found++
					}
				}
				if expected := g.bandRate(inserted) * float64(asked); !withinBound(found, expected) {
					t.Errorf("%d false positives, expected %.1f", found, expected)
				}
				if _, records := f.sample(sampleLines); math.Abs(records/inserted-1) > .02 {
					t.Errorf("cardinality %.0f, want %d", records, inserted)
				}
			})
		}
	}
}

// TestMeasuredFalseRemovals checks that a run of unrelated records loses as many as
// ExpectedFalseRemovals says, in one generation and in several.
func TestMeasuredFalseRemovals(t *testing.T) {
	for _, c := range []struct {
		p       Params
		records int
	}{
		{Params{Bands: 14, Capacity: 1_000_000, FPRate: 1e-2, Filter: FilterPaged, Remember: RememberAll,
			OnFull: OnFullRefuse}, 1_000_000},
		{Params{Bands: 14, Capacity: 30_000, FPRate: 1e-2, Filter: FilterPaged, Remember: RememberUnseen,
			OnFull: OnFullGrow}, 400_000},
		{Params{Bands: 14, Capacity: 100_000, FPRate: 1e-2, Filter: FilterClassic, Remember: RememberAll,
			OnFull: OnFullRefuse}, 100_000},
		{Params{Bands: 2, Capacity: 200_000, FPRate: 1e-1, Filter: FilterClassic, Remember: RememberUnseen,
			OnFull: OnFullGrow}, 300_000},
		{Params{Bands: 32, Votes: 8, Capacity: 200_000, FPRate: 1e-2, Filter: FilterPaged, OnFull: OnFullRefuse},
			200_000},
		{Params{Bands: 28, Votes: 3, Capacity: 20_000, FPRate: 1e-2, Filter: FilterPaged}, 200_000},
		{Params{Bands: 12, Votes: 4, Capacity: 50_000, FPRate: 1e-2, Filter: FilterClassic, OnFull: OnFullRefuse},
			50_000},
	} {
		if hurried() {
			c.records /= 10
			c.p.Capacity /= 10
		}
		c.p = c.p.complete()
		t.Run(fmt.Sprintf("%s/%s/%d of %d", c.p.Filter, c.p.OnFull, c.p.Votes, c.p.Bands), func(t *testing.T) {
			x := mustNew(t, c.p)
			stream, keys := &keyStream{5}, make([]Key, c.p.Bands)
			removed := 0
			for range c.records {
				stream.fill(keys)
				duplicate, err := observeRecord(x, keys)
				if err != nil {
					t.Fatal(err)
				}
				if duplicate {
					removed++
				}
			}
			expected := ExpectedFalseRemovals(c.p, uint64(c.records))
			if !withinBound(removed, expected) {
				t.Errorf("%d of %d unseen records removed, expected %.1f", removed, c.records, expected)
			}
			t.Logf("%d of %d unseen records removed, expected %.1f", removed, c.records, expected)
			s := x.Stats()
			if s.FPRate > c.p.FPRate*(1+1e-9) || s.FPRateAtCapacity > c.p.FPRate*(1+1e-9) {
				t.Errorf("rate %g, at capacity %g, promised %g", s.FPRate, s.FPRateAtCapacity, c.p.FPRate)
			}
		})
	}
}

func TestExpectedFalseRemovalsStopsAtTheWall(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1000, FPRate: 1e-3, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullRefuse}
	if a, b := ExpectedFalseRemovals(p, 1000), ExpectedFalseRemovals(p, 1_000_000); a != b {
		t.Errorf("%g removals up to capacity, %g beyond it", a, b)
	}
	p.OnFull = OnFullGrow
	if got := ExpectedFalseRemovals(p, 1_000_000); got > p.FPRate*1_000_000 {
		t.Errorf("%g removals, the rate promises at most %g", got, p.FPRate*1_000_000)
	}
}
