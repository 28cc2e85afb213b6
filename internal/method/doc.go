// Package method has the table of ways to find duplicates (methods). A method consists of a
// sketcher of texts, a judge, and a memory, which may be kept in an index. Runs, groups, consumers,
// queries and merges all take their methods from the table.
//
// Below it, package sketchers makes sketches of texts, exact has the memory that knows records,
// filters the one in Bloom filters, and identity says which sketches may be compared. Each imports
// only those named after it.
//
// To add a memory: its package beside internal/memory/signatures, which implements memory.Index and
// memory.Groups; an exact.Kind that begins it (exact/kinds.go); and a row in the table (table.go).
package method
