package pairs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// blocks stores records that do not fit into memory in a file. Any two blocks fit into memory.
type blocks struct {
	params Params
	file   *os.File
	out    *bufio.Writer
	all    []block
	others int // the first block of the second set of records; -1 without a second set
	head   [8]byte
}

// A block is a range of consecutive records.
type block struct {
	before     uint64 // number of records before it
	records    int
	bytes      uint64 // bytes in memory
	start, end int64  // offsets in the file
}

// A MemoryError is returned if not even two records of one size fit into the memory.
type MemoryError struct{ Needed, Usable uint64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("not enough memory: two records need %d bytes, and %d may be taken", e.Needed, e.Usable)
}

// blocksOf moves the records in memory to a file.
func blocksOf(p *part) (*blocks, error) {
	file, err := private.Unnamed("")
	if err != nil {
		return nil, unwritable(err)
	}
	b := &blocks{
		params: p.params, file: file, out: bufio.NewWriterSize(file, 1<<20), all: []block{{}}, others: -1,
	}
	for record := range p.setOf {
		if record == p.others {
			b.divide()
		}
		if err := b.add(p.get(record)); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	if p.others == len(p.setOf) {
		b.divide()
	}
	return b, nil
}

func unwritable(err error) error {
	return fmt.Errorf("write what is beyond the memory, in the directory of TMPDIR: %w", err)
}

func (b *blocks) last() *block { return &b.all[len(b.all)-1] }

// add writes a record to the last block, or to a new one if that is full.
func (b *blocks) add(set, keys []uint64) error {
	if !b.params.isAsked(set, keys) {
		set, keys = nil, nil
	}
	bytes := bytesOf(set, keys)
	if b.params.isFull(2*bytes, 2) {
		return &MemoryError{Needed: 2 * bytes, Usable: b.params.MaxMemory}
	}
	if last := b.last(); b.params.isFull(2*(last.bytes+bytes), 2*(last.records+1)) {
		b.begin()
	}
	binary.LittleEndian.PutUint32(b.head[:], uint32(len(set)))
	binary.LittleEndian.PutUint32(b.head[4:], uint32(len(keys)))
	b.out.Write(b.head[:]) // bufio.Writer keeps an error for all later calls
	b.out.Write(asBytes(set))
	if _, err := b.out.Write(asBytes(keys)); err != nil {
		return unwritable(err)
	}
	last := b.last()
	last.records++
	last.bytes += bytes
	last.end += int64(len(b.head) + 8*len(set) + 8*len(keys))
	return nil
}

// begin starts a block.
func (b *blocks) begin() {
	last := b.last()
	b.all = append(b.all, block{before: last.before + uint64(last.records), start: last.end, end: last.end})
}

func (b *blocks) divide() {
	b.begin()
	b.others = len(b.all) - 1
}

// partners returns the blocks to join with: those before the second set, or all.
func (b *blocks) partners(first int) []block {
	if b.others >= 0 {
		return b.all[b.others:]
	}
	return b.all[first:]
}

// firsts returns the blocks of records that may be first in a pair.
func (b *blocks) firsts() []block {
	if b.others >= 0 {
		return b.all[:b.others]
	}
	return b.all
}

func (b *blocks) work() (records uint64) {
	for i, first := range b.firsts() {
		records += uint64(first.records) * uint64(len(b.partners(i)))
	}
	return records
}

// find joins all pairs of blocks. The pairs wait in a file until all of one block are known, which
// gives the order of a join in memory.
func (b *blocks) find(ctx context.Context, done *atomic.Uint64, emit func(Pair) error) error {
	if err := b.out.Flush(); err != nil {
		return unwritable(err)
	}
	found, err := newRuns()
	if err != nil {
		return err
	}
	defer found.close()
	for i, first := range b.firsts() {
		for _, second := range b.partners(i) {
			if err := b.join(ctx, first, second, done, found.add); err != nil {
				return err
			}
			found.end()
		}
		if err := found.merge(emit); err != nil {
			return err
		}
	}
	return nil
}

// join emits the pairs of a block with another one, or with itself.
func (b *blocks) join(ctx context.Context, first, second block, done *atomic.Uint64, emit func(Pair) error) error {
	runtime.GC() // frees the previous blocks
	p := newPart(b.params)
	if err := b.read(first, p); err != nil {
		return err
	}
	between := uint64(0) // records of the second block are numbered differently here
	if second.start != first.start {
		between = second.before - first.before - uint64(first.records)
		p.divide()
		if err := b.read(second, p); err != nil {
			return err
		}
	}
	return p.find(ctx, done, func(pair Pair) error {
		pair.First += first.before
		pair.Second += first.before + between
		return emit(pair)
	})
}

// read adds the records of a block to a part.
func (b *blocks) read(from block, to *part) error {
	in := bufio.NewReaderSize(io.NewSectionReader(b.file, from.start, from.end-from.start), 1<<20)
	var words []uint64
	for range from.records {
		if _, err := io.ReadFull(in, b.head[:]); err != nil {
			return unreadable(err)
		}
		set, keys := int(binary.LittleEndian.Uint32(b.head[:])), int(binary.LittleEndian.Uint32(b.head[4:]))
		words = append(words[:0], make([]uint64, set+keys)...)
		if _, err := io.ReadFull(in, asBytes(words)); err != nil {
			return unreadable(err)
		}
		if err := to.add(words[:set], words[set:]); err != nil {
			return err
		}
	}
	return nil
}

func unreadable(err error) error { return fmt.Errorf("read what is beyond the memory: %w", err) }

func (b *blocks) close() error { return b.file.Close() }
