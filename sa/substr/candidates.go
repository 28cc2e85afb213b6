package substr

import (
	"context"
	"sync/atomic"
)

// A first, cheap look at the texts excludes most units that occur once. Of each text every
// step-th unit is a sample: the window of `length` units that begins there. step and length are
// such that each window of MinLength units holds exactly one sample whole. If a window occurs
// twice, then so do the bytes of the sample in it: once as that sample, once more somewhere. So
// only windows whose sample occurs twice are candidates; the table holds one entry for each step
// units.
//
//	1. enter the key of each sample; a key entered twice is marked
//	2. look up the key of each other window of that length; a key that is found is marked
//	3. the windows around each sample with a marked key are candidates
//
// Keys are not compared by their bytes here: equal keys of different windows only make a candidate
// too many.

type sampling struct{ step, length int }

// sample chooses the sampling for a minimum length of n units.
func sample(n int) sampling {
	step := max(n/2, 1)
	return sampling{step: step, length: n - step + 1}
}

func (f *Finder) findCandidates(ctx context.Context) error {
	samples := f.units/f.sampled.step + f.Texts()
	passes := 1
	for sampleTableBytes(samples/passes) > f.options.Memory {
		passes++
	}
	done, search := f.progress(0, 0.5, 3*passes*f.spool.size()), candidateSearch{f}
	for pass := range passes {
		t := newSampleTable(samples/passes+samples/passes/16+1024, pass, passes)
		for _, step := range []func(*sampleTable) func(int){
			search.insertSamples, search.lookupOthers, search.markCandidates,
		} {
			if err := f.eachText(ctx, done, func() func(int) { return step(t) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachWindow calls visit with the windows of text i that have the samples' length. The first of
// them is number `first` of the text; every step-th, from 0, is a sample.
func (f *Finder) eachWindow(r *roller, w *windows, i int, visit func(first int)) {
	start, end := f.spool.bounds(i)
	r.salt = f.saltOf(i)
	r.seek(f.spool.text[:end], start)
	first := 0
	for r.fill(w); w.n > 0; r.fill(w) {
		visit(first)
		first += w.n
	}
}

// firstSample returns the index of the first sample among windows that begin with number `first`.
func (s sampling) firstSample(first int) int { return (s.step - first%s.step) % s.step }

// A candidateSearch makes the steps of findCandidates: each returns what to do with a text.
type candidateSearch struct{ *Finder }

func (f candidateSearch) insertSamples(t *sampleTable) func(int) {
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	return func(i int) {
		f.eachWindow(r, w, i, func(first int) {
			for k := f.sampled.firstSample(first); k < w.n; k += f.sampled.step {
				t.insert(w.key[k])
			}
		})
	}
}

func (f candidateSearch) lookupOthers(t *sampleTable) func(int) {
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	var slot [batch]uint64
	return func(i int) {
		f.eachWindow(r, w, i, func(first int) {
			for k, key := range w.key[:w.n] {
				slot[k] = atomic.LoadUint64(&t.slots[place(key, len(t.slots))])
			}
			for k := f.sampled.firstSample(first); k < w.n; k += f.sampled.step {
				slot[k] = 0
			}
			for k, v := range slot[:w.n] {
				if v != 0 {
					t.mark(w.key[k])
				}
			}
		})
	}
}

func (f candidateSearch) markCandidates(t *sampleTable) func(int) {
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	recent := make([]int, 0, f.sampled.step) // where the windows that hold the next sample begin
	return func(i int) {
		recent = recent[:0]
		f.eachWindow(r, w, i, func(first int) {
			sample := f.sampled.firstSample(first)
			for k := range w.n {
				recent = append(recent, w.start[k])
				if k != sample {
					continue
				}
				sample += f.sampled.step
				if t.marked(w.key[k]) {
					f.markAll(recent)
				}
				recent = recent[:0]
			}
		})
	}
}

func (f candidateSearch) markAll(starts []int) {
	if f.options.Unit == Bytes {
		f.candidates.set(starts[0], starts[len(starts)-1]+1)
		return
	}
	for _, p := range starts {
		f.candidates.set(p, p+1)
	}
}

// sampleTable is a set of keys with a mark on each: open addressing, one word a key, its lowest bit
// the mark. It holds the keys of one pass. Safe for concurrent use.
type sampleTable struct {
	slots        []uint64
	pass, passes int
}

const sampleLoad = 0.7

func sampleTableBytes(samples int) int64 { return int64(float64(samples) / sampleLoad * 8) }

func newSampleTable(samples, pass, passes int) *sampleTable {
	return &sampleTable{slots: make([]uint64, int(float64(samples)/sampleLoad)+1), pass: pass, passes: passes}
}

// find returns the slot where key is or belongs, and what it held; nil if the table is full and
// does not hold it. (Only keys chosen to crowd one pass can fill a table. Their samples are then
// simply candidates.)
func (t *sampleTable) find(key uint64) (*uint64, uint64) {
	i := place(key, len(t.slots))
	for range t.slots {
		slot := &t.slots[i]
		v := atomic.LoadUint64(slot)
		if v == 0 || v&^1 == key&^1 {
			return slot, v
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	return nil, 0
}

// inPass tells if a key belongs to this pass. The low bits choose the pass; the place comes from
// the high ones.
func (t *sampleTable) inPass(key uint64) bool {
	return t.passes == 1 || int(key&(1<<32-1)*uint64(t.passes)>>32) == t.pass
}

func (t *sampleTable) insert(key uint64) {
	if !t.inPass(key) {
		return
	}
	key = max(key&^1, 2) // 0 is an empty slot
	for {
		slot, v := t.find(key)
		if slot == nil {
			return
		}
		if v == 0 && atomic.CompareAndSwapUint64(slot, 0, key) {
			return
		}
		if v != 0 {
			setMark(slot, v)
			return
		}
	}
}

func (t *sampleTable) mark(key uint64) {
	if slot, v := t.find(max(key&^1, 2)); v != 0 {
		setMark(slot, v)
	}
}

func setMark(slot *uint64, v uint64) {
	if v&1 == 0 {
		atomic.OrUint64(slot, 1)
	}
}

func (t *sampleTable) marked(key uint64) bool {
	if !t.inPass(key) {
		return false
	}
	slot, v := t.find(max(key&^1, 2))
	return slot == nil || v&1 != 0
}
