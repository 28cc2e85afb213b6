// Package index owns the directory of an index: its lock, its parameters, its commits, and the
// order in which everything reaches the disk. It does not know what the index remembers.
//
// Durable data is divided into sections. A section stores its state in each commit, and its records
// in logs, which are append-only files. Each commit lists the logs with their lengths; anything
// beyond a length does not count. One section, the filters, may also store records in the log of
// commits itself, from which they are folded into sealed files that never change. Sections do not
// open files themselves, and leave locking, flushing and undo to this package.
//
// A [Writer] appends and commits; a [Snapshot] is what a reader sees while a Writer works.
// docs/design/format.md defines the files.
package index
