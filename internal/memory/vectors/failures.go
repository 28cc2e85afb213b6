package vectors

import (
	"sync"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Failures are the reasons for which sketches could not be made, other than for what a text is.
// Such an error belongs to a record: all before it are judged and written, as if it were an error
// of reading. So the sketch of the record is the number of the error, in fewer words than others
// have. They may be noted by several goroutines.
type Failures struct {
	words int // of any other sketch, at least

	mutex sync.Mutex
	all   []error
}

// NewFailures is for sketches of so many words or more, at least two.
func NewFailures(words int) *Failures { return &Failures{words: words} }

// Add notes an error, and returns its number.
func (f *Failures) Add(err error) uint64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.all = append(f.all, err)
	return uint64(len(f.all) - 1)
}

// Of is the error that a sketch stands for, nil for other sketches. It may have words at its end
// that others have appended. No failures have no errors.
func (f *Failures) Of(sketch []uint64) error {
	if f == nil || len(sketch) == 0 || len(sketch) >= f.words {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.all[sketch[0]]
}

// Before returns a judge that stops at the first record that has no sketch for an error.
func (f *Failures) Before(judge stream.Judge) stream.Judge {
	if f == nil {
		return judge
	}
	return failingJudge{f, judge}
}

type failingJudge struct {
	failures *Failures
	judge    stream.Judge
}

// Judge judges the records before the one with an error.
func (j failingJudge) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		failed := j.failures.Of(b.Sketch(i))
		if failed == nil {
			continue
		}
		if i > 0 {
			if judged, err = j.judge.Judge(b.Slice(0, i), out[:i]); err != nil {
				return judged, err
			}
		}
		return i, failed
	}
	return j.judge.Judge(b, out)
}
