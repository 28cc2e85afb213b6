package lsh

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// exactTail is P(Binomial(n, p) ≥ least), computed with far more digits than are asked for.
func exactTail(n, least int, p float64) float64 {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(x) }
	hit := number(p)
	miss := number(1)
	miss.Sub(miss, hit)
	hits, misses := []*big.Float{number(1)}, []*big.Float{number(1)} // powers
	for i := range n {
		hits = append(hits, number(0).Mul(hits[i], hit))
		misses = append(misses, number(0).Mul(misses[i], miss))
	}
	sum := number(0)
	for i := max(least, 0); i <= n; i++ {
		term := number(0).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		sum.Add(sum, term.Mul(term, hits[i]).Mul(term, misses[n-i]))
	}
	value, _ := sum.Float64()
	return value
}

func TestBinomialTailIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		least := rapid.IntRange(-1, 42).Draw(t, "least")
		p := rapid.OneOf(rapid.Float64Range(0, 1),
			rapid.SampledFrom([]float64{0, 1e-12, 1e-6, .5, 1 - 1e-9, 1})).Draw(t, "p")
		want := exactTail(n, least, p)
		if got := AtLeast(n, least, p); math.Abs(got-want) > 1e-11*want {
			t.Fatalf("P(Binomial(%d, %g) ≥ %d) = %g, want %g", n, p, least, got, want)
		}
	})
}

// Far more bands than the exact test can take: the sum starts in the middle, where nothing
// underflows.
func TestBinomialTailOfManyBands(t *testing.T) {
	const manyBands = 1<<16 - 1
	if got := AtLeast(manyBands, manyBands/2, .6); got < 1-1e-12 {
		t.Errorf("half of the hits with p = .6: %g, want 1", got)
	}
	if got := AtLeast(manyBands, manyBands/2+1, .5); math.Abs(got-.5) > .002 {
		t.Errorf("more than half of the hits with p = .5: %g, want just below .5", got)
	}
}

func TestCatch(t *testing.T) {
	rule := Banding{NumPerm: 256, Bands: 32, Rows: 8, Votes: 8}
	for jaccard, want := range map[float64]float64{1: 1, .95: 1, .9: .989, .85: .677, .8: .156, .7: .00037, 0: 0} {
		if got := rule.Catch(jaccard); math.Abs(got-want) > .0006 {
			t.Errorf("caught at %g: %g, want %g", jaccard, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		bands, rows := rapid.IntRange(1, 300).Draw(t, "bands"), rapid.IntRange(1, 40).Draw(t, "rows")
		jaccard := rapid.Float64Range(0, 1).Draw(t, "jaccard")
		got := (Banding{Bands: bands, Rows: rows, Votes: 1}).Catch(jaccard)
		if want := CatchProbability(jaccard, bands, rows); got != want {
			t.Fatalf("one vote of %d bands of %d rows at %g: %g, want %g to the bit", bands, rows, jaccard, got, want)
		}
	})
}

func TestCatchAmong(t *testing.T) {
	for _, c := range []struct {
		rule   Banding
		alone  float64
		others []Crowd
		want   float64
	}{
		{Banding{Bands: 14, Rows: 9, Votes: 1}, 0, []Crowd{{1000, .3}}, .241},
		{Banding{Bands: 28, Rows: 9, Votes: 3}, 0, []Crowd{{1000, .3}}, .017},
		{Banding{Bands: 28, Rows: 9, Votes: 3}, 0, []Crowd{{100_000, .2}}, .162},
		{Banding{Bands: 36, Rows: 7, Votes: 6}, 0, []Crowd{{30, .5}}, .796},
		{Banding{Bands: 32, Rows: 8, Votes: 8}, .85, nil, .677},
		{Banding{Bands: 32, Rows: 8, Votes: 8}, 0, []Crowd{{1, .85}}, .677},
		{Banding{Bands: 32, Rows: 8, Votes: 8}, .5, []Crowd{{3, 1}}, 1},
	} {
		if got := c.rule.CatchAmong(c.alone, c.others); math.Abs(got-c.want) > .001 {
			t.Errorf("%v at %g among %v: %g, want %g", c.rule, c.alone, c.others, got, c.want)
		}
	}
}

// Two records that vote on their own are drawn, band by band.
func TestCatchAmongIsTheUnion(t *testing.T) {
	rule := Banding{Bands: 9, Rows: 3, Votes: 3}
	a, b := math.Pow(.6, 3), math.Pow(.5, 3)
	either := 1 - (1-a)*(1-b)*(1-b)
	if got, want := rule.CatchAmong(.6, []Crowd{{2, .5}}), exactTail(9, 3, either); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestKeyRateIsTheInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bands := rapid.IntRange(1, 64).Draw(t, "bands")
		rule := Banding{Bands: bands, Rows: 1, Votes: rapid.IntRange(1, bands).Draw(t, "votes")}
		rate := math.Exp(rapid.Float64Range(math.Log(MinFPRate), -.1).Draw(t, "log rate"))
		p := rule.KeyRate(rate)
		if got := AtLeast(bands, rule.Votes, p); math.Abs(got/rate-1) > 1e-9 {
			t.Fatalf("%v: filters that err at %g make %g of them all, want %g", rule, p, got, rate)
		}
	})
}

func TestCost(t *testing.T) {
	for rule, want := range map[Banding]Cost{
		{Bands: 14, Rows: 9, Votes: 1}: {77, 56},
		{Bands: 28, Rows: 9, Votes: 3}: {64, 56},
		{Bands: 32, Rows: 8, Votes: 8}: {36, 32},
	} {
		if got := rule.Cost(1e-8); math.Abs(got.Bytes-want.Bytes) > .6 || got.Lines != want.Lines {
			t.Errorf("%v: %+v, want about %+v", rule, got, want)
		}
	}
}

// The votes of a single earlier record, each number with its probability: the estimate lies at the
// similarity, with the error that is documented.
func TestSimilarityOfVotes(t *testing.T) {
	rule := Banding{Bands: 32, Rows: 8, Votes: 8}
	if got := rule.Similarity(32); got != 1 {
		t.Errorf("all bands: %g, want 1", got)
	}
	for _, jaccard := range []float64{.85, .9, .95} {
		hit := math.Pow(jaccard, 8)
		mean, square := 0.0, 0.0
		for votes := range 33 {
			weight := exactTail(32, votes, hit) - exactTail(32, votes+1, hit)
			mean += weight * rule.Similarity(votes)
			square += weight * math.Pow(rule.Similarity(votes)-jaccard, 2)
		}
		documented := jaccard / 8 * math.Sqrt((1-hit)/(32*hit))
		if math.Abs(mean-jaccard) > .007 || math.Abs(math.Sqrt(square)/documented-1) > .2 {
			t.Errorf("similarity %g: estimated as %g ± %g, documented is ± %g", jaccard, mean, math.Sqrt(square),
				documented)
		}
	}
}

func TestBandRateInvertsAnyBand(t *testing.T) {
	for _, rate := range []float64{1e-14, 1e-10, 1e-5, .1, .9} {
		for _, bands := range []int{1, 14, 1000} {
			if got := AnyBand(bandRate(rate, bands), bands); math.Abs(got/rate-1) > 1e-9 {
				t.Errorf("%d bands: rate %g comes back as %g", bands, rate, got)
			}
		}
	}
}
