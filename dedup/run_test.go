package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/dedup"
)

// verdictsOf are the verdicts about texts; text is left out of them.
func verdictsOf(t *testing.T, o dedup.Options, texts []string) (list []dedup.Verdict) {
	t.Helper()
	for v, err := range dedup.Verdicts(slices.Values(texts), o) {
		if err != nil {
			t.Fatal(err)
		}
		v.Text = ""
		list = append(list, v)
	}
	return list
}

// refusedRun fails unless an error is one of Options.Run that says something.
func refusedRun(t *testing.T, err error, says string) {
	t.Helper()
	var refused *dedup.ConfigError
	if !errors.As(err, &refused) || refused.Option != "Run" || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, which does not say of Run: %s", err, says)
	}
}

// lastError is the error that a sequence ends with.
func lastError(o dedup.Options, texts []string) (last error) {
	for _, err := range dedup.Unique(slices.Values(texts), o) {
		last = err
	}
	return last
}

// A run that is done again gets the verdicts of the first time, whatever came between, and changes
// nothing. Taken back it is a new one.
func TestRunIsRepeated(t *testing.T) {
	for _, exact := range []bool{false, true} {
		t.Run(fmt.Sprint("exact ", exact), func(t *testing.T) {
			o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Exact: exact, Capacity: 5000}
			named := func(name string) dedup.Options { o := o; o.Run = name; return o }
			added(t, o, numbered(0, 50))
			day := slices.Concat(numbered(40, 200), []string{"", " "}, numbered(100, 110))
			first := verdictsOf(t, named("monday"), day)
			if again := verdictsOf(t, named("monday"), day); !slices.Equal(again, first) {
				t.Errorf("again: %v, and at first: %v", again, first)
			}
			tuesday := verdictsOf(t, named("tuesday"), numbered(190, 210))
			added(t, o, numbered(210, 300))
			if again := verdictsOf(t, named("monday"), day); !slices.Equal(again, first) {
				t.Errorf("after a later run: %v, and at first: %v", again, first)
			}
			if again := verdictsOf(t, named("tuesday"), numbered(190, 210)); !slices.Equal(again, tuesday) {
				t.Errorf("the later one: %v, and at first: %v", again, tuesday)
			}
			if new := added(t, o, numbered(0, 310)); !slices.Equal(new, numbered(300, 310)) {
				t.Errorf("%d texts are new", len(new))
			}
			program(t, "index", "verify", o.Index)
			program(t, "index", "undo", o.Index)
			if new := verdictsOf(t, named("tuesday"), numbered(190, 211)); new[0] != tuesday[0] || new[20].Duplicate {
				t.Errorf("a run that was taken back: %v", new)
			}
		})
	}
}

// A run with other texts is refused, wherever they differ, and leaves the index as it was.
func TestRunOfOtherTexts(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Run: "2026-11-28"}
	day := numbered(0, 150)
	first := verdictsOf(t, o, day)
	swapped := slices.Clone(day)
	swapped[3], swapped[4] = swapped[4], swapped[3]
	changed := slices.Clone(day)
	changed[149] += " changed"
	for name, texts := range map[string][]string{
		"more": numbered(0, 151), "fewer": numbered(0, 149), "none": nil, "other order": swapped, "changed": changed,
		"more within a group": append(slices.Clone(day[:10]), numbered(500, 600)...),
	} {
		t.Run(name, func(t *testing.T) {
			refusedRun(t, lastError(o, texts), `the run "2026-11-28" (run 1, `)
			if again := verdictsOf(t, o, day); !slices.Equal(again, first) {
				t.Error("it has changed the index")
			}
		})
	}
}

// What is not committed is no run, and can be begun again with other texts.
func TestRunWithoutEnd(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Run: "a", Exact: true}
	for range dedup.Unique(slices.Values(numbered(0, 100)), o) {
		break
	}
	d := opened(t, o)
	unseen(t, d, numbered(50, 150))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if new := added(t, o, numbered(0, 80)); len(new) != 80 {
		t.Errorf("%d of 80 texts are new", len(new))
	}
}

// A Deduplicator with a Run gives only answers that can be repeated, and ends with Commit.
func TestDeduplicatorOfRun(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Run: "a", Exact: true}
	for range 2 {
		d := opened(t, o)
		if new := unseen(t, d, numbered(0, 70)); len(new) != 70 {
			t.Errorf("%d of 70 texts are new", len(new))
		}
		_, err := d.Seen("a text")
		refusedRun(t, err, "Seen has no answer")
		if err := errors.Join(d.Commit(), d.Commit()); err != nil {
			t.Error(err)
		}
		_, err = d.Add("a text")
		refusedRun(t, err, `the run "a" is complete`)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	o.Run = ""
	if d := opened(t, o); len(unseen(t, d, numbered(0, 71))) != 1 {
		t.Error("the second time has changed the index")
	}
}

// Filter writes the same records again, also where the run was begun text by text.
func TestFilterOfRun(t *testing.T) {
	for _, exact := range []bool{false, true} {
		o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Exact: exact}
		added(t, o, numbered(0, 20))
		o.Run = "day"
		texts := append(numbered(10, 100), numbered(30, 40)...)
		var in bytes.Buffer
		for _, text := range texts {
			fmt.Fprintf(&in, "{\"text\":%q}\n", text)
		}
		filter := func() string {
			var out bytes.Buffer
			if _, err := dedup.Filter(context.Background(), bytes.NewReader(in.Bytes()), &out, "text", o); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		first := filter()
		if strings.Count(first, "\n") != 80 || filter() != first || filter() != first {
			t.Errorf("exact %v: %s", exact, first)
		}
		if new := slices.Collect(maps.Keys(maps.Collect(dedup.Unique(slices.Values(texts), o)))); len(new) != 80 {
			t.Errorf("exact %v: %d texts are new, and not 80", exact, len(new))
		}
	}
}

// A name alone makes no run that could be repeated.
func TestRunNeedsIndexAndName(t *testing.T) {
	refusedRun(t, lastError(dedup.Options{Run: "a"}, nil), "give Options.Index")
	index := filepath.Join(t.TempDir(), "seen")
	refusedRun(t, lastError(dedup.Options{Run: "\xff", Index: index}, nil), "is not UTF-8")
	refusedRun(t, lastError(dedup.Options{Run: strings.Repeat("x", 2000), Index: index}, nil), "has 2000 bytes")
}

// The verdicts of the last 30 runs are kept, and an older one says so.
func TestRunsThatAreKept(t *testing.T) {
	o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000}
	for n := range 31 {
		o.Run = fmt.Sprint("run ", n)
		verdictsOf(t, o, numbered(n, n+1))
	}
	o.Run = "run 1"
	if again := verdictsOf(t, o, numbered(1, 2)); again[0].Duplicate {
		t.Error("the second of 31 runs is not repeated")
	}
	o.Run = "run 0"
	refusedRun(t, lastError(o, numbered(0, 1)), "its verdicts are no longer kept")
}
