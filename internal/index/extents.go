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

// This file reads the extents of a sealed file: several at a time, each verified, while memory for
// the next ones is being prepared.

// maxReaders is the maximum number of extents that are read at once. Readers wait for the disk, so
// there can be more of them than processors.
const maxReaders = 8

// readers returns the number of readers for this file. Each holds one extent, so together they
// never hold more than the file.
func (f *SealedFile) readers() int { return int(min(max(1, f.body/extentSize), maxReaders)) }

// extentsAhead is the maximum number of extents whose memory is prepared in advance.
const extentsAhead = 64

// An extentPlan says what to do with extents. Readers are numbered from 0.
type extentPlan struct {
	prepare func(start, length int64)                    // called for each extent in order, ahead of the readers
	place   func(reader int, start, length int64) []byte // returns memory to read an extent into
	// done is called with each verified extent, by several readers at once.
	done func(start int64, extent []byte)
}

// readExtents reads and verifies all extents.
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
					return nil // another reader has found damage
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

// Load reads and verifies the body into memory, which must have the body's length. It touches the
// memory ahead of the readers: clearing memory takes the system about as long as a disk takes to
// fill it, and a reader that had to do it would wait for both.
func (f *SealedFile) Load(memory []byte) error {
	return f.readExtents(extentPlan{
		prepare: func(start, length int64) { offheap.Populate(memory[start : start+length]) },
		place:   func(_ int, start, length int64) []byte { return memory[start : start+length] },
		done:    func(int64, []byte) {},
	})
}

// Scan reads and verifies all extents and passes them to done, which several readers call at once.
// It uses little memory. Extents start at word boundaries in memory.
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
