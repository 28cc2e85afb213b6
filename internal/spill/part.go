package spill

import "errors"

// A Part is a file to which a memory has moved entries, with the tables that find them.
type Part struct {
	File   File
	Tables []FilteredTable
}

// A FilteredTable is a table and a filter of its keys, which is nil if there is none.
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
