// Package bloomlsh remembers records by their band keys and tells whether a record resembles one
// seen before.
//
// It implements the LSHBloom index of Khan et al. (arXiv 2411.04257), which has one Bloom filter
// for each band of a MinHash signature, and extends it to count votes of a single record. With one
// vote, the rule of the paper, a record is a duplicate if any of its band keys is present. With
// several, tagged filters replace the Bloom filters: they store with each key the groups of records
// that have it, and a record is a duplicate if enough of its keys belong to one group. The package
// plans an index (bands and rows, memory, error rates), holds it in memory outside the Go heap,
// grows it by generations, and stores it on disk.
//
// The package knows nothing about texts: you pass it band keys, and it returns verdicts. It is
// deterministic: verdicts depend on the parameters and on the order of the records, not on time,
// threads or memory addresses.
package bloomlsh
