// Package store is the floor under everything that lasts: what a program does to files whose
// contents must survive it. Packages above it that keep something in a directory, as
// internal/memory/windows does, are given a [Dir].
package store
