// Package windows makes a memory that knows originals forget the oldest ones. It consists of
// memories of one kind, each for one window of the stream: a number of records, or a period of
// time. A record is compared with all windows and remembered in the newest; a window is dropped as
// a whole, and nothing is rebuilt. A record that is found in an older window is remembered again,
// so whatever recurs is remembered as long as it does.
//
// Each window has a log of its own, whose records are numbered from the first of the window, and a
// log of their names. docs/design/memory-logs.md defines both.
package windows
