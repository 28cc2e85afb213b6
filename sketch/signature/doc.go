// Package signature makes signatures of texts that can be kept and compared elsewhere: MinHash,
// SimHash, TLSH and vectors, in one binary form that says what they were made with.
//
// A Writer takes a text in pieces, as io.Writer, and a Signature says what it was: a MinHash
// signature, a SimHash, a TLSH digest or the row of a vector. Two of them are compared only if they
// are of the same kind and parameters. docs/reference/signatures.md defines the form to the byte.
package signature
