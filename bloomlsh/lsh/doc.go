// Package lsh has the rules of locality-sensitive hashing: into how many bands of how many rows a
// signature is divided, how many of them make a duplicate, how often such a rule finds a pair of a
// given similarity, and which rule suits a threshold (Leskovec, Rajaraman, Ullman, Mining of
// Massive Datasets, chapter 3). It knows nothing of how keys are stored.
package lsh

// MinFPRate is the lowest rate of errors that an index can promise. Two keys of one page whose
// 64-bit line states are equal cannot be told apart, which happens at a rate of about
// bands·2¹⁰/2⁶⁴.
const MinFPRate = 1e-14

// MaxCapacity is the most records that an index can be planned for.
const MaxCapacity = 1 << 44
