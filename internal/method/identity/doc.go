// Package identity says which sketches may be compared with each other (I5 in ARCHITECTURE.md): the
// kind of the keys of a run, and the parameters of an index by which the two are found to agree.
// Start at KeyKind; memories.go has the names of memories, own.go what an index without filters
// keeps besides.
package identity
