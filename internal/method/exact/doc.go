// Package exact has the memory of records that knows which earlier one a record resembles (--memory
// exact), as runs, consumers and queries use it. It also deletes records from such a memory, merges
// memories, and describes them.
//
// Start at Memory (memory.go), which judges; index.go opens it in a directory and commits it. A
// Kind (kinds.go) says what it remembers: signatures, samples, fingerprints, vectors, sets or keys.
// auto.go makes filters take over at a limit.
package exact
