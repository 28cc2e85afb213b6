package parquet

import "fmt"

// Bounds of the memory that a file may take, where texts of up to maxRecord bytes are asked for.
// They are far above what files take that anybody means to read; but one of 100 KB can hold
// gigabytes.
const (
	minPages, pagesARecord = 1 << 30, 16 // bytes of the pages of all columns together
	minRow, rowsARecord    = 256 << 20, 4
)

// A budget is the memory that the pages of a file may take at a time: those at hand of all columns,
// compressed and not, and dictionaries.
type budget struct {
	pages, row int64 // bounds, in bytes
	held       int64 // by pages
}

func newBudget(maxRecord int) *budget {
	return &budget{
		pages: max(minPages, pagesARecord*int64(maxRecord)), row: max(minRow, rowsARecord*int64(maxRecord)),
	}
}

// change is for a column whose pages took so many bytes, and are going to take others.
func (b *budget) change(from *int64, to int64) error {
	if b.held+to-*from > b.pages {
		return fmt.Errorf("the pages of its columns take more than %d MiB together: if they are meant to, give a "+
			"larger --max-record, of which they may take %d", b.pages>>20, pagesARecord)
	}
	b.held += to - *from
	*from = to
	return nil
}

// checkRow bounds a row.
func (b *budget) checkRow(size int64) error {
	if size > b.row {
		return fmt.Errorf("a row has more than %d MiB: if it is meant to, give a larger --max-record, of which it may "+
			"have %d", b.row>>20, rowsARecord)
	}
	return nil
}
