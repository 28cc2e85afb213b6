package stream

import (
	"strings"
	"testing"
)

// fillsLater has the reader fill the batch, which it can do only when earlier has been reset.
func fillsLater(t *testing.T, lines *blockReader, b, earlier *batch) {
	t.Helper()
	filled := make(chan bool)
	go func() { filled <- lines.fill(b) }()
	select {
	case <-filled:
		t.Fatal("it did not wait")
	default:
	}
	earlier.reset()
	<-filled
	if b.err != nil {
		t.Fatal(b.err)
	}
}

// The second of two huge records waits until the batch of the first is free again.
func TestOneHugeRecordAtATime(t *testing.T) {
	line := strings.Repeat("x", 5*largeBuffer) + "\n"
	lines := newLineReader(strings.NewReader(line+line), 1<<30)
	first, second := newBatch(), newBatch()
	if !lines.fill(first) || len(first.buf) != len(line) {
		t.Fatalf("%d bytes", len(first.buf))
	}
	fillsLater(t, lines, second, first)
	if len(second.buf) != len(line) {
		t.Errorf("%d bytes in the second batch", len(second.buf))
	}
	if cap(first.buf) != blockSize {
		t.Errorf("the first batch has kept %d bytes", cap(first.buf))
	}
}

// As many long records are in memory at once as there are large buffers. One more follows when a
// batch of theirs is free again, in its memory.
func TestLargeBuffersGoFromBatchToBatch(t *testing.T) {
	line := strings.Repeat("x", largeBuffer-1) + "\n"
	lines := newLineReader(strings.NewReader(strings.Repeat(line, largeBuffers+1)), 1<<30)
	var batches []*batch
	for range largeBuffers {
		b := newBatch()
		if !lines.fill(b) || len(b.buf) != len(line) {
			t.Fatalf("%d bytes", len(b.buf))
		}
		batches = append(batches, b)
	}
	last, memory := newBatch(), &batches[3].buf[0]
	fillsLater(t, lines, last, batches[3])
	if string(last.buf) != line || &last.buf[0] != memory {
		t.Errorf("%d bytes, in other memory: %t", len(last.buf), &last.buf[0] != memory)
	}
	for _, b := range append(batches, last) {
		if b.reset(); cap(b.buf) != blockSize {
			t.Errorf("a batch has kept %d bytes", cap(b.buf))
		}
	}
}

// What a RecordReader grows for each block, to put JSON and texts there, stays with the batch: new
// memory for each would be most of the work.
func TestABatchKeepsWhatRowsAsJSONTake(t *testing.T) {
	b := newBatch()
	for size := 2 * blockSize; size <= keptSize; size += blockSize / 2 {
		b.buf = make([]byte, size)
		if b.reset(); cap(b.buf) != size || len(b.buf) != 0 {
			t.Errorf("a batch that had grown to %d bytes has %d", size, cap(b.buf))
		}
	}
	b.buf = make([]byte, keptSize+1)
	if b.reset(); cap(b.buf) != blockSize {
		t.Errorf("a batch has kept %d bytes", cap(b.buf))
	}
}

// What a RecordReader has grown counts as a huge record, and does not stay with the batch.
func TestAHugeRecordOfARecordReader(t *testing.T) {
	l := newLender()
	first, second := newBatch(), newBatch()
	first.buf, second.buf = make([]byte, largeBuffer), make([]byte, largeBuffer)
	if !l.claim(first, nil) {
		t.Fatal("stopped")
	}
	stop := make(chan struct{})
	close(stop)
	if l.claim(second, stop) {
		t.Error("two huge records at once")
	}
	if !l.claim(first, stop) {
		t.Error("a batch without records, which is filled again, waits for itself")
	}
	first.reset()
	if !l.claim(second, nil) || cap(first.buf) != blockSize {
		t.Errorf("the first batch has kept %d bytes", cap(first.buf))
	}
}

func TestAStopEndsTheWaitForMemory(t *testing.T) {
	for _, size := range []int{largeBuffer / 2, 2 * largeBuffer} {
		stop := make(chan struct{})
		lines := newLineReader(strings.NewReader(strings.Repeat("x", size)), 1<<30)
		lines.stop = stop
		<-lines.lender.huge // others have it all
		if size < largeBuffer {
			for range largeBuffers {
				<-lines.lender.large
			}
		}
		close(stop)
		if b := newBatch(); lines.fill(b) || b.err == nil {
			t.Errorf("%d bytes, %v", len(b.buf), b.err)
		}
	}
}
