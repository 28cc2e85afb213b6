package stream

import "testing"

// worked is a batch as it comes back: with sketches of so many words.
func worked(b *batch, words int) *batch {
	b.sketches.Words = append(b.sketches.Words, make([]uint64, words)...)
	return b
}

// TestRingsHaveRoomForWhatBatchesTake has batches come back that are larger than their blocks, then
// still larger, then small again.
func TestRingsHaveRoomForWhatBatchesTake(t *testing.T) {
	const room = 64 * blockSize
	r := newRing(&Options{Threads: 1, Ahead: room})
	free := make(chan *batch, r.size())
	for range r.fixed {
		free <- newBatch()
	}
	if r.grow(free); r.ahead > 0 {
		t.Fatalf("%d batches are ahead, and nothing is known of any", r.ahead)
	}
	round := func(words int) {
		for range r.fixed + r.ahead {
			r.recycle(worked(<-free, words), free)
		}
		r.grow(free)
	}
	for i, words := range []int{0, 1 << 15, 1 << 17, 1 << 15} {
		for range 3 { // until all have come back like that
			round(words)
		}
		taken := int64(0)
		for range len(free) {
			b := <-free
			taken += b.memory()
			free <- b
		}
		most := room + int64(r.fixed+1)*taken/int64(r.fixed+r.ahead)
		if taken > most || r.ahead == 0 || len(free) != r.fixed+r.ahead {
			t.Errorf("step %d: %d batches take %d bytes, and have room for %d", i, r.fixed+r.ahead, taken, most)
		}
		if i == 0 && r.ahead != 64 {
			t.Errorf("%d batches are ahead that are as large as their blocks", r.ahead)
		}
	}
}

// TestRingsWithoutRoom have the batches for their workers.
func TestRingsWithoutRoom(t *testing.T) {
	r := newRing(&Options{Threads: 3})
	free := make(chan *batch, r.size())
	r.recycle(newBatch(), free)
	if r.grow(free); r.size() != 8 || len(free) != 1 {
		t.Errorf("%d places, %d batches", r.size(), len(free))
	}
}
