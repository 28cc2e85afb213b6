// Package days keeps what groups need of the records of earlier days: their sketches, what they are
// called, and which of them stand for no group. Each day is a log of its own that is never changed
// once its day counts, so that adding a day leaves the others as they are. Which days count is said
// elsewhere, by a [Day] for each. docs/design/format.md defines the logs.
package days
