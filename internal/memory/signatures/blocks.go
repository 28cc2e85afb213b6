package signatures

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// columns returns all columns: they grow with the records and may move to files.
func (g *groupEntries) columns() []*column {
	all := []*column{&g.signatures, &g.hashes}
	for i := range g.keys {
		all = append(all, &g.keys[i])
	}
	if g.params.Sets {
		all = append(all, &g.sets.places)
	}
	return all
}

// blocksAtOnce is the number of blocks of each column that are allocated together, after the first
// one. An allocation of this size uses huge pages, which cause far fewer page faults.
const blocksAtOnce = 4

// grow makes room for one more entry. The memory is outside the Go heap, so that it does not
// trigger garbage collections while it grows.
func (g *groupEntries) grow() error {
	count := g.signatures.count
	if g.spilled || count < len(g.keys[0].blocks)*itemsPerBlock {
		return nil
	}
	blocks := blocksAtOnce
	if count == 0 || !g.hasRoom(count+blocksAtOnce*itemsPerBlock) {
		blocks = 1
	}
	memory, err := offheap.Allocate(uint64(blocks * itemsPerBlock * g.entrySize() / wordBytes))
	if err != nil {
		return err
	}
	g.blocks = append(g.blocks, memory)
	bytes := bytesOf(memory)
	for _, c := range g.columns() {
		size := itemsPerBlock * c.size
		for range blocks {
			c.blocks, bytes = append(c.blocks, bytes[:size:size]), bytes[size:]
		}
	}
	return nil
}

// entrySize returns the bytes of an entry in all columns.
func (g *groupEntries) entrySize() (size int) {
	for _, c := range g.columns() {
		size += c.size
	}
	return size
}

// hasRoom reports whether that many entries, with the pairs of earlier ones, fit into a quarter of
// the memory. The rest is for sorting.
func (g *groupEntries) hasRoom(entries int) bool {
	if g.params.MaxMemory == 0 {
		return true
	}
	size := 0
	if !g.spilled {
		size = g.entrySize() * entries
	}
	for i := range g.earlier.pairs {
		size += itemsPerBlock * pairBytes * len(g.earlier.pairs[i].blocks)
	}
	return uint64(size) <= g.params.MaxMemory/4
}

// release frees the memory of all columns.
func (g *groupEntries) release() (err error) {
	for _, block := range g.blocks {
		err = errors.Join(err, offheap.Release(block))
	}
	g.blocks = nil
	return err
}

// spillFull moves columns to files if they exceed the memory.
func (g *groupEntries) spillFull() error {
	if g.spilled || g.params.MaxMemory == 0 || g.hasRoom(g.signatures.count) {
		return nil
	}
	g.spilled = true
	for _, c := range g.columns() {
		if err := c.spill(g.params.SpillDir); err != nil {
			return err
		}
	}
	return g.release()
}
