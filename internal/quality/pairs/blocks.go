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

// Blocks are records that have no room in memory at once. They are in a file, and any two blocks of
// them have room.
type blocks struct {
	params Params
	file   *os.File
	out    *bufio.Writer
	all    []block
	others int // the first block of those that the others are compared with; -1: there are none
	head   [8]byte
}

// A block is some records in a row.
type block struct {
	before     uint64 // records that come before it
	records    int
	bytes      uint64 // that they take in memory
	start, end int64  // where it is in the file
}

// A RoomError says that two records of one size take more memory than all may.
type RoomError struct{ Needed, Usable uint64 }

func (e *RoomError) Error() string {
	return fmt.Sprintf("not enough memory: two records need %d bytes, and %d may be taken", e.Needed, e.Usable)
}

// blocksOf moves the records that are in memory to a file.
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
		return &RoomError{Needed: 2 * bytes, Usable: b.params.MaxMemory}
	}
	if last := b.last(); b.params.isFull(2*(last.bytes+bytes), 2*(last.records+1)) {
		b.begin()
	}
	binary.LittleEndian.PutUint32(b.head[:], uint32(len(set)))
	binary.LittleEndian.PutUint32(b.head[4:], uint32(len(keys)))
	b.out.Write(b.head[:]) // an error stays, for every following Write and Flush
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

// begin begins a block.
func (b *blocks) begin() {
	last := b.last()
	b.all = append(b.all, block{before: last.before + uint64(last.records), start: last.end, end: last.end})
}

func (b *blocks) divide() {
	b.begin()
	b.others = len(b.all) - 1
}

// partners are the blocks that those before the first of others, or all, are joined with.
func (b *blocks) partners(first int) []block {
	if b.others >= 0 {
		return b.all[b.others:]
	}
	return b.all[first:]
}

// firsts are the blocks of records that may be the first one of a pair.
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

// find joins the blocks by two. Their pairs wait in a file until all of one block are known, so
// that they have the order that all records at once would give.
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
	runtime.GC() // the blocks before have left their room
	p := newPart(b.params)
	if err := b.read(first, p); err != nil {
		return err
	}
	between := uint64(0) // the records of the second block have other numbers here
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
