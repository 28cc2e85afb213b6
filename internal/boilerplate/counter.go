package boilerplate

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// Options say what is boilerplate, and what counting may take.
type Options struct {
	Unit       Unit
	MinShare   float64 // the least share of the pages of a site, above 0 and at most 1
	MinRecords uint64  // and the least number of pages
	Memory     int64   // bytes, for counting and for the Table
	TempDir    string  // for what is beyond the memory; empty means the system's directory
}

// An item is a part that a page of a site has, or the page itself, with a pageMark.
type item struct{ site, hash uint64 }

const (
	itemWords  = 2
	itemBytes  = 8 * itemWords
	leastItems = 1 << 12
)

// A Counter counts the pages of each site, and how many of them have each part: exactly, by sorting
// what the pages have. What is beyond the memory is sorted in temporary files. Only one goroutine
// may use it.
type Counter struct {
	o              Options
	items, scratch []item // of the same length
	used           int
	words          []uint64 // what both are laid over, outside the Go heap
	runs           []*run
}

// NewCounter returns a Counter that has counted nothing.
func NewCounter(o Options) (*Counter, error) {
	half := max(leastItems, int(o.Memory/(2*itemBytes)))
	words, err := offheap.Allocate(uint64(2 * half * itemWords))
	if err != nil {
		return nil, fmt.Errorf("count parts in memory: %w: give less with --memory", err)
	}
	all := unsafe.Slice((*item)(unsafe.Pointer(unsafe.SliceData(words))), 2*half)
	return &Counter{o: o, items: all[:half:half], scratch: all[half:], words: words}, nil
}

// Add counts a page by its sketch. An empty one, of what is no page, does not count.
func (c *Counter) Add(sketch []uint64) error {
	if len(sketch) == 0 {
		return nil
	}
	site, hashes := sketch[0], sketch[1:]
	if err := c.add(item{site, pageMark}); err != nil {
		return err
	}
	for _, hash := range hashes {
		if err := c.add(item{site, hash}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Counter) add(x item) error {
	if c.used == len(c.items) {
		if err := c.spill(); err != nil {
			return err
		}
	}
	c.items[c.used] = x
	c.used++
	return nil
}

// mostRuns bounds the open files.
const mostRuns = 64

// spill sorts what is in memory into a file.
func (c *Counter) spill() error {
	err := c.addRun(func(w *run) error {
		return eachCounted(sortItems(c.items[:c.used], c.scratch[:c.used]), w.write)
	})
	c.used = 0
	if err != nil || len(c.runs) < mostRuns {
		return err
	}
	merged := c.runs
	c.runs = nil
	if err = c.addRun(func(w *run) error { return merge(merged, w.write) }); err != nil {
		c.runs = append(c.runs, merged...)
		return err
	}
	return closeRuns(merged)
}

// addRun has a new file written.
func (c *Counter) addRun(write func(*run) error) error {
	w, err := createRun(c.o.TempDir)
	if err != nil {
		return err
	}
	c.runs = append(c.runs, w)
	return errors.Join(write(w), w.end())
}

// Table returns what is boilerplate. Nothing can be counted afterwards.
func (c *Counter) Table() (*Table, error) {
	t := &tally{o: c.o, table: &Table{unit: c.o.Unit}}
	var err error
	if len(c.runs) == 0 {
		err = eachCounted(sortItems(c.items[:c.used], c.scratch[:c.used]), t.take)
	} else {
		if err = c.spill(); err == nil {
			err = merge(c.runs, t.take)
		}
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return nil, err
	}
	t.table.build()
	return t.table, nil
}

// Close gives back the memory and the files. A second call does nothing.
func (c *Counter) Close() error {
	err := closeRuns(c.runs)
	if c.words != nil {
		err = errors.Join(err, offheap.Release(c.words))
	}
	c.runs, c.words, c.items, c.scratch = nil, nil, nil, nil
	return err
}

// A tally takes what was counted, site by site, the pages of a site first.
type tally struct {
	o     Options
	table *Table
	pages uint64 // of the current site
}

func (t *tally) take(of item, count uint64) error {
	switch {
	case of.hash == pageMark:
		t.pages = count
	case count >= t.o.MinRecords && float64(count) >= t.o.MinShare*float64(t.pages)*(1-1e-12): // rounding
		if int64(len(t.table.entries)+1)*tableBytes > max(t.o.Memory, leastItems*tableBytes) {
			return fmt.Errorf("more than %d parts are boilerplate, which is all that fits: give more than %d bytes "+
				"with --memory, or a larger --min-share", len(t.table.entries), t.o.Memory)
		}
		t.table.entries = append(t.table.entries, Entry{count, t.pages})
		t.table.keys = append(t.table.keys, keyOf(of.site, of.hash))
	}
	return nil
}
