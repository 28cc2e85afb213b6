// Package bloomlsh remembers records by their band keys and says whether one resembles a record
// seen before.
//
// It is the LSHBloom index of Khan et al. (arXiv 2411.04257): one Bloom filter for each band of a
// MinHash signature. A record is a duplicate if at least so many of its band keys, its votes, are
// present in their bands' filters; one vote is the rule of the paper. The package plans an index
// (bands and rows, memory, error rates), holds it in memory outside the Go heap, lets it grow by
// generations, and keeps it on disk.
//
// The package knows nothing of texts: it is given band keys and gives verdicts. Everything is
// deterministic: verdicts depend on the parameters and on the order of the records, not on time,
// threads or memory addresses.
package bloomlsh
