// Package overlap finds records, and parts of records, that were seen before word for word: whole
// texts, lines, paragraphs and n-grams of words.
//
// A part is a key of 128 bits. A sketcher makes the keys of a text; a memory of all parts, which
// is an index of one band, says which of them were seen; and a judge decides what that means for
// the record. docs/reference/overlap.md describes the methods to users.
//
// # Parts
//
//   - ccnet: lines, without white space at their ends, controls, accents (Mn), punctuation and
//     symbols, in lower case, digits as 0. The key is the first 8 bytes of the SHA-1. The paper
//     removes accents and ASCII punctuation, and so does this; its code does not.
//   - dolma: paragraphs, which are lines that are not blank.
//   - dolma-ngram: n words between white space within a paragraph; a shorter paragraph is one part.
//   - dclm: n segments of UAX #29 that are not white space, within a paragraph; a shorter paragraph
//     has none.
//   - bloom-ngrams: 1 to n neighbouring characters, or n words, each once a record.
//
// Lines whose normal form is empty are not parts. A part that occurred earlier in the same record
// counts as seen; with dclm, only if an earlier paragraph has it, since all n-grams of a paragraph
// are looked up before any is remembered. dclm remembers the n-grams of paragraphs that were not
// seen themselves; the other methods remember all parts. A share equal to the threshold counts as
// above it.
//
// # Samples
//
// The hash of an n-gram of the words with the XXH3-64 h_0 ... h_(n-1) is the sum of h_i * c^(n-1-i)
// modulo 2^64, with c = 0x9E3779B97F4A7C15. At level l the n-grams with a hash below 2^(64-l) are
// looked up and remembered. The level of a text of d different n-grams is the largest, up to that
// of Params.Scale, with d >= 16*2^l, or 0. A text with d >= 12*2^(l+1) is also looked up at level
// l+1, and removed if either level says so. A text that is contained in one earlier text is always
// found if that is at most a third longer.
//
// Above level 0 an n-gram that a text repeats counts once. The share r that occurred in the text
// before is counted over all n-grams, in units of 2^-31, rounded down, and the share that was
// seen is r + (1-r)*s, with the share s of the sample. s has no bias, and a standard deviation of
// at most sqrt(c*(1-c)/m) for a share c and m n-grams: .08 for c = .2 and m = 25.
package overlap
