// Package storetest has tests lose power, and operations on files fail. A [Disk] knows what was
// flushed of what package store did to some files, and so what a loss of power may leave of them; a
// [Machine] has such files.
package storetest
