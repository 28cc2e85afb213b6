// Package exact has the memory of records that knows which earlier one a record resembles
// (--memory exact), as a run, a consumer or a query uses it, and what is done to its index besides:
// deletion of records, merges, statistics.
//
// Start at Memory (memory.go), which judges; index.go opens it in a directory and commits it. A
// Kind (kinds.go) says what it remembers: signatures, samples, fingerprints, vectors, sets or keys.
// auto.go has filters take over at a limit.
package exact
