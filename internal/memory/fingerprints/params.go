package fingerprints

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// A Measure is a kind of fingerprints with its distance.
type Measure int

const (
	Hamming Measure = iota // number of different bits, for the fingerprints of package simhash
	TLSH                   // distance of digests of package tlsh
)

// Params configures an Index.
type Params struct {
	Measure  Measure
	Bits     int // of a fingerprint: 64 or 128; 0 with TLSH
	Distance int // maximum distance of duplicates: up to Bits/4, or up to MaxTLSH

	// UnseenOnly makes the index remember only fingerprints without a neighbour.
	UnseenOnly bool
}

// MaxTLSH is the largest distance supported for digests. Unrelated texts have such distances.
const MaxTLSH = tlsh.Unrelated

// Validate returns an error if the parameters are invalid.
func (p Params) Validate() error {
	switch {
	case p.Measure == TLSH && p.Bits != 0:
		return errors.New("bits has no meaning for TLSH")
	case p.Measure == TLSH && (p.Distance < 0 || p.Distance > MaxTLSH):
		return fmt.Errorf("distance must be between 0 and %d, not %d", MaxTLSH, p.Distance)
	case p.Measure == TLSH:
		return nil
	case p.Measure != Hamming:
		return fmt.Errorf("measure must be Hamming or TLSH, not %d", p.Measure)
	case p.Bits != 64 && p.Bits != 128:
		return fmt.Errorf("bits must be 64 or 128, not %d", p.Bits)
	case p.Distance < 0 || p.Distance > p.Bits/4:
		return fmt.Errorf("distance must be between 0 and %d, a quarter of the bits, not %d", p.Bits/4, p.Distance)
	}
	return nil
}

// Words returns the number of words of a fingerprint.
func (p Params) Words() int {
	if p.Measure == TLSH {
		return tlsh.Words
	}
	return p.Bits / 64
}

// distance returns the distance of two fingerprints.
func (p Params) distance(a, b []uint64) int {
	if p.Measure == TLSH {
		return tlsh.Distance(tlsh.FromWords(a), tlsh.FromWords(b))
	}
	return simhash.Distance(a, b)
}

// Similarity converts a distance: to the cosine similarity that it estimates, or with TLSH to how
// much closer it is than that of unrelated texts, from 0 to 1.
func (p Params) Similarity(distance int) float64 {
	if p.Measure == TLSH {
		return tlsh.Similarity(distance)
	}
	return simhash.Cosine(distance, p.Bits)
}

// PeakBytes returns the memory that an index takes, while it grows, for that many distinct
// fingerprints.
func (p Params) PeakBytes(fingerprints uint64) uint64 {
	if p.Measure == TLSH {
		return peakOfDigests(fingerprints)
	}
	return p.peakOfLanes(fingerprints)
}

// A hit is a record near a fingerprint. The zero hit means none.
type hit struct {
	Record   uint64
	Distance int
}

// A finder remembers fingerprints and finds those near another.
type finder interface {
	// nearest returns the nearest record up to a distance of limit, the earliest if several are
	// equal, or the zero hit.
	nearest(fingerprint []uint64, limit int) hit

	// each calls found with all records up to a distance of limit, in any order.
	each(fingerprint []uint64, limit int, found func(hit))

	// add remembers a fingerprint. It must be new, and its record later than all others.
	add(fingerprint []uint64, number uint32) error

	bytes() uint64
	release() error
}

func newFinder(p Params) finder {
	if p.Measure == TLSH {
		return newDigests(p.Distance)
	}
	return newMultiIndex(p)
}
