package stream

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// foreseeing is an index that wants to know what it will be asked.
type foreseeing struct {
	keySet
	due    []Key // foreseen and not observed
	groups int
	most   int // keys at once
	fails  error
	blind  bool // it does not want to know
}

func (f *foreseeing) CanPrefetch() bool { return !f.blind }

func (f *foreseeing) Prefetch(keys []Key) error {
	if len(f.due) > 0 {
		return errors.New("more is foreseen before all was observed")
	}
	f.due = append(f.due, keys...)
	f.groups++
	f.most = max(f.most, len(keys))
	return f.fails
}

func (f *foreseeing) Observe(keys []Key, votes []uint16) (int, error) {
	if len(f.due) < len(keys) {
		return 0, errors.New("records are observed that were not foreseen")
	}
	for i, key := range keys {
		if f.due[i] != key {
			return 0, errors.New("other records are observed than were foreseen")
		}
	}
	f.due = f.due[len(keys):]
	return f.keySet.Observe(keys, votes)
}

// plainIndex is asked without having foreseen anything.
type plainIndex struct{ *foreseeing }

func (p plainIndex) Observe(keys []Key, votes []uint16) (int, error) {
	return p.keySet.Observe(keys, votes)
}

// A judge that wants to know which records come next is told all of them, in order, in groups that
// are as large as the batches that are there. What leaves is the same.
func TestRecordsArePrefetched(t *testing.T) {
	input := strings.Repeat(family(0, 40)+family(1, 700)+"{\n", 60)
	var want bytes.Buffer
	if _, err := do(testOptions(t, strings.NewReader(input), &want)); err != nil {
		t.Fatal(err)
	}
	for _, ahead := range []int64{1, 2 * blockSize, 7 * blockSize, 40 * blockSize} {
		for _, threads := range []int{1, 3} {
			var out bytes.Buffer
			index := &foreseeing{keySet: keySet{}}
			opts := testOptions(t, strings.NewReader(input), &out)
			opts.Method.Judge, opts.Ahead, opts.Threads = byVotes(index, 1), ahead, threads
			if _, err := do(opts); err != nil {
				t.Fatal(err)
			}
			if out.String() != want.String() || len(index.due) > 0 || index.groups == 0 {
				t.Errorf("ahead %d: the output differs, or %d keys are left, after %d groups", ahead, len(index.due),
					index.groups)
			}
		}
	}
	blind := &foreseeing{keySet: keySet{}, blind: true}
	opts := testOptions(t, strings.NewReader(input), &bytes.Buffer{})
	opts.Method.Judge, opts.Ahead = byVotes(plainIndex{blind}, 1), 40*blockSize
	if _, err := do(opts); err != nil || blind.groups > 0 {
		t.Errorf("%d groups are foreseen by a judge that does not want to know them, %v", blind.groups, err)
	}
	opts = testOptions(t, strings.NewReader(input), &bytes.Buffer{})
	broken := errors.New("the disk is gone")
	opts.Method.Judge, opts.Ahead = byVotes(&foreseeing{keySet: keySet{}, fails: broken}, 1), 4*blockSize
	if _, err := do(opts); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
