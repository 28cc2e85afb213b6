// Package signature computes signatures of texts that can be stored and compared elsewhere:
// MinHash, SimHash, TLSH and vectors, in one binary form that says how they were made.
//
// A Writer accepts a text in pieces, as an io.Writer, and returns its Signature: a MinHash
// signature, a SimHash, a TLSH digest or the row of a vector. Two signatures can only be compared
// if their kinds and parameters are equal.
//
// # The binary form
//
// Numbers are little-endian.
//
//	bytes  content
//	8      "mithsig" and a zero
//	2      version, 1
//	2      kind
//	4      size
//	8      XXH3-64 of the parameters, as lines: "parameter", tab, name, tab, value, line feed
//	2      number of words, n
//	2      length of the model's name, m, at most 1,024
//	m      name of the model: the hash of its directory, or of a table of weights
//	8*n    the words
//	8      XXH3-64 of all bytes before
//
// The kinds, what their sizes and words are, and their parameters in order:
//
//   - 1, MinHash: slots; eight bits of each slot, eight slots a word, the first in the lowest bits.
//     The eight bits of a slot v are the highest of (v ^ v>>32) * 0x9e3779b97f4a7c15. normalize,
//     tokenize, shingle-size, sketch, num-perm, seed.
//   - 2, SimHash: 64 or 128 bits; bits 0 to 63, then 64 to 127. normalize, tokenize, shingle-size,
//     sketch, bits, weight.
//   - 3, TLSH: 128 buckets; checksum, length and ratios in the three lowest bytes of the first
//     word, then four words with two bits for each bucket, the first bucket in the lowest.
//     normalize, sketch.
//   - 4, vectors: dimensions; a byte for each, a 127th of the largest value, and zeros up to a
//     multiple of 32 bytes. sketch.
//
// testdata/golden/binary.jsonl of the project has forms that a second implementation made.
package signature
