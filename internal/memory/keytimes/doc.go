// Package keytimes remembers keys, each with the record that had it first and the time when it came
// last. It finds a key whose time is less than an age before that of the record that asks, and
// forgets no other sooner or later.
//
// A sketch is a key of two words and the time of its record, in seconds since 1970. Keys are in a
// hash table that grows by a third; a key takes 28 to 39 bytes. A copy
// renews the entry of the key, which then is as late as the copy; the log says so. Nothing is
// removed from the table: memories of windows of time are dropped whole (internal/memory/windows).
package keytimes
