package parquet

import (
	"errors"
	"fmt"
	"io"
)

// Read returns about batchBytes at a time, and at most batchRows rows: enough to work on in
// parallel, with no more memory than a pipe needs.
const (
	batchBytes = 256 << 10
	batchRows  = 1024
)

// A File reads the rows of a file in order. Only one goroutine may use it.
type File struct {
	file    io.ReaderAt
	footer  *footer
	unpack  *decompressor
	budget  *budget
	columns []columnReader
	reads   []int  // the columns that are read, in ascending order
	ahead   *ahead // of a remote file, once its first row group is open; else nil
	at      rowPlace
	err     error // why there are no more rows
	isUnion bool  // it is a union of other files, without rows
	// what its metadata say of its columns in terms of Arrow; nil if that is not looked at
	arrowTypes ArrowTypes
}

// A rowPlace is how far the rows of a file have been read.
type rowPlace struct {
	group int    // the next row group
	left  uint64 // unread rows of the current row group
	fresh bool   // no row of the current row group has been read
}

// Open reads the footer of a file of size bytes. Its pages may use as much memory as in a Table for
// the shortest records.
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

// readOnly restricts reading to some columns. The others stay empty in the rows.
func (f *File) readOnly(columns []int) { f.reads = columns }

// Schema returns the schema of the file.
func (f *File) Schema() *Schema { return f.footer.schema }

// Rows returns the number of rows that the file claims to have.
func (f *File) Rows() uint64 { return f.footer.rows }

// Difference describes why the rows of other cannot be in one file with those of f, or returns ""
// if they can.
func (f *File) Difference(other *File) string {
	return f.footer.schema.difference(other.footer.schema)
}

// Columns returns the names of the top-level columns.
func (f *File) Columns() []string {
	var names []string
	for _, n := range f.footer.schema.root.children {
		names = append(names, n.name)
	}
	return names
}

// Read replaces the contents of rows with the next rows. Rows returned with an error are those
// before the position that cannot be read. After the last row it returns io.EOF.
func (f *File) Read(rows *Rows) error {
	rows.reset(f.footer.schema)
	f.startAhead()
	for f.err == nil && rows.n < batchRows && rows.bytes < batchBytes {
		if f.at.left == 0 {
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

// startAhead starts fetching ahead, but not for the first rows: many files are only looked at.
func (f *File) startAhead() {
	if f.ahead != nil {
		f.ahead.flows = true
	}
}

// nextGroup moves to the next row group, after checking that the current one ended properly.
func (f *File) nextGroup() error {
	if f.at.group > 0 {
		for _, i := range f.reads {
			if err := f.columns[i].end(); err != nil {
				return f.in(i, err)
			}
		}
	}
	if f.at.group == len(f.footer.groups) {
		return io.EOF
	}
	g, err := f.footer.group(f.at.group)
	if err != nil {
		return err // Open would have returned it
	}
	remote, isRemote := f.file.(Remote)
	if isRemote && f.ahead == nil {
		f.ahead = newAhead(remote, f.footer, f.reads)
	}
	if isRemote {
		if err := f.ahead.moveTo(f.at.group); err != nil {
			return err
		}
	}
	for n, i := range f.reads {
		from := f.file
		if isRemote {
			from = f.ahead.lane(f.at.group, n)
		}
		f.columns[i].open(f, from, f.footer.schema.columns[i], g.chunks[i])
	}
	f.at.group++
	f.at.left, f.at.fresh = g.rows, true
	return nil
}

// appendRow appends the next row, or nothing if it cannot be read.
func (f *File) appendRow(rows *Rows) error {
	size, row := 0, int64(0)
	f.at.fresh = false
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
	f.at.left--
	return nil
}

// in adds to an error where it happened.
func (f *File) in(i int, err error) error {
	return fmt.Errorf("row group %d, column %s: %w", f.at.group, f.footer.schema.columns[i].name(), err)
}

// Skip skips rows.
func (f *File) Skip(n uint64) error {
	if n > f.footer.rows {
		return fmt.Errorf("it has %d rows", f.footer.rows)
	}
	for n > 0 && f.err == nil {
		if f.at.left == 0 {
			f.err = f.nextGroup()
			continue
		}
		if f.at.left <= n && f.at.fresh { // a row group that is skipped entirely is not read
			n -= f.at.left
			f.at.left = 0
			for i := range f.columns {
				f.columns[i].unread = 0
			}
			continue
		}
		var rows Rows
		rows.reset(f.footer.schema)
		f.startAhead()
		f.err = f.appendRow(&rows)
		n--
	}
	if errors.Is(f.err, io.EOF) {
		return nil
	}
	return f.err
}

// Close frees the resources of the File. It does not close the underlying file.
func (f *File) Close() {
	if f.ahead != nil {
		f.ahead.close()
	}
	f.unpack.close()
}
