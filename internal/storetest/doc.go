// Package storetest lets tests lose power, and makes operations on files fail. A [Disk] records
// what package store does to files and what it flushes, so it can tell what a power failure may
// leave of them. A [Machine] is a folder of such files.
package storetest
