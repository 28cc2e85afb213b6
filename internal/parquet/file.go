package parquet

import (
	"errors"
	"fmt"
	"io"
)

// Read returns about batchBytes at a time, and at most batchRows rows: enough to work on, and no
// more memory than a pipe needs.
const (
	batchBytes = 256 << 10
	batchRows  = 1024
)

// A File reads the rows of a file in their order. It serves one goroutine.
type File struct {
	file    io.ReaderAt
	footer  *footer
	unpack  *decompressor
	budget  *budget
	columns []columnReader
	reads   []int  // the columns that are read, in their order
	ahead   *ahead // of a remote file, from its first row group on; else nil
	group   int    // the next row group
	left    uint64 // rows of the current row group that were not read yet
	fresh   bool   // no row of the current row group was read yet
	err     error  // why there are no more rows
	isUnion bool   // it is the union of others, and has no rows
}

// Open reads the footer of a file of size bytes. The pages that it holds at a time may take as much
// memory as in a Table for the shortest records.
func Open(file io.ReaderAt, size int64) (*File, error) { return openWith(newBudget(0), file, size) }

func openWith(b *budget, file io.ReaderAt, size int64) (*File, error) {
	footer, err := readFooter(file, size)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, footer: footer, unpack: new(decompressor), budget: b,
		columns: make([]columnReader, len(footer.schema.columns))}
	for i := range f.columns {
		f.reads = append(f.reads, i)
	}
	return f, nil
}

// readOnly has no other columns read. The rows have nothing in those.
func (f *File) readOnly(columns []int) { f.reads = columns }

// Schema is what the file says about its columns.
func (f *File) Schema() *Schema { return f.footer.schema }

// Rows is how many rows the file claims to have.
func (f *File) Rows() uint64 { return f.footer.rows }

// Difference says what keeps the rows of other from standing in one file with the rows of f; "" if
// nothing does.
func (f *File) Difference(other *File) string {
	return f.footer.schema.difference(other.footer.schema)
}

// Columns are the names of the columns at the top.
func (f *File) Columns() []string {
	var names []string
	for _, n := range f.footer.schema.root.children {
		names = append(names, n.name)
	}
	return names
}

// Read replaces rows by the next ones. Rows that it returns with an error are those before the
// place that cannot be read. After the last row it returns io.EOF.
func (f *File) Read(rows *Rows) error {
	rows.reset(f.footer.schema)
	f.goOn()
	for f.err == nil && rows.n < batchRows && rows.bytes < batchBytes {
		if f.left == 0 {
			if f.err = f.nextGroup(); f.err != nil {
				break
			}
			continue
		}
		f.err = f.appendRow(rows)
	}
	if rows.n > 0 && f.err == io.EOF {
		return nil
	}
	return f.err
}

// goOn has what comes next fetched ahead, but not for the first rows: many a file is looked at, and
// not read.
func (f *File) goOn() {
	if f.ahead != nil {
		f.ahead.flows = true
	}
}

// nextGroup goes to the next row group, when the one at hand has ended as it should.
func (f *File) nextGroup() error {
	if f.group > 0 {
		for _, i := range f.reads {
			if err := f.columns[i].end(); err != nil {
				return f.in(i, err)
			}
		}
	}
	if f.group == len(f.footer.groups) {
		return io.EOF
	}
	g, err := f.footer.group(f.group)
	if err != nil {
		return err // which Open would have met
	}
	remote, isRemote := f.file.(Remote)
	if isRemote && f.ahead == nil {
		f.ahead = newAhead(remote, f.footer, f.reads)
	}
	if isRemote {
		if err := f.ahead.enter(f.group); err != nil {
			return err
		}
	}
	for n, i := range f.reads {
		from := f.file
		if isRemote {
			from = f.ahead.lane(f.group, n)
		}
		f.columns[i].open(f, from, f.footer.schema.columns[i], g.chunks[i])
	}
	f.group++
	f.left, f.fresh = g.rows, true
	return nil
}

// appendRow appends the next row, or nothing if it cannot be read.
func (f *File) appendRow(rows *Rows) error {
	size, row := 0, int64(0)
	f.fresh = false
	for n, i := range f.reads {
		v := &rows.columns[i]
		before := v.size()
		err := f.columns[i].appendRow(v, f.budget.row-row)
		if row += v.size() - before; err == nil {
			err = f.budget.checkRow(row)
		}
		if err != nil {
			rows.cut(f.reads[:n+1])
			return f.in(i, err)
		}
		size += int(v.size())
	}
	rows.n++
	rows.bytes = size
	f.left--
	return nil
}

// in says where something went wrong.
func (f *File) in(i int, err error) error {
	return fmt.Errorf("row group %d, column %s: %w", f.group, f.footer.schema.columns[i].name(), err)
}

// Skip passes over rows.
func (f *File) Skip(n uint64) error {
	if n > f.footer.rows {
		return fmt.Errorf("it has %d rows", f.footer.rows)
	}
	for n > 0 && f.err == nil {
		if f.left == 0 {
			f.err = f.nextGroup()
			continue
		}
		if f.left <= n && f.fresh { // a row group that is not needed is not read
			n -= f.left
			f.left = 0
			for i := range f.columns {
				f.columns[i].unread = 0
			}
			continue
		}
		var rows Rows
		rows.reset(f.footer.schema)
		f.goOn()
		f.err = f.appendRow(&rows)
		n--
	}
	if errors.Is(f.err, io.EOF) {
		return nil
	}
	return f.err
}

// Close frees what the file holds, but does not close what it reads from.
func (f *File) Close() {
	if f.ahead != nil {
		f.ahead.close()
	}
	f.unpack.close()
}
