package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// How the extents of a sealed file are read: several at once, each checked, while the memory for
// the next is made ready.

// maxReaders is how many extents are read at once: they wait for the disk, so there are more of
// them than processors.
const maxReaders = 8

// readers is how many read this file. Each has an extent in hand, so that together they never hold
// more than the file.
func (f *SealedFile) readers() int { return int(min(max(1, f.body/extentSize), maxReaders)) }

// extentsAhead is how many extents at most are prepared before they are read.
const extentsAhead = 64

// extentPlan says what happens to extents. A reader is a number below readers.
type extentPlan struct {
	prepare func(start, length int64)                    // called for one extent after the other, ahead of the readers
	place   func(reader int, start, length int64) []byte // the memory to read an extent into
	// called by several readers at once, with what was read and is good
	done func(start int64, extent []byte)
}

// readExtents reads and checks all extents.
func (f *SealedFile) readExtents(plan extentPlan) error {
	length := func(i int64) int64 { return min(extentSize, f.body-i*extentSize) }
	queue := make(chan int64, extentsAhead)
	group, ctx := errgroup.WithContext(context.Background())
	group.Go(func() error {
		defer close(queue)
		for i := range extents(f.body) {
			plan.prepare(i*extentSize, length(i))
			select {
			case queue <- i:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	for reader := range f.readers() {
		group.Go(func() error {
			for i := range queue {
				if ctx.Err() != nil {
					return nil // another has met damage
				}
				extent := plan.place(reader, i*extentSize, length(i))
				if err := f.readExtent(i, extent); err != nil {
					return err
				}
				plan.done(i*extentSize, extent)
			}
			return nil
		})
	}
	return group.Wait()
}

func (f *SealedFile) readExtent(i int64, extent []byte) error {
	if _, err := f.ReadAt(extent, i*extentSize); err != nil {
		return err
	}
	if xxh3.Hash(extent) != binary.LittleEndian.Uint64(f.table[i*8:]) {
		return Corrupt(fmt.Sprintf("%s:%d", f.path, SealedHeader+i*extentSize),
			"the checksum of the %d bytes from here is wrong", len(extent))
	}
	return nil
}

// Load reads and checks the body, and leaves it in memory, which is as long as it is. The memory is
// taken from the system ahead of the readers: clearing it takes about as long as a disk takes to
// fill it, and one who reads into memory that is not there waits for both.
func (f *SealedFile) Load(memory []byte) error {
	return f.readExtents(extentPlan{
		prepare: func(start, length int64) { offheap.Populate(memory[start : start+length]) },
		place:   func(_ int, start, length int64) []byte { return memory[start : start+length] },
		done:    func(int64, []byte) {},
	})
}

// Scan reads and checks all extents and passes them to done, which several readers call at once, in
// little memory. Extents begin at whole words of memory.
func (f *SealedFile) Scan(done func(start int64, extent []byte)) error {
	words, err := offheap.Allocate(uint64(max(1, min((f.body+7)/8, int64(f.readers())*extentSize/8))))
	if err != nil {
		return err
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	err = f.readExtents(extentPlan{
		prepare: func(int64, int64) {},
		place:   func(reader int, _, length int64) []byte { return memory[reader*extentSize:][:length] },
		done:    done,
	})
	return errors.Join(err, offheap.Release(words))
}
