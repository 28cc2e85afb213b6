// Package signature computes signatures of texts that can be stored and compared elsewhere:
// MinHash, SimHash, TLSH and vectors, in one binary form that says how they were made.
//
// A Writer accepts a text in pieces, as an io.Writer, and returns its Signature: a MinHash
// signature, a SimHash, a TLSH digest or the row of a vector. Two signatures can only be compared
// if their kinds and parameters are equal. docs/reference/signatures.md defines the form to the
// byte.
package signature
