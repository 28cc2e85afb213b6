// Package signatures is the memory that knows which record another one resembles: MinHash LSH with
// hash tables, whose candidates are verified.
//
// An [Index] takes sketches: band keys, and the signature of the record with eight bits a slot.
// Each band has a table from its keys to the records that have them. Records that share a key are
// candidates, and how similar they are is estimated from the two signatures. So an Index answers
// with the earlier record that is the most similar, and with the similarity.
//
// Sources: Broder (On the resemblance and containment of documents, 1997) for signatures and bands,
// Li and König (b-Bit Minwise Hashing, WWW 2010) for signatures of few bits, Amble and Knuth
// (Ordered hash tables, The Computer Journal 1974) for the tables. docs/reference/exact.md says
// what it costs and when it is the better memory.
package signatures
