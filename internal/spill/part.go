package spill

import "errors"

// A Part is what a memory moved to a file at once.
type Part struct {
	File   File
	Tables []FilteredTable
}

// A FilteredTable is a table with a filter of its keys, or nil.
type FilteredTable struct {
	Table
	Filter Filter
}

// Memory returns the bytes that tables and filters take in memory.
func (p *Part) Memory() (bytes uint64) {
	for i := range p.Tables {
		bytes += p.Tables[i].Filter.Bytes() + p.Tables[i].Memory()
	}
	return bytes
}

// Close frees the memory and the file.
func (p *Part) Close() error {
	errs := []error{p.File.Close()}
	for _, t := range p.Tables {
		if t.Filter != nil {
			errs = append(errs, t.Filter.Close())
		}
	}
	return errors.Join(errs...)
}
