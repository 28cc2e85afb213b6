// Package samples remembers samples of texts, and finds for each new one the earlier text that has
// the most of it, or that it has the most of.
//
// A sample is what package sketch/fracminhash makes: a share of the hashes of a text's shingles. A
// table leads from each hash to the entries that have it. How many of its hashes a record shares
// with each entry says how much of the one text is in the other.
//
// A hash weighs the less the more entries have it before a record, and nothing if Common have: on
// either side, in what two texts share and in what they have. So a template that many records have
// makes none of them a copy of another. It also bounds the work: the list of a hash never has
// more than Common entries, however many records have it. Weights are decided by the entries
// at that moment, so that verdicts depend on the records and their order alone.
//
// Two records of the same sample are one entry. docs/concepts/containment.md says what is found.
package samples
