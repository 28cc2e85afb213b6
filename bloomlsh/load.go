package bloomlsh

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// directory is an index directory that is open for reading: every file is there and checked, except
// for the extents of the base files and the contents of the log's frames, which are checked as they
// are read.
type directory struct {
	files    *store.Dir
	manifest *manifest
	params   Params
	bases    []*baseFile
	log      *store.File
	state    logState
	series   uint64 // of the log
}

// openDirectory opens what MANIFEST names. The log is opened for writing if forWriting is set.
func openDirectory(env environment, files *store.Dir, forWriting bool) (*directory, error) {
	if err := checkByteOrder(); err != nil {
		return nil, err
	}
	m, err := readManifest(files)
	if err != nil {
		return nil, err
	}
	d := &directory{files: files, manifest: m}
	if err := d.open(env, forWriting); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *directory) open(env environment, forWriting bool) (err error) {
	path := filepath.Join(d.files.Path(), manifestName)
	if d.params, _, err = splitParameters(d.manifest.parameters); err != nil {
		return corrupt(path, "%v", err)
	}
	first := d.manifest.firstBase()
	if first != 1 && !d.params.forgets() {
		return corrupt(path, "it names generation %d first", first)
	}
	for i, ref := range d.manifest.bases {
		base, err := openBase(env, d.files, ref, first+i, d.manifest.parameters, d.params)
		if err != nil {
			return err
		}
		d.bases = append(d.bases, base)
		if i > 0 && !d.params.hasClock() && d.bases[i-1].inserted != d.bases[i-1].capacity {
			return corrupt(d.bases[i-1].path, "a generation follows on it, and it is not full")
		}
	}
	if d.series, err = strconv.ParseUint(strings.TrimPrefix(d.manifest.log, "log-"), 10, 64); err != nil {
		return corrupt(path, "%q is not the name of a log", d.manifest.log)
	}
	open := d.files.Open
	if forWriting {
		open = d.files.OpenForWriting
	}
	if d.log, err = openNamed(d.files, d.manifest.log, open); err != nil {
		return err
	}
	d.state, err = scanLog(d.log, d.logPath(), fingerprint(d.manifest.parameters), d.series, d.manifest.logLength)
	return err
}

// lastBase is the number of the last stored generation, or 0.
func (d *directory) lastBase() int {
	if len(d.bases) == 0 {
		return 0
	}
	return d.bases[len(d.bases)-1].generation
}

func (d *directory) logPath() string { return filepath.Join(d.files.Path(), d.manifest.log) }

// close closes the files that are open; the log is nil if another has taken it over.
func (d *directory) close() {
	for _, base := range d.bases {
		if !base.kept {
			base.file.Close()
		}
	}
	if d.log != nil {
		d.log.Close()
	}
}

// forgotten is how many generations the last commit no longer remembers, by its clock.
func (d *directory) forgotten() int {
	if t := d.state.last.times; t != nil {
		return t.forgotten
	}
	return 0
}

// checkTimes compares the clock of the last commit with the generations; generation is the last.
func (d *directory) checkTimes(generation int) error {
	before := max(d.manifest.firstBase()-1, d.forgotten()) // generations that are no longer remembered
	return d.state.last.times.check(d.params, d.state.last.observed, before, generation-before)
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

// restore makes an index in memory of what is read.
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
	return b.load(bytesOf(g.words))
}

// keep leaves a generation in its file, which is read to its end once.
func (r *restore) keep(b *baseFile) error {
	if err := b.scan(func(int64, []byte) {}); err != nil {
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
		full.inserted = full.capacity // a generation is opened when the one before is full
	}
	return r.index.addGeneration(g)
}

func (r *restore) keys(keys []Key) error { return r.index.replay(r.index.current(), keys) }

func (r *restore) commit(c commit) error {
	r.index.observed, r.index.duplicates = c.observed, c.duplicates
	if len(r.index.generations) > 0 {
		r.index.current().inserted = c.inserted
	}
	return r.index.restoreTimes(c.times)
}

// onDisk returns the generations that do not fit into memory: all except the last one, and those
// before it that fit too.
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

// load restores the index of a directory, and says how many generations there have been in its
// files; if none, the first is opened.
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
	for i, g := range x.generations { // reading the later ones and the log may have taken seconds since
		if x.number(i) <= d.lastBase() && g.stored == nil {
			offheap.Revisit(bytesOf(g.words))
		}
	}
	return x, stored, nil
}
