// Package sketch computes the LSH band keys of a text, by which near-duplicates are found. It
// normalizes the text, splits it into tokens, joins tokens to shingles, hashes each shingle once,
// reduces the set of hashes to a MinHash signature of k slots, and hashes the signature band by
// band.
//
//	text ─ normalise, tokenise ─> tokens ─ shingle ─> {uint64} ─ sketch ─> k slots ─> b keys
//
// docs/design/sketch.md defines each step to the byte. Everything is a pure function of the text
// and the Params: no I/O, no goroutines, the same keys on every machine.
//
// A [Sketcher] does all of it without allocating. [NewNormalizer] and [NewTokenizer] provide the
// first two steps alone; [Jaccard] and [EstimateJaccard] compare the results.
package sketch
