package pairs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// chunkRecords is the number of records that a goroutine looks up at a time.
const chunkRecords = 64

// A chunk is a range of records with their matches.
type chunk struct {
	first, end uint32
	matches    []match // concatenated
	ends       []int   // where those of each record end
	done       chan struct{}
}

// probeAll looks up all records on several goroutines, and emits their pairs in the order of
// records. It reuses a fixed number of chunks.
func (p *part) probeAll(ctx context.Context, x *index, m *members, done *atomic.Uint64, emit func(Pair) error) error {
	threads := max(1, p.params.Threads)
	chunks := 2 * threads
	free, work, order := make(chan *chunk, chunks), make(chan *chunk, chunks), make(chan *chunk, chunks)
	for range chunks {
		free <- &chunk{done: make(chan struct{}, 1)}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(context.Canceled)
	running.Go(func() {
		defer close(order)
		defer close(work)
		for first := 0; first < p.firsts(); first += chunkRecords {
			select {
			case c := <-free:
				c.first, c.end = uint32(first), uint32(min(first+chunkRecords, p.firsts()))
				order <- c
				work <- c
			case <-ctx.Done():
				return
			}
		}
	})
	for range threads {
		running.Go(func() {
			prober := prober{part: p, index: x, members: m, common: make([]int32, len(m.order))}
			for c := range work {
				if ctx.Err() == nil {
					prober.fill(c)
				}
				c.done <- struct{}{}
			}
		})
	}
	out := emitter{part: p, members: m, done: done, emit: emit}
	for c := range order {
		<-c.done
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := out.emitChunk(c); err != nil {
			return err
		}
		free <- c
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// fill looks up the records of a chunk.
func (p *prober) fill(c *chunk) {
	c.matches, c.ends = c.matches[:0], c.ends[:0]
	for record := c.first; record < c.end; record++ {
		c.matches = p.appendMatches(c.matches, record)
		c.ends = append(c.ends, len(c.matches))
	}
}

// An emitter converts pairs of sets to pairs of records.
type emitter struct {
	part    *part
	members *members
	done    *atomic.Uint64 // records whose pairs were emitted
	emit    func(Pair) error
	pairs   []Pair // scratch buffer
}

func (e *emitter) emitChunk(c *chunk) error {
	start := 0
	for i, end := range c.ends {
		if err := e.emitRecord(c.first+uint32(i), c.matches[start:end]); err != nil {
			return err
		}
		start = end
	}
	e.done.Add(uint64(c.end - c.first))
	return nil
}

// emitRecord emits the pairs of a record with the members of these sets.
func (e *emitter) emitRecord(record uint32, matches []match) error {
	e.pairs = e.pairs[:0]
	partners := e.part.partnersFrom(record)
	for _, m := range matches {
		all := e.members.of(m.set)
		at, _ := slices.BinarySearch(all, partners)
		for _, other := range all[at:] {
			e.pairs = append(e.pairs, Pair{uint64(record) + 1, uint64(other) + 1, m.similarity, m.keys})
		}
	}
	if len(matches) > 1 { // the members of one set are sorted
		slices.SortFunc(e.pairs, func(a, b Pair) int { return cmp.Compare(a.Second, b.Second) })
	}
	for _, p := range e.pairs {
		if err := e.emit(p); err != nil {
			return err
		}
	}
	return nil
}
