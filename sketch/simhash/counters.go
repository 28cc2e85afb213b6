package simhash

import "math/bits"

// counters are 64 counters of how often each bit was set in the words added. They are stored as
// planes: bit b of planes[i] is bit i of the counter of bit b. So one operation on words works on
// all 64 of them, and a full adder of five operations adds a word (Harley and Seal's bit counting;
// Warren: Hacker's Delight, 2nd edition, section 5-1).
type counters struct {
	planes [maxPlanes]uint64
	used   int    // planes that may have a bit
	total  uint64 // number of words added
}

// maxPlanes suffices for as many shingles as a text can have, each counted by its weight.
const maxPlanes = 64

func (c *counters) reset() {
	clear(c.planes[:c.used])
	c.used, c.total = 0, 0
}

// add adds words, each 2ᵖ times, eight at a time.
func (c *counters) add(words []uint64, p int) {
	c.total += uint64(len(words)) << p
	ones, twos, fours := c.planes[p], c.planes[p+1], c.planes[p+2]
	for ; len(words) >= 8; words = words[8:] {
		w := (*[8]uint64)(words)
		var twosA, twosB, foursA, foursB, eights uint64
		ones, twosA = fullAdd(ones, w[0], w[1])
		ones, twosB = fullAdd(ones, w[2], w[3])
		twos, foursA = fullAdd(twos, twosA, twosB)
		ones, twosA = fullAdd(ones, w[4], w[5])
		ones, twosB = fullAdd(ones, w[6], w[7])
		twos, foursB = fullAdd(twos, twosA, twosB)
		fours, eights = fullAdd(fours, foursA, foursB)
		c.carry(p+3, eights)
	}
	c.planes[p], c.planes[p+1], c.planes[p+2] = ones, twos, fours
	c.used = max(c.used, p+3)
	for _, w := range words {
		c.carry(p, w)
	}
}

// fullAdd adds three words bitwise: the sum of bits i is 2·carry + sum.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// carry adds 2ⁱ to the counters of the bits of word.
func (c *counters) carry(i int, word uint64) {
	for ; word != 0; i++ {
		c.planes[i], word = c.planes[i]^word, c.planes[i]&word
	}
	c.used = max(c.used, i)
}

// majority returns the bits that were set in more than half of the words.
func (c *counters) majority() uint64 {
	half := c.total / 2
	more, equal := uint64(0), ^uint64(0)
	for i := max(c.used, bits.Len64(half)) - 1; i >= 0; i-- {
		if half>>i&1 == 0 {
			more |= equal & c.planes[i]
			equal &^= c.planes[i]
		} else {
			equal &= c.planes[i]
		}
	}
	return more
}
