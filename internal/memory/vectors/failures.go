package vectors

import (
	"sync"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Failures collects the errors of texts that could not be sketched for external reasons. Such an
// error belongs to a record: all records before it are judged and written, as with a read error. So
// the sketch of the record is the number of the error, in fewer words than other sketches have.
// Several goroutines may use it.
type Failures struct {
	words int // minimum words of any other sketch

	mutex sync.Mutex
	all   []error
}

// NewFailures returns a Failures for sketches of at least that many words, two or more.
func NewFailures(words int) *Failures { return &Failures{words: words} }

// Add stores an error and returns its number.
func (f *Failures) Add(err error) uint64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.all = append(f.all, err)
	return uint64(len(f.all) - 1)
}

// Of returns the error that a sketch represents, and nil for other sketches. Others may have
// appended words to the sketch. A nil Failures has no errors.
func (f *Failures) Of(sketch []uint64) error {
	if f == nil || len(sketch) == 0 || len(sketch) >= f.words {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.all[sketch[0]]
}

// Before returns a judge that stops with an error at the first record whose sketch failed.
func (f *Failures) Before(judge stream.Judge) stream.Judge {
	if f == nil {
		return judge
	}
	decide := judge.Decide
	judge.Decide = func(b stream.Batch, out []stream.Verdict) (judged int, err error) {
		i, failed := f.first(b, len(out))
		if failed == nil {
			return decide(b, out)
		}
		if i > 0 {
			if judged, err = decide(b.Slice(0, i), out[:i]); err != nil {
				return judged, err
			}
		}
		return i, failed
	}
	return judge
}

// first returns the first record of a batch whose sketch failed, and its error.
func (f *Failures) first(b stream.Batch, records int) (i int, err error) {
	for ; i < records && err == nil; i++ {
		err = f.Of(b.Sketch(i))
	}
	return i - 1, err
}
