// Package arrow reads and writes Arrow IPC, streams and files, row by row, so that some rows of an
// input can become an output and nothing else changes.
//
// Schemas and messages are left to github.com/apache/arrow-go. It believes what it reads, so
// everything that says how long something is goes through our hands first: a message is read as far
// as it comes, its metadata are walked through before the library builds anything of them
// (metadata.go), what it may allocate for one message is bounded (budget.go), and the buffers of
// each batch are checked before a value is read (check.go). A panic that remains becomes an error.
//
// Rows are not interpreted on their way: their values are copied from buffers to buffers, layout by
// layout (gather.go), so every type passes through, nested, of a dictionary or of an extension.
//
// An IPC file is read from its beginning like a stream, which most of them are between their first
// bytes and their footer. So it may come from a pipe. One that is not is read in the order of its
// footer (footer.go).
//
// The format is defined at https://arrow.apache.org/docs/format/Columnar.html.
package arrow
