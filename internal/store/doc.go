// Package store is the lowest layer of everything durable: all changes to files that must survive
// the program. Packages that keep files in a directory, such as internal/memory/windows, receive a
// [Dir]; a [State] lists which of its files a commit depends on.
package store
