package dedup_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/dedup"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
)

var crawl = []string{
	"The river rises in a meadow north of the hill.",
	"the river rises in a meadow, north of the hill",
	"...",
	"The clock in the tower has three hands.",
	"...",
}

func ExampleUnique() {
	for text, err := range dedup.Unique(slices.Values(crawl), dedup.Options{}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(text)
	}
	// Output:
	// The river rises in a meadow north of the hill.
	// ...
	// The clock in the tower has three hands.
}

func ExampleVerdicts() {
	i := 0
	for v, err := range dedup.Verdicts(slices.Values(crawl), dedup.Options{Exact: true, Threshold: .7}) {
		if err != nil {
			panic(err)
		}
		if v.Duplicate {
			fmt.Printf("text %d resembles text %d: %.2f\n", i, v.Original, v.Similarity)
		}
		i++
	}
	// Output:
	// text 1 resembles text 0: 1.00
	// text 4 resembles text 2: 1.00
}

// collected are the texts that are yielded.
func collected(t *testing.T, texts iter.Seq2[string, error]) []string {
	t.Helper()
	var all []string
	for text, err := range texts {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// numbered are texts that differ in each word.
func numbered(from, to int) []string {
	var texts []string
	for i := from; i < to; i++ {
		var b strings.Builder
		for j := range 30 {
			fmt.Fprintf(&b, "w%d_%d ", i, j)
		}
		texts = append(texts, b.String())
	}
	return texts
}

// What a directory remembers is what was yielded by a loop that came to its end.
func TestIndexRemembersWhatWasRead(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000}
	if got := collected(t, dedup.Unique(slices.Values(numbered(0, 50)), o)); len(got) != 50 {
		t.Fatalf("%d of 50 new texts", len(got))
	}
	for range dedup.Unique(slices.Values(numbered(50, 80)), o) {
		break
	}
	if got := collected(t, dedup.Unique(slices.Values(numbered(30, 80)), o)); !slices.Equal(got, numbered(50, 80)) {
		t.Errorf("after a loop that was left: %d texts, not the 30 that were never yielded", len(got))
	}
	if got := collected(t, dedup.Unique(slices.Values(numbered(0, 80)), o)); len(got) != 0 {
		t.Errorf("%d texts were not remembered", len(got))
	}
	records := uint64(0)
	err := index.Read(o.Index, func(from *index.Snapshot) error {
		records = from.Committed().Records
		return exact.VerifyIndex(from)
	})
	if err != nil || records != 180 {
		t.Errorf("%d records, %v", records, err)
	}
}

// A sequence can be iterated again: it begins anew.
func TestSequenceBeginsAnew(t *testing.T) {
	unique := dedup.Unique(slices.Values(crawl), dedup.Options{})
	if first, second := collected(t, unique), collected(t, unique); !slices.Equal(first, second) || len(first) != 3 {
		t.Errorf("%q, then %q", first, second)
	}
}

func TestOptionsThatMeanNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for says, o := range map[string]dedup.Options{
		"a threshold of 1.5": {Threshold: 1.5},
		"a threshold of -1":  {Threshold: -1},
		"not a directory":    {Index: file},
	} {
		var got error
		for text, err := range dedup.Unique(slices.Values(crawl), o) {
			if got = err; text != "" {
				t.Errorf("%s: %q", says, text)
			}
		}
		if got == nil || !strings.Contains(got.Error(), says) {
			t.Errorf("%v, not %s", got, says)
		}
	}
}

// An index of another rule, or one that is in use, is refused.
func TestIndexOfOthers(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen")}
	collected(t, dedup.Unique(slices.Values(crawl), o))
	for _, err := range dedup.Unique(slices.Values(crawl), dedup.Options{Index: o.Index, Threshold: .5}) {
		if !errors.Is(err, bloomlsh.ErrParameters) {
			t.Error(err)
		}
	}
	next, stop := iter.Pull2(dedup.Unique(slices.Values(numbered(0, 9)), o))
	defer stop()
	if _, err, _ := next(); err != nil {
		t.Fatal(err)
	}
	for _, err := range dedup.Unique(slices.Values(crawl), o) {
		if !errors.Is(err, bloomlsh.ErrLocked) {
			t.Error(err)
		}
	}
}

// TestInputsThatFail: an error of the input is not taken for its end, so what was read before it is
// not remembered as though all had been.
func TestInputsThatFail(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000}
	broken := errors.New("the connection was lost")
	failing := func(yield func(string, error) bool) {
		for _, text := range numbered(0, 20) {
			if !yield(text, nil) {
				return
			}
		}
		yield("half of a te", broken)
	}
	var kept []string
	var ends []error
	for text, err := range dedup.UniqueSeq2(failing, o) {
		if err != nil {
			ends = append(ends, err)
		} else {
			kept = append(kept, text)
		}
	}
	var failed *dedup.IOError
	if len(ends) != 1 || !errors.Is(ends[0], broken) || !errors.As(ends[0], &failed) || failed.Of != "input" {
		t.Errorf("it ends with %v", ends)
	}
	if !slices.Equal(kept, numbered(0, 20)) {
		t.Errorf("%d of 20 texts were yielded", len(kept))
	}
	if again := collected(t, dedup.Unique(slices.Values(numbered(0, 20)), o)); len(again) != 20 {
		t.Errorf("%d of 20 texts are new after a sequence that failed", len(again))
	}
	for v, err := range dedup.VerdictsSeq2(failing, dedup.Options{Exact: true}) {
		if err != nil && (!errors.Is(err, broken) || v.Original != -1) {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// Texts without a normal form are equal if their bytes are, in both memories.
func TestTextsOfSymbols(t *testing.T) {
	texts := []string{"* * *", "- - -", "🎉", "* * *", "🎉", "", "", " "}
	for _, o := range []dedup.Options{{}, {Exact: true}} {
		var kept []string
		for text, err := range dedup.Unique(slices.Values(texts), o) {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, text)
		}
		if want := []string{"* * *", "- - -", "🎉", "", "", " "}; !slices.Equal(kept, want) {
			t.Errorf("%+v keeps %q, want %q", o, kept, want)
		}
	}
}

// A panic in the body of a loop, or in what yields the texts, leaves the index as it was, and gives
// back its lock.
func TestAPanicGivesBackTheIndex(t *testing.T) {
	texts := []string{"the quick brown fox jumps over the lazy dog", "nothing like it was seen before these words"}
	failing := func(yield func(string) bool) {
		yield(texts[0])
		panic("mine")
	}
	for name, loop := range map[string]func(dedup.Options){
		"in the body": func(o dedup.Options) {
			for range dedup.Unique(slices.Values(texts), o) {
				panic("mine")
			}
		},
		"in the body of verdicts": func(o dedup.Options) {
			for range dedup.Verdicts(slices.Values(texts), o) {
				panic("mine")
			}
		},
		"in the texts": func(o dedup.Options) {
			for range dedup.Unique(failing, o) {
				continue
			}
		},
		"in the goroutine": func(o dedup.Options) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range dedup.Unique(slices.Values(texts), o) {
					runtime.Goexit()
				}
			}()
			<-done
			panic("mine")
		},
	} {
		o := dedup.Options{Index: filepath.Join(t.TempDir(), "index")}
		func() {
			defer func() {
				if got := recover(); got != "mine" {
					t.Errorf("%s: %v", name, got)
				}
			}()
			loop(o)
		}()
		left := 0
		for _, err := range dedup.Unique(slices.Values(texts), o) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			left++
		}
		if left != 2 {
			t.Errorf("%s: %d texts are left", name, left)
		}
	}
}
