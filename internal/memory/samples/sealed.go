package samples

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// What exceeds Params.MaxMemory is sealed: tables and finer samples are written to a file that has
// no name, and read from there through the cache of the system. In memory stay the rows of entries,
// whose weights change; for each table a filter, which says of nearly all keys that they are not in
// the file; and which hashes are common, since these are in very many records, and lead nowhere.
// So of a record that has nothing in common with earlier ones next to nothing is read, and of
// others a page for each hash that they share. An index that has all in memory answers the same.

// A part is what was sealed at a time: its entries are before those of the next one.
type part struct {
	file   spill.File
	tables [tables]sealedTable
}

// A sealedTable is a table that does not change any more. Its filter knows its keys.
type sealedTable struct {
	spill.Table
	filter spill.Filter
}

// markOf is what filters know of a key. Of a hash they must not know more: tables do not either.
func markOf(key uint32) uint64 { return uint64(key) * 0x9e3779b97f4a7c15 }

// wordsOf returns the words of a key in a table of hashes or of sketches, those of what was sealed
// first: so they are in the order of their entries. inMemory are the last ones. They are good until
// the next ones are asked for, or something is added.
func (x *Index) wordsOf(table int, key uint32, inMemory []uint64) []uint64 {
	x.gathered = x.gathered[:0]
	for i, mark := 0, markOf(key); i < len(x.parts); i++ {
		if t := &x.parts[i].tables[table]; t.filter.Has(mark) {
			x.gathered = append(x.gathered, t.Of(key)...)
		}
	}
	if len(x.gathered) == 0 {
		return inMemory
	}
	x.gathered = append(x.gathered, inMemory...)
	return x.gathered
}

// seal moves to a file what is in memory and does not change.
func (x *Index) seal() error {
	p, commons, err := x.writePart()
	if err != nil {
		return err
	}
	x.parts, x.sealed, x.commons = append(x.parts, p), x.entries.count, 0
	err = x.entries.finers.seal(&p.file)
	for i := range x.tables {
		err = errors.Join(err, x.tables[i].Release())
	}
	if err = errors.Join(err, x.newTables()); err != nil {
		return err
	}
	for i, keys := range commons {
		for _, key := range keys {
			if err := x.noteCommon(i, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePart writes to a file what is in memory, but for the keys of hashes that are common. The
// finer samples are the last words of it.
func (x *Index) writePart() (p *part, commons [hashTables][]uint32, err error) {
	p = &part{}
	for i := range x.tables {
		if p.tables[i].filter, err = spill.NewFilter(countKeys(&x.tables[i])); err != nil {
			return nil, commons, errors.Join(err, p.close())
		}
	}
	w, err := spill.Create(x.params.SpillDir)
	if err != nil {
		return nil, commons, errors.Join(err, p.close())
	}
	var sizes [tables]int
	for i := range x.tables {
		eachKey(&x.tables[i], func(key uint32, words []uint64) {
			if i < hashTables && holdersOf(words).isCommon() {
				commons[i] = append(commons[i], key)
				return
			}
			p.tables[i].filter.Add(markOf(key))
			sizes[i] += len(words)
			w.Write(words)
		})
	}
	x.entries.finers.eachChunk(w.Write)
	if p.file, err = w.Map(); err != nil {
		return nil, commons, errors.Join(err, p.close())
	}
	for i := range p.tables {
		p.tables[i].Table = spill.NewTable(p.file.Take(sizes[i]))
	}
	return p, commons, nil
}

// noteCommon has a table say that a hash is common.
func (x *Index) noteCommon(table int, key uint32) error {
	x.commons++
	return x.tables[table].Insert(key, commonPosting)
}

// eachKey calls do for each key of a table with its words.
func eachKey(t *postings.Table, do func(key uint32, words []uint64)) {
	t.EachRun(func(words []uint64) {
		for len(words) > 0 {
			n, key := 1, words[0]>>32
			for n < len(words) && words[n]>>32 == key {
				n++
			}
			do(uint32(key), words[:n])
			words = words[n:]
		}
	})
}

func countKeys(t *postings.Table) (keys int) {
	eachKey(t, func(uint32, []uint64) { keys++ })
	return keys
}

// memory is what stays of a part in memory.
func (p *part) memory() (bytes uint64) {
	for i := range p.tables {
		bytes += p.tables[i].filter.Bytes() + p.tables[i].Memory()
	}
	return bytes
}

// close gives the memory and the file back.
func (p *part) close() error {
	errs := []error{p.file.Close()}
	for i := range p.tables {
		if filter := p.tables[i].filter; filter != nil {
			errs = append(errs, filter.Close())
		}
	}
	return errors.Join(errs...)
}
