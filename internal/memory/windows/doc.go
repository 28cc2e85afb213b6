// Package windows has a memory that knows originals forget the oldest of them. It is made of
// memories of one kind, each of which remembers a window of the stream: so many records, or what
// was made in so much time. A record is compared with those of all windows and remembered in the
// newest; a window is dropped as a whole, and nothing is built anew for that. What is in an older
// window and comes again is remembered once more: what recurs is remembered as long as it does.
//
// Each memory has a log of its own, whose records count from the first of its window, and a log of
// the names of these. docs/design/format.md defines both.
package windows
