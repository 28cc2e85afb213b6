package bloomlsh

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A directory holds the filters of an index directory open for reading.
type directory struct {
	*index.Snapshot
	params Params
	bases  []*baseFile
	last   counted
}

// openDirectory checks what a snapshot says about filters, except for the contents of its files.
func openDirectory(from *index.Snapshot) (*directory, error) {
	if err := checkByteOrder(); err != nil {
		return nil, err
	}
	d := &directory{Snapshot: from}
	var err error
	if d.params, _, err = splitParameters(from.Parameters()); err != nil {
		return nil, index.Corrupt(from.ManifestPath(), "%v", err)
	}
	if first := from.FirstSealed(); first != 1 && !d.params.forgets() {
		return nil, index.Corrupt(from.ManifestPath(), "it names generation %d first", first)
	}
	for i, f := range from.Sealed() {
		base, err := openBase(f, d.params)
		if err != nil {
			return nil, err
		}
		d.bases = append(d.bases, base)
		if i > 0 && !d.params.hasClock() && d.bases[i-1].inserted != d.bases[i-1].capacity {
			return nil, index.Corrupt(d.bases[i-1].Path(), "a generation follows on it, and it is not full")
		}
	}
	if d.last, err = decodeCounted(from.Committed().State(sectionName)); err != nil {
		return nil, index.Corrupt(from.LogEnd(), "%v", err)
	}
	return d, nil
}

// lastBase returns the number of the last stored generation, or 0 if there is none.
func (d *directory) lastBase() int {
	if len(d.bases) == 0 {
		return 0
	}
	return d.bases[len(d.bases)-1].generation
}

// close keeps open the files of generations that an index still reads.
func (d *directory) close() {
	for _, base := range d.bases {
		if base.kept {
			base.Hold()
		}
	}
}

// forgotten returns how many generations the index has forgotten by its clock, as of the last
// commit.
func (d *directory) forgotten() int {
	if t := d.last.times; t != nil {
		return t.forgotten
	}
	return 0
}

// checkTimes compares the clock of the last commit with the generations. generation is the number
// of the last one.
func (d *directory) checkTimes(generation int) error {
	before := max(d.FirstSealed()-1, d.forgotten()) // number of generations no longer remembered
	return d.last.times.check(d.params, d.last.observed, before, generation-before)
}

func (d *directory) checkGeneration(f framelog.Frame, generation int) (geometry, error) {
	number, g, err := decodeGeneration(f.Payload)
	if err != nil {
		return g, err
	}
	if number != uint64(generation) {
		return g, fmt.Errorf("generation %d is opened, %d is due", number, generation)
	}
	return g, d.params.checkGeneration(g, generation)
}

// A restore is a content that builds an index in memory.
type restore struct {
	index  *Index
	onDisk map[int]bool
}

func (r *restore) base(b *baseFile) error {
	if r.onDisk[b.generation] {
		return r.keep(b)
	}
	if err := r.open(b.generation, b.geometry); err != nil {
		return err
	}
	g := r.index.current()
	g.inserted = b.inserted
	g.moveFirst()
	if g.tags != nil {
		g.tags.undivided = g.undivided(g.inserted)
	}
	return b.Load(bytesOf(g.words))
}

// keep leaves a generation in its file, after reading it once to verify it.
func (r *restore) keep(b *baseFile) error {
	if err := b.Scan(func(int64, []byte) {}); err != nil {
		return err
	}
	if len(r.index.generations) == 0 {
		r.index.forgotten = b.generation - 1
	}
	g := newStored(b.geometry, b)
	g.seed = r.index.params.PageSeed
	g.stored.seed = g.seed
	r.index.generations = append(r.index.generations, g)
	b.kept = true
	return nil
}

func (r *restore) open(generation int, g geometry) error {
	if len(r.index.generations) == 0 {
		r.index.forgotten = generation - 1
	} else if !r.index.params.hasClock() {
		full := r.index.current()
		full.inserted = full.capacity // the next generation is opened only when this one is full
	}
	return r.index.addGeneration(g)
}

func (r *restore) keys(keys []Key) error { return r.index.replay(r.index.current(), keys) }

func (r *restore) commit(c counted) error {
	r.index.observed, r.index.duplicates = c.observed, c.duplicates
	if len(r.index.generations) > 0 {
		r.index.current().inserted = c.inserted
	}
	return r.index.restoreTimes(c.times)
}

// onDisk returns the generations that do not fit into memory: all except the last one and as many
// before it as fit.
func (d *directory) onDisk(memory uint64) map[int]bool {
	stay := map[int]bool{}
	if memory == 0 {
		return stay
	}
	for i := len(d.bases) - 1; i >= 0; i-- {
		bytes := d.bases[i].geometry.bytes()
		if i < len(d.bases)-1 && bytes > memory {
			stay[d.bases[i].generation] = true
			continue
		}
		memory -= min(bytes, memory)
	}
	return stay
}

// load restores the index of a directory, and returns how many generations its files have ever had.
// If there are none, it opens the first.
func (d *directory) load(env environment, memory uint64) (x *Index, stored int, err error) {
	x = emptyIndex(d.params, env.memory)
	x.params.Memory = memory
	r := &restore{index: x, onDisk: d.onDisk(memory)}
	err = d.read(r)
	stored = x.number(len(x.generations)) - 1
	if err == nil && stored == 0 {
		err = x.addGeneration(planGeneration(x.params, 0))
	}
	if err == nil && d.params.Filter == FilterClassic && len(r.onDisk) > 0 {
		err = fmt.Errorf("%w: filters of the kind %s cannot be read from disk", ErrMemory, FilterClassic)
	}
	if err != nil {
		x.Close()
		return nil, 0, err
	}
	for i, g := range x.generations { // reading the later ones and the log may have taken seconds
		if x.number(i) <= d.lastBase() && g.stored == nil {
			offheap.Revisit(bytesOf(g.words))
		}
	}
	return x, stored, nil
}
