// Package arrow reads and writes Arrow IPC streams and files row by row, so that selected rows of
// an input become an output and nothing else changes.
//
// It leaves schemas and messages to github.com/apache/arrow-go. That library trusts its input, so
// this package checks every length first: a message is read as far as data arrives, its metadata is
// validated before the library parses it (metadata.go), the allocations for a message are bounded
// (budget.go), and the buffers of each batch are checked before any value is read (check.go). Any
// remaining panic becomes an error.
//
// Rows are copied without interpreting them: values go from buffers to buffers, layout by layout
// (gather.go). So every type passes through, including nested, dictionary-encoded and extension
// types.
//
// An IPC file is read from its start like a stream, which most are between their first bytes and
// their footer; so it may come from a pipe. Other files are read in the order of their footer
// (footer.go).
//
// The format is defined at https://arrow.apache.org/docs/format/Columnar.html.
package arrow
