// Package signatures implements a memory that finds the original of a near-duplicate: MinHash LSH
// with hash tables and verified candidates.
//
// An [Index] takes sketches. Each consists of band keys and a signature with eight bits
// for each slot. A table for each band maps keys to records. Records with a common key are
// candidates, whose similarity is estimated from the two signatures. So an Index returns the most
// similar earlier record together with its similarity.
//
// Sources: Broder (On the resemblance and containment of documents, 1997) for signatures and bands,
// Li and König (b-Bit Minwise Hashing, WWW 2010) for signatures of few bits, Amble and Knuth
// (Ordered hash tables, The Computer Journal 1974) for the tables. docs/reference/exact.md says
// when to use it.
package signatures
