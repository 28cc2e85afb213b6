package lsh

import (
	"fmt"
	"math"
)

// A Banding is a rule for duplicates: of a signature of NumPerm slots, Bands bands of Rows slots
// each become keys, and a record is a duplicate if at least Votes of its keys have been seen, each
// in its band. One vote is the rule of MinHashLSH and of LSHBloom.
type Banding struct {
	NumPerm, Bands, Rows, Votes int
}

// String is the rule in words, without the length of the signature.
func (b Banding) String() string {
	if b.Votes == 1 {
		return fmt.Sprintf("%d bands of %d rows, any one", b.Bands, b.Rows)
	}
	return fmt.Sprintf("%d of %d bands of %d rows", b.Votes, b.Bands, b.Rows)
}

// Catch returns the probability that a record is removed because of one earlier record of the given
// Jaccard similarity: P(Binomial(b, J^r) ≥ c). With one vote it is CatchProbability.
func (b Banding) Catch(jaccard float64) float64 {
	if b.Votes == 1 {
		return CatchProbability(jaccard, b.Bands, b.Rows)
	}
	return AtLeast(b.Bands, b.Votes, math.Pow(jaccard, float64(b.Rows)))
}

// CatchAmong returns the same for a record that meets other earlier records beside that one: their
// votes add up. All records are taken as independent of each other, which counts too many votes
// where they share the same shingles with this one. A similarity of 0 asks what the others do
// alone.
func (b Banding) CatchAmong(jaccard float64, others []Crowd) float64 {
	return AtLeast(b.Bands, b.Votes, Either(math.Pow(jaccard, float64(b.Rows)), crowdHit(others, b.Rows)))
}

// Similarity estimates the Jaccard similarity with the earlier record that gave the votes:
// (votes/b)^(1/r). Its standard error is about J/r·√((1-J^r)/(b·J^r)). Where several earlier
// records gave votes it is more than the similarity with any of them.
func (b Banding) Similarity(votes int) float64 {
	return math.Pow(float64(votes)/float64(b.Bands), 1/float64(b.Rows))
}

// KeyRate returns how often the filter of one band may err, so that an unseen record reaches the
// votes by errors of filters alone at most at the given rate: the p of P(Binomial(b, p) ≥ c) =
// rate.
func (b Banding) KeyRate(rate float64) float64 {
	if b.Votes == 1 {
		return bandRate(rate, b.Bands)
	}
	// The tail grows with p. The interval of log p that holds the answer is halved until a float64
	// cannot tell its ends apart.
	low, high := math.Log(rate)-math.Log(float64(b.Bands)), 0.0
	for range 60 {
		if middle := (low + high) / 2; AtLeast(b.Bands, b.Votes, math.Exp(middle)) <= rate {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low)
}

// A Cost is what a record takes in an index.
type Cost struct {
	Bytes float64 // of ideal Bloom filters: b·log₂(1/p)/ln 2 bits; paged filters take up to a fifth more
	Lines float64 // cache lines asked: 8 bits of each, so log₂(1/p)/8 of each band, rounded up
}

// Cost returns what a record takes in an index whose filters call an unseen record a duplicate at
// most at the given rate.
func (b Banding) Cost(rate float64) Cost {
	bits := -math.Log2(b.KeyRate(rate))
	return Cost{
		Bytes: float64(b.Bands) * bits / math.Ln2 / 8,
		// A hair less than a whole line more is no line more: processors round differently.
		Lines: float64(b.Bands) * math.Ceil(bits/8-1e-9),
	}
}

// crowdHit is the probability that a key of one band is among those of a crowd: 1 - ∏(1-J^r)^n.
func crowdHit(others []Crowd, rows int) float64 {
	missed := 0.0 // logarithm of the probability that none has it
	for _, o := range others {
		missed += o.Records * math.Log1p(-math.Pow(o.Similarity, float64(rows)))
	}
	return -math.Expm1(missed)
}

// Either is the probability of at least one of two independent hits, which keeps small ones
// precise.
func Either(one, other float64) float64 { return one + other*(1-one) }

// AtLeast returns P(Binomial(n, p) ≥ least). It adds positive terms only, from the largest
// outwards, so that small results keep their precision and nothing overflows.
func AtLeast(n, least int, p float64) float64 {
	switch {
	case least <= 0 || p >= 1 && least <= n:
		return 1
	case least > n || p <= 0:
		return 0
	case least == 1:
		return -math.Expm1(float64(n) * math.Log1p(-p))
	case p > .5 && float64(least) < float64(n)*p: // near 1 the other tail is the precise one
		return 1 - AtLeast(n, n-least+1, 1-p)
	}
	from := max(least, min(int(float64(n+1)*p), n))
	odds := p / (1 - p)
	first := math.Exp(lgamma(n+1) - lgamma(from+1) - lgamma(n-from+1) + float64(from)*math.Log(p) +
		float64(n-from)*math.Log1p(-p))
	sum := 0.0
	for i, term := from, first; i <= n && term > sum*1e-18; i++ {
		sum += term
		term *= odds * float64(n-i) / float64(i+1)
	}
	for i, term := from, first; i > least && term > sum*1e-18; i-- {
		term *= float64(i) / (odds * float64(n-i+1))
		sum += term
	}
	return min(sum, 1)
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}

// bandRate is the share of a rate over all bands that falls to one of them: 1-(1-p)^(1/b).
func bandRate(rate float64, bands int) float64 {
	return -math.Expm1(math.Log1p(-rate) / float64(bands))
}

// AnyBand is the rate that at least one of the bands answers wrongly: 1-(1-p)^b, the inverse of
// bandRate.
func AnyBand(rate float64, bands int) float64 {
	return -math.Expm1(math.Log1p(-rate) * float64(bands))
}
