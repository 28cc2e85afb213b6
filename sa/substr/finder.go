package substr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Options say what a repeated passage is and what finding it may cost.
type Options struct {
	MinLength int  // how many units a passage has at least, ≥ 1
	Unit      Unit // what MinLength counts

	// Against, if it is not nil, is what texts are compared with: a span is then what occurs in the
	// corpus, not what occurred in earlier texts, and Span.First.Text is a text of the corpus.
	// MinLength and Unit must be those of the corpus.
	Against *Corpus

	// Within compares a text only with those of its own record; BeginRecord begins each record.
	Within bool

	Merge          int  // bytes between two spans of a text that make them one, with what stands between
	WordBoundaries bool // shrink spans so that they begin and end with whole words
	Locate         bool // also tell where each span occurs first (Span.First); 16 bytes of memory for each match

	Memory  int64  // bytes for hash tables; less memory means more passes. 0 is 1 GiB
	TempDir string // for the temporary files, 1.25 bytes a byte of text; "" is the system's
	Threads int    // 0 is the number of processors. The spans do not depend on it
	// called now and then with the part of the work that is done; nil is never. Not called
	// concurrently
	Progress func(fraction float64)
}

const (
	defaultMemory = 1 << 30
	minMemory     = 1 << 16
	maxText       = 1 << 40 // positions have 40 bits in the table of windows
)

func (o Options) checked() (Options, error) {
	if o.MinLength < 1 {
		return o, fmt.Errorf("minimum length %d is less than 1", o.MinLength)
	}
	if int(o.Unit) >= len(unitNames) {
		return o, fmt.Errorf("unit %d is unknown", o.Unit)
	}
	if c := o.Against; c != nil && (o.MinLength != c.MinLength() || o.Unit != c.Unit()) {
		return o, fmt.Errorf("the corpus was built for a minimum length of %d %v, not %d %v", c.MinLength(), c.Unit(),
			o.MinLength, o.Unit)
	}
	if o.Against != nil && o.Within {
		return o, errors.New("texts are compared with a corpus, or within records, and not both")
	}
	o.Memory = cmp.Or(o.Memory, defaultMemory)
	if o.Memory < minMemory {
		return o, fmt.Errorf("%d bytes of memory are too few; give at least %d", o.Memory, minMemory)
	}
	if o.Threads < 1 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return o, nil
}

// Finder finds what texts repeat verbatim of themselves and of earlier texts, or of a corpus. Add
// all texts, call Find once, then ask for the spans of each text. A Finder is not safe for
// concurrent use; it runs Options.Threads goroutines itself.
type Finder struct {
	options    Options
	spool      *spool
	units      int // in all texts, an upper bound
	sampled    sampling
	candidates *bitmap // where windows begin that may occur elsewhere
	repeated   *bitmap // where windows begin that occurred before
	matches    []match // ascending by at, then by first; only with Options.Locate
	found      bool
	records    int
	recordOf   []uint32 // of each text; only with Options.Within
	starts     []int    // reused by around
	ends       []int
}

// NewFinder returns a Finder without texts. Close it.
func NewFinder(o Options) (*Finder, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	s, err := newSpool(o.TempDir)
	if err != nil {
		return nil, err
	}
	return &Finder{options: o, spool: s, sampled: sample(o.MinLength)}, nil
}

// Add appends a text; it gets the next number, from 0. The text is copied.
func (f *Finder) Add(text []byte) error {
	if f.found {
		return errors.New("substr: a text was added after Find")
	}
	if int64(f.spool.size())+int64(len(text)) >= maxText {
		return fmt.Errorf("substr: more than %d bytes of text", int64(maxText))
	}
	if f.options.Within {
		f.recordOf = append(f.recordOf, uint32(f.records))
	}
	f.units += f.options.Unit.count(text)
	return f.spool.add(text)
}

// BeginRecord says that the next texts belong to another record than those before.
func (f *Finder) BeginRecord() { f.records++ }

// groupOf is the record of a text, where texts of different records are not compared.
func (f *Finder) groupOf(text int) uint32 {
	if f.recordOf == nil {
		return 0
	}
	return f.recordOf[text]
}

// saltOf makes the keys of windows differ where their texts are not compared.
func (f *Finder) saltOf(text int) uint64 {
	if f.recordOf == nil {
		return 0
	}
	return mix(uint64(f.recordOf[text]) + 1)
}

// Texts returns how many texts were added.
func (f *Finder) Texts() int { return len(f.spool.ends) }

// Size returns how many bytes the texts have together.
func (f *Finder) Size() int { return f.spool.size() }

// Close removes the temporary files.
func (f *Finder) Close() error {
	return errors.Join(f.spool.close(), f.candidates.close(), f.repeated.close())
}

// Find does the work. It stops soon after ctx is done, and then returns its error.
func (f *Finder) Find(ctx context.Context) error {
	if f.found {
		return errors.New("substr: Find was called before")
	}
	f.found = true
	if err := f.spool.seal(); err != nil {
		return err
	}
	var err error
	if f.repeated, err = newBitmap(f.options.TempDir, f.spool.size()); err != nil {
		return err
	}
	if f.options.Against != nil {
		return f.findAgainst(ctx)
	}
	if f.candidates, err = newBitmap(f.options.TempDir, f.spool.size()); err != nil {
		return err
	}
	if err := f.findCandidates(ctx); err != nil {
		return err
	}
	return f.findRepeated(ctx)
}

// share is a part of the texts for one goroutine, about 1 MiB.
const share = 1 << 20

// eachText calls work(worker's number)(text number) for each text on all threads. A worker gets its
// texts in ascending order.
func (f *Finder) eachText(ctx context.Context, done func(bytes int), work func() func(i int)) error {
	var wait sync.WaitGroup
	var mutex sync.Mutex
	next := 0
	take := func() (from, to int) {
		mutex.Lock()
		defer mutex.Unlock()
		from = next
		for bytes := 0; next < f.Texts() && bytes < share; next++ {
			start, end := f.spool.bounds(next)
			bytes += end - start
		}
		return from, next
	}
	for range f.options.Threads {
		wait.Go(func() {
			visit := work()
			for from, to := take(); from < to && ctx.Err() == nil; from, to = take() {
				for i := from; i < to; i++ {
					visit(i)
				}
				first, _ := f.spool.bounds(from)
				done(f.spool.ends[to-1] - first)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// progress returns a function that counts bytes worked, of total, and reports them as the part of
// the whole that lies between from and to.
func (f *Finder) progress(from, to float64, total int) func(bytes int) {
	if f.options.Progress == nil {
		return func(int) {}
	}
	var mutex sync.Mutex
	worked := 0
	return func(bytes int) {
		mutex.Lock()
		defer mutex.Unlock()
		worked += bytes
		f.options.Progress(from + (to-from)*min(float64(worked)/float64(max(total, 1)), 1))
	}
}
