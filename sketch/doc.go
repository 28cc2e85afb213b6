// Package sketch turns a text into the LSH band keys by which near-duplicates find each other: it
// normalises the text, cuts it into tokens, joins tokens to shingles, hashes each shingle once,
// reduces the set of hashes to a MinHash signature of k slots, and hashes the signature band by
// band.
//
//	text ─ normalise, tokenise ─> tokens ─ shingle ─> {uint64} ─ sketch ─> k slots ─> b keys
//
// docs/design/sketch.md defines each step to the byte. Everything is a pure function of the text
// and the Params: no I/O, no goroutines, the same keys on every machine.
//
// A [Sketcher] does the whole way without allocating. [NewNormalizer] and [NewTokenizer] give the
// first two steps alone; [Jaccard] and [EstimateJaccard] compare what came out.
package sketch
