// Package method is the table of ways to find duplicates (methods), and what each of them is made
// of: what is made of a text, who judges it, what that remembers and where it is kept. Runs,
// groups, consumers, indexes that are asked and merged all take their methods from the table.
//
// To add a memory: its package beside internal/memory/signatures, which implements memory.Index and
// memory.Groups; an ExactKind that begins it (kinds.go); and a row in the table (table.go).
package method
