// Package bloomlsh remembers records by their band keys and says whether one resembles a record
// seen before.
//
// It is the LSHBloom index of Khan et al. (arXiv 2411.04257), one Bloom filter for each band of a
// MinHash signature, and its extension to votes of one record. With one vote, the rule of the
// paper, a record is a duplicate if any of its band keys is present. With several, a tagged filter
// takes the place of the Bloom filter: it stores with each key the groups of records that have it,
// and a record is a duplicate if enough of its keys belong to one group. The package plans an index
// (bands and rows, memory, error rates), holds it in memory outside the Go heap, lets it grow by
// generations, and keeps it on disk.
//
// The package knows nothing of texts: you give it band keys, and it gives verdicts. Everything is
// deterministic: verdicts depend on the parameters and on the order of the records, not on time,
// threads or memory addresses.
package bloomlsh
