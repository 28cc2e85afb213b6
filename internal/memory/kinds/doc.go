// Package kinds joins short records that resemble each other, such as lines of logs, to kinds, as
// they come and in bounded memory.
//
// A record is of the kind whose first record it resembles most, by the rule of an index of
// signatures (internal/memory/signatures), or begins a kind. So there are no chains: each record of
// a kind resembles its first one. A [Table] holds a limited number of kinds, and drops the
// less useful half of them when there are more.
//
// A [Digest] lets the first record of each kind through, says at intervals how many more there
// were, and limits how many of a kind pass in an interval. A [Template] is what the records of a
// kind have in common.
//
// Sources: Manku and Motwani (Approximate Frequency Counts over Data Streams, VLDB 2002) for giving
// up those with the least counts; He et al. (Drain: An Online Log Parsing Approach with Fixed Depth
// Tree, ICWS 2017) for templates that are told as lines come.
package kinds
