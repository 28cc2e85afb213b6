package parquet

import "fmt"

// Limits on the memory of a file whose texts may have up to maxRecord bytes. They are far above
// what useful files need, but a malicious file of 100 KB can expand to gigabytes.
const (
	minPages, pagesARecord = 1 << 30, 16 // bytes of the current pages of all columns
	minRow, rowsARecord    = 256 << 20, 4
)

// A budget bounds the memory of the current pages of all columns, compressed and decompressed, and
// of dictionaries.
type budget struct {
	pages, row int64 // limits, in bytes
	held       int64 // bytes in use by pages
}

func newBudget(maxRecord int) *budget {
	return &budget{
		pages: max(minPages, pagesARecord*int64(maxRecord)), row: max(minRow, rowsARecord*int64(maxRecord)),
	}
}

// change replaces a column's share of the budget, and returns an error if that exceeds it.
func (b *budget) change(from *int64, to int64) error {
	if b.held+to-*from > b.pages {
		return fmt.Errorf("the pages of its columns take more than %d MiB together: if they are meant to, give a "+
			"larger --max-record, of which they may take %d", b.pages>>20, pagesARecord)
	}
	b.held += to - *from
	*from = to
	return nil
}

// checkRow returns an error if a row is too large.
func (b *budget) checkRow(size int64) error {
	if size > b.row {
		return fmt.Errorf("a row has more than %d MiB: if it is meant to, give a larger --max-record, of which it may "+
			"have %d", b.row>>20, rowsARecord)
	}
	return nil
}
