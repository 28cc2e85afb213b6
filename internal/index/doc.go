// Package index owns the directory of an index: its lock, its parameters, its commits, and the
// order in which everything reaches the disk. It knows nothing of what is remembered.
//
// What lasts is divided into sections. A section keeps its state in each commit, and its records in
// logs, which are append-only files: each commit lists them with their lengths, and what follows a
// length does not count. One section, the filters, may also keep records in the log of the commits
// itself, from where they are folded into sealed files, which are written once. Sections open no
// file by themselves, and have neither locks, nor flushes, nor an undo.
//
// A [Writer] appends and commits; a [Snapshot] is what a reader sees beside it.
// docs/design/format.md defines the files.
package index
