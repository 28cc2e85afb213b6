package fingerprints

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// digests finds TLSH digests by distance. It takes 37 bytes for each digest, up to half as much
// again while it grows, and some 100 bytes for each class.
type digests struct {
	offsets []offset // differences between headers, the closest first
	numbers []uint32 // for each header, the number of its class from 1; 0 means none
	classes []class  // digests with the same header
}

// An offset is the difference, part by part, between the headers of two digests.
type offset struct {
	length, ratio1, ratio2 byte
	distance               int // of the two headers
}

// A class holds the digests with one header. The first half of a code is nearly always enough to
// reject a digest, so the halves are stored separately.
type class struct {
	first, second []planes // 64 buckets each
	checksums     []byte
	numbers       []uint32 // of records, in ascending order
}

// planes hold the quarters of 64 buckets: one bit in low and one in high for each.
type planes struct{ low, high uint64 }

func newDigests(distance int) *digests {
	return &digests{offsets: offsetsWithin(distance), numbers: make([]uint32, 1<<16)}
}

// offsetsWithin returns the offsets of headers up to a distance of limit.
func offsetsWithin(limit int) (offsets []offset) {
	for length := range 256 {
		for ratios := range 256 {
			o := offset{length: byte(length), ratio1: byte(ratios) & 15, ratio2: byte(ratios) >> 4}
			o.distance = tlsh.Distance(tlsh.Digest{}, tlsh.Digest{Length: o.length, Ratios: byte(ratios)})
			if o.distance <= limit {
				offsets = append(offsets, o)
			}
		}
	}
	slices.SortStableFunc(offsets, func(a, b offset) int { return cmp.Compare(a.distance, b.distance) })
	return offsets
}

// of returns the number of the header at this offset from that of d.
func (o offset) of(d *tlsh.Digest) int {
	ratios := (d.Ratios+o.ratio1)&15 | (d.Ratios>>4+o.ratio2)&15<<4
	return int(d.Length+o.length)<<8 | int(ratios)
}

// nearest implements finder.
func (x *digests) nearest(fingerprint []uint64, limit int) (best hit) {
	x.search(fingerprint, limit, func(m hit) (next int) {
		if best.Record == 0 || m.Distance < best.Distance || m.Record < best.Record {
			best = m
		}
		return m.Distance // others may be as near, and earlier
	})
	return best
}

// each implements finder.
func (x *digests) each(fingerprint []uint64, limit int, found func(hit)) {
	x.search(fingerprint, limit, func(m hit) (next int) {
		found(m)
		return limit
	})
}

// search calls found with each digest up to a distance of limit. found returns the limit from then
// on.
func (x *digests) search(fingerprint []uint64, limit int, found func(hit) (next int)) {
	d := tlsh.FromWords(fingerprint)
	q := query{first: planesOf(d.Code[0], d.Code[1]), second: planesOf(d.Code[2], d.Code[3]), checksum: d.Checksum}
	for _, o := range x.offsets {
		if o.distance > limit {
			return
		}
		if n := x.numbers[o.of(&d)]; n > 0 {
			limit = q.search(&x.classes[n-1], o.distance, limit, found)
		}
	}
}

// A query is a digest without its header.
type query struct {
	first, second planes
	checksum      byte
}

// search calls found with the digests of a class; headers is the distance of the headers.
func (q *query) search(c *class, headers, limit int, found func(hit) (next int)) (next int) {
	budget := limit - headers
	ends := ^(q.first.low ^ q.first.high) // quarters 0 and 3
	for i, first := range c.first {
		n := distanceOf(q.first, first, ends)
		if n > budget {
			continue
		}
		n += distanceOf(q.second, c.second[i], ^(q.second.low ^ q.second.high))
		if q.checksum != c.checksums[i] {
			n++
		}
		if n <= budget {
			budget = found(hit{Record: uint64(c.numbers[i]), Distance: headers + n}) - headers
		}
	}
	return budget + headers
}

// distanceOf returns the distance of 64 buckets. ends marks the buckets of a in the first or last
// quarter. A step between neighbouring quarters counts one, and from the first to the last counts
// six.
func distanceOf(a, b planes, ends uint64) int {
	low, high := a.low^b.low, a.high^b.high
	return bits.OnesCount64(low) + 2*bits.OnesCount64(high&^low) + 5*bits.OnesCount64(low&high&ends)
}

// planesOf separates the two bits of each of 64 buckets.
func planesOf(a, b uint64) planes {
	return planes{low: evenBits(a) | evenBits(b)<<32, high: evenBits(a>>1) | evenBits(b>>1)<<32}
}

// evenBits packs bits 0, 2, 4 and so on together.
func evenBits(x uint64) uint64 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0x00000000ffffffff
}

// add implements finder.
func (x *digests) add(fingerprint []uint64, number uint32) error {
	d := tlsh.FromWords(fingerprint)
	at := &x.numbers[offset{}.of(&d)]
	if *at == 0 {
		x.classes = append(x.classes, class{})
		*at = uint32(len(x.classes))
	}
	c := &x.classes[*at-1]
	c.first = append(c.first, planesOf(d.Code[0], d.Code[1]))
	c.second = append(c.second, planesOf(d.Code[2], d.Code[3]))
	c.checksums = append(c.checksums, d.Checksum)
	c.numbers = append(c.numbers, number)
	return nil
}

const (
	planesBytes = 16
	digestBytes = 2*planesBytes + 1 + 4
	classBytes  = 4 * 24
	mostClasses = 1 << 16
)

// peakOfDigests is Params.PeakBytes for digests.
func peakOfDigests(fingerprints uint64) uint64 {
	return fingerprints*digestBytes*3/2 + min(fingerprints, mostClasses)*2*classBytes + mostClasses*4
}

// bytes implements finder.
func (x *digests) bytes() uint64 {
	n := 4*len(x.numbers) + classBytes*cap(x.classes)
	for i := range x.classes {
		c := &x.classes[i]
		n += planesBytes*(cap(c.first)+cap(c.second)) + cap(c.checksums) + 4*cap(c.numbers)
	}
	return uint64(n)
}

// release implements finder.
func (x *digests) release() error {
	x.numbers, x.classes = make([]uint32, mostClasses), nil
	return nil
}
