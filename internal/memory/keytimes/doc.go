// Package keytimes remembers keys, each with the record that had it first and the time when it came
// last. It finds a key exactly if that time is less than an age before the time of the record that
// is looked up.
//
// A sketch is a key of two words and the time of its record, in seconds since 1970. Keys are in a
// hash table that grows by a third; a key takes 28 to 39 bytes. A copy renews the entry of its key,
// which then has the time of the copy; the log records this. Nothing is removed from the table:
// memories of windows of time are dropped as a whole (internal/memory/windows).
package keytimes
