package fingerprints

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// A Measure says what fingerprints are, and what their distance is.
type Measure int

const (
	Hamming Measure = iota // in how many bits they differ; such are the fingerprints of package simhash
	TLSH                   // that of digests of package tlsh
)

// Params is what an Index is to do.
type Params struct {
	Measure  Measure
	Bits     int // of a fingerprint: 64 or 128; 0 with TLSH
	Distance int // of fingerprints that are near each other: up to Bits/4, or up to MaxTLSH

	// UnseenOnly says that only fingerprints with none near them are remembered.
	UnseenOnly bool
}

// MaxTLSH is the largest distance of digests that are looked for. Those of unrelated texts have
// such distances.
const MaxTLSH = tlsh.Unrelated

// Validate reports what has no meaning.
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

// Words is the number of words of a fingerprint.
func (p Params) Words() int {
	if p.Measure == TLSH {
		return tlsh.Words
	}
	return p.Bits / 64
}

// distance is the distance of two fingerprints.
func (p Params) distance(a, b []uint64) int {
	if p.Measure == TLSH {
		return tlsh.Distance(tlsh.FromWords(a), tlsh.FromWords(b))
	}
	return simhash.Distance(a, b)
}

// Similarity is what a distance of fingerprints says: the cosine that it estimates, or with TLSH
// how much of the way from an unrelated text there is.
func (p Params) Similarity(distance int) float64 {
	if p.Measure == TLSH {
		return tlsh.Similarity(distance)
	}
	return simhash.Cosine(distance, p.Bits)
}

// PeakBytes is what an index takes, while it grows, to remember so many different fingerprints.
func (p Params) PeakBytes(fingerprints uint64) uint64 {
	if p.Measure == TLSH {
		return peakOfDigests(fingerprints)
	}
	return p.peakOfLanes(fingerprints)
}

// A hit is a record that is near a fingerprint. The zero hit stands for none.
type hit struct {
	Record   uint64
	Distance int
}

// A finder remembers fingerprints, and finds those near another one.
type finder interface {
	// nearest returns the nearest record at a distance of at most limit, the earliest of several,
	// or the zero hit.
	nearest(fingerprint []uint64, limit int) hit

	// each hands over all records at a distance of at most limit, in any order.
	each(fingerprint []uint64, limit int, found func(hit))

	// add remembers a fingerprint, which is not there yet, of a record that is later than all.
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
