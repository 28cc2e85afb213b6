// Package days stores what groups need to know about the records of earlier days: their sketches,
// their names, and which of them represent no group. Each day has a log of its own that does not
// change once the day is committed, so adding a day leaves the others untouched. The caller stores
// a [Day] for each committed day. docs/design/memory-logs.md defines the logs.
package days
