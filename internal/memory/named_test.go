package memory

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A said is a memory that knows one record, with a fixed similarity.
type said struct {
	Searcher
	own    Match
	failed error
}

func (s said) Query(_ []uint64, matches []Match) error {
	for i := range matches {
		matches[i] = Closer(matches[i], s.own)
	}
	return s.failed
}

func (s said) Close() error { return s.failed }

func othersOf(all ...said) (o Others) {
	for _, s := range all {
		n := &Named{Searcher: s, file: s}
		for record := range uint64(3) {
			_ = n.Names.Observe(&stream.Decided{Input: fmt.Sprint("of ", len(o)+1), Record: record + 1})
		}
		o = append(o, n)
	}
	return o
}

func (s said) ReadAt([]byte, int64) (int, error) { return 0, nil }

// TestOthersSayWhoseRecordItIs checks that the most similar record is returned with its memory and,
// among equals, that of the first memory.
func TestOthersSayWhoseRecordItIs(t *testing.T) {
	near, nearer := Match{Record: 2, Similarity: .8}, Match{Record: 3, Similarity: .9}
	for _, c := range []struct {
		others Others
		want   Match
		name   string
	}{
		{othersOf(), Match{}, "null"},
		{othersOf(said{}, said{}), Match{}, "null"},
		{othersOf(said{own: near}, said{own: near}), Match{Record: 2, Similarity: .8, Memory: 1}, `"of 1:2"`},
		{othersOf(said{own: near}, said{own: nearer}), Match{Record: 3, Similarity: .9, Memory: 2}, `"of 2:3"`},
		{othersOf(said{own: nearer}, said{own: near}, said{}), Match{Record: 3, Similarity: .9, Memory: 1}, `"of 1:3"`},
	} {
		matches := []Match{{Record: 9, Similarity: 1}} // results from before do not count
		if err := c.others.Query(nil, matches); err != nil || matches[0] != c.want {
			t.Errorf("%v, %v, want %v", matches[0], err, c.want)
		}
		if got := string(c.others.AppendName(nil, &Names{}, matches[0].Original())); got != c.name {
			t.Errorf("%v is called %s, want %s", matches[0], got, c.name)
		}
	}
}

// TestOriginalsThatAreNotThere checks that made-up numbers from another program have no name and do
// no harm.
func TestOriginalsThatAreNotThere(t *testing.T) {
	o, own := othersOf(said{}), &Names{}
	if err := own.Observe(&stream.Decided{Input: "own", Record: 7}); err != nil {
		t.Fatal(err)
	}
	for original, want := range map[uint64]string{
		1: `"own:7"`, 1<<originalShift | 3: `"of 1:3"`,
		0: "null", 2: "null", 1 << originalShift: "null", 1<<originalShift | 4: "null", 2<<originalShift | 1: "null",
		1<<64 - 1: "null",
	} {
		if got := string(o.AppendName(nil, own, original)); got != want || o.Has(own, original) != (want != "null") {
			t.Errorf("%x is called %s, want %s", original, got, want)
		}
	}
}

// TestOthersFail checks that all memories are closed and that their errors are returned.
func TestOthersFail(t *testing.T) {
	o := othersOf(said{}, said{failed: errors.New("broken")})
	if err := o.Query(nil, make([]Match, 1)); err == nil {
		t.Error("a memory that fails answers")
	}
	if err := o.Close(); err == nil {
		t.Error("an error of closing is lost")
	}
}
