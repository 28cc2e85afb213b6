// Package kinds sorts similar short records, such as log lines, into kinds as they arrive, in
// bounded memory.
//
// A record belongs to the kind whose first record it resembles most, by the rule of an index of
// signatures (internal/memory/signatures), or else starts a new kind. So there are no chains: each
// record of a kind resembles its first one. A [Table] holds a limited number of kinds and drops the
// less useful half when it is full.
//
// A [Digest] passes the first record of each kind, reports at intervals how often the kind came
// again, and limits how many records of a kind pass in an interval. A [Template] is what the
// records of a kind have in common.
//
// Sources: Manku and Motwani (Approximate Frequency Counts over Data Streams, VLDB 2002) for
// dropping the least frequent kinds; He et al. (Drain: An Online Log Parsing Approach with Fixed
// Depth Tree, ICWS 2017) for online log templates.
package kinds
