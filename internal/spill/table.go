package spill

import "sort"

// A Table is a sorted list of words in a file, like those of a postings.Table, whose upper 32 bits
// are the key. The key of the first word of each page is in memory.
type Table struct {
	words  []uint64
	firsts []uint32
}

const wordsOfPage = 4096 / wordBytes

// NewTable returns the table of sorted words.
func NewTable(words []uint64) Table {
	t := Table{words: words, firsts: make([]uint32, 0, (len(words)+wordsOfPage-1)/wordsOfPage)}
	for at := 0; at < len(words); at += wordsOfPage {
		t.firsts = append(t.firsts, keyOf(words[at]))
	}
	return t
}

func keyOf(word uint64) uint32 { return uint32(word >> 32) }

// Of returns the words of a key, in order.
func (t *Table) Of(key uint32) []uint64 {
	page := sort.Search(len(t.firsts), func(i int) bool { return t.firsts[i] >= key })
	near := t.words[max(0, page-1)*wordsOfPage:] // the previous page may end with the key
	near = near[sort.Search(min(len(near), wordsOfPage), func(i int) bool { return keyOf(near[i]) >= key }):]
	n := 0
	for n < len(near) && keyOf(near[n]) == key {
		n++
	}
	return near[:n:n]
}

// Memory returns the bytes of the table in memory.
func (t *Table) Memory() uint64 { return 4 * uint64(cap(t.firsts)) }

// MemoryOfWord is the same for each word.
const MemoryOfWord = 4. / wordsOfPage
