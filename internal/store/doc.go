// Package store is the lowest layer of everything durable: all changes to files that must survive
// the program. A [Dir] is a directory of such files; a [State] lists which of them a commit of an
// index depends on (internal/index).
package store
