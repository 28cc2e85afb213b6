package samples

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// What exceeds Params.MaxMemory is sealed: tables and finer samples are written to an unnamed file,
// and read from there through the page cache. The rows of entries, whose weights change, stay in
// memory. So do a filter for each table, which rules out nearly all absent keys, and the set of
// common hashes, which occur in very many records and lead nowhere. So a record that shares nothing
// with earlier ones costs hardly any reads, and others a page for each hash they share. The answers
// equal those of an index that has everything in memory.

// markOf returns what filters store for a key. It must not depend on more of a hash than the key,
// as tables do not.
func markOf(key uint32) uint64 { return uint64(key) * 0x9e3779b97f4a7c15 }

// wordsOf returns the words of a key in a table, in the order of entries: those of sealed parts
// first, and then inMemory. The slice is valid until the next call or addition.
func (x *hashLists) wordsOf(table int, key uint32, inMemory []uint64) []uint64 {
	x.gathered = x.gathered[:0]
	for i, mark := 0, markOf(key); i < len(x.parts); i++ {
		if t := &x.parts[i].Tables[table]; t.Filter.Has(mark) {
			x.gathered = append(x.gathered, t.Of(key)...)
		}
	}
	if len(x.gathered) == 0 {
		return inMemory
	}
	x.gathered = append(x.gathered, inMemory...)
	return x.gathered
}

// seal moves the immutable part of the memory to a file.
func (x *Index) seal() error {
	p, commons, err := x.writePart()
	if err != nil {
		return err
	}
	x.parts, x.sealed, x.commons = append(x.parts, p), x.entries.count, 0
	err = x.entries.finers.seal(&p.File)
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

// writePart writes the contents of memory to a file, without the keys of common hashes. The finer
// samples come last.
func (x *Index) writePart() (p *spill.Part, commons [hashTables][]uint32, err error) {
	p = &spill.Part{Tables: make([]spill.FilteredTable, tables)}
	for i := range x.tables {
		if p.Tables[i].Filter, err = spill.NewFilter(countKeys(&x.tables[i])); err != nil {
			return nil, commons, errors.Join(err, p.Close())
		}
	}
	w, err := spill.Create(x.params.SpillDir)
	if err != nil {
		return nil, commons, errors.Join(err, p.Close())
	}
	var sizes [tables]int
	for i := range x.tables {
		eachKey(&x.tables[i], func(key uint32, words []uint64) {
			if i < hashTables && holdersOf(words).isCommon() {
				commons[i] = append(commons[i], key)
				return
			}
			p.Tables[i].Filter.Add(markOf(key))
			sizes[i] += len(words)
			w.Write(words)
		})
	}
	x.entries.finers.eachChunk(w.Write)
	if p.File, err = w.Map(); err != nil {
		return nil, commons, errors.Join(err, p.Close())
	}
	for i := range p.Tables {
		p.Tables[i].Table = spill.NewTable(p.File.Next(sizes[i]))
	}
	return p, commons, nil
}

// noteCommon marks a hash as common in its table.
func (x *hashLists) noteCommon(table int, key uint32) error {
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
