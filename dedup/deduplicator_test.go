package dedup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/dedup"
	"github.com/mithril-stream/mithril-stream/internal/command"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

func ExampleDeduplicator() {
	d, err := dedup.Open(dedup.Options{Exact: true, Threshold: .7})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	for _, text := range crawl {
		v, err := d.Add(text)
		if err != nil {
			panic(err)
		}
		fmt.Println(v.Duplicate, v.Original)
	}
	v, err := d.Seen("The clock in the tower has three hands!")
	fmt.Println(v.Duplicate, v.Original, err)
	// Output:
	// false -1
	// true 0
	// false -1
	// false -1
	// true 2
	// true 3 <nil>
}

// opened is a Deduplicator that is closed at the end of the test.
func opened(t *testing.T, o dedup.Options) *dedup.Deduplicator {
	t.Helper()
	d, err := dedup.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// unseen adds texts and returns those that are no duplicates.
func unseen(t *testing.T, d *dedup.Deduplicator, texts []string) (new []string) {
	t.Helper()
	for _, text := range texts {
		v, err := d.Add(text)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Duplicate {
			new = append(new, text)
		}
	}
	return new
}

// added adds texts to what the options remember, commits, and returns those that are no duplicates.
func added(t *testing.T, o dedup.Options, texts []string) []string {
	t.Helper()
	d := opened(t, o)
	new := unseen(t, d, texts)
	if err := errors.Join(d.Commit(), d.Close()); err != nil {
		t.Fatal(err)
	}
	return new
}

// program runs the program, in this process.
func program(t *testing.T, args ...string) {
	t.Helper()
	parsed, err := config.Parse(args, "test", io.Discard)
	if err == nil {
		nowhere, failed := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err = failed; err == nil {
			defer nowhere.Close()
			std := files.Standard()
			std.Out = files.StdoutOf(nowhere)
			err = command.Run(context.Background(), parsed, std)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// written writes texts as JSON Lines, and returns the path.
func written(t *testing.T, texts []string) string {
	t.Helper()
	var lines bytes.Buffer
	for _, text := range texts {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// filtered has the program filter a file with an index, and returns the texts that it kept.
func filtered(t *testing.T, index, in string, flags ...string) (kept []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	program(t, append(flags, "-q", "--index", index, "--repeat", "replay", "-o", out, in)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var record struct{ Text string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, record.Text)
	}
	return kept
}

// An index belongs to the program and to this package alike: each goes on with what the other one
// has written, whoever begins it.
func TestIndexIsThatOfTheProgram(t *testing.T) {
	for _, c := range []struct {
		o     dedup.Options
		flags []string
	}{
		{dedup.Options{}, nil},
		{dedup.Options{Threshold: .7, Capacity: 5000}, []string{"--threshold", ".7", "--capacity", "5000"}},
		{dedup.Options{Exact: true}, []string{"--memory", "exact"}},
		{dedup.Options{Exact: true, Threshold: .6}, []string{"--memory", "exact", "--threshold", ".6"}},
	} {
		for _, begins := range []string{"package", "program"} {
			t.Run(fmt.Sprint(begins, c.flags), func(t *testing.T) {
				c.o.Index = filepath.Join(t.TempDir(), "seen")
				if begins == "program" {
					first := written(t, numbered(0, 20))
					if kept := filtered(t, c.o.Index, first, c.flags...); len(kept) != 20 {
						t.Fatalf("%d of 20 kept", len(kept))
					}
				}
				if new := added(t, c.o, numbered(0, 50)); begins == "package" && len(new) != 50 ||
					begins == "program" && !slices.Equal(new, numbered(20, 50)) {
					t.Errorf("%d texts are new to the package", len(new))
				}
				in := written(t, numbered(30, 80))
				for range 2 { // the second time it is repeated, since it is the same run
					if kept := filtered(t, c.o.Index, in, c.flags...); !slices.Equal(kept, numbered(50, 80)) {
						t.Errorf("the program kept %d of 30 new texts", len(kept))
					}
				}
				if new := added(t, c.o, numbered(60, 100)); !slices.Equal(new, numbered(80, 100)) {
					t.Errorf("%d of 20 texts are new to the package", len(new))
				}
				if kept := filtered(t, c.o.Index, in, c.flags...); !slices.Equal(kept, numbered(50, 80)) {
					t.Errorf("the program repeats its run and keeps %d of 30 texts", len(kept))
				}
				program(t, "index", "verify", c.o.Index)
			})
		}
	}
}

// TestOriginalsOfAnIndex: positions are counted since the index was begun, and the program names
// the same records.
func TestOriginalsOfAnIndex(t *testing.T) {
	o := dedup.Options{Exact: true, Index: filepath.Join(t.TempDir(), "seen")}
	added(t, o, append([]string{" "}, numbered(0, 10)...)) // a blank text has a position too
	originals := filepath.Join(t.TempDir(), "originals.jsonl")
	in := written(t, append(numbered(100, 103), numbered(4, 5)...))
	filtered(t, o.Index, in, "--memory", "exact", "--originals", originals)
	text, err := os.ReadFile(originals)
	if err != nil || !strings.Contains(string(text), `"dedup:6"`) {
		t.Errorf("%s, %v: the fifth text is the sixth that was added", text, err)
	}
	d := opened(t, o)
	for text, want := range map[string]int{numbered(4, 5)[0]: 5, numbered(101, 102)[0]: 12} {
		if v, err := d.Seen(text); err != nil || v.Original != want || v.Similarity != 1 {
			t.Errorf("%+v, %v, want the original %d", v, err, want)
		}
	}
}

// What was not committed is forgotten, and asking adds nothing.
func TestCommit(t *testing.T) {
	for _, exact := range []bool{false, true} {
		o := dedup.Options{Exact: exact, Capacity: 1000, Index: filepath.Join(t.TempDir(), "seen")}
		d := opened(t, o)
		for _, text := range numbered(0, 10) {
			for range 2 {
				if v, err := d.Seen(text); err != nil || v.Duplicate || v.Original != -1 {
					t.Errorf("exact %v: %+v, %v before it was added", exact, v, err)
				}
			}
		}
		if new := unseen(t, d, numbered(0, 10)); len(new) != 10 {
			t.Errorf("%d of 10", len(new))
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		unseen(t, d, numbered(10, 20))
		for _, text := range numbered(0, 20) {
			if v, err := d.Seen(text); err != nil || !v.Duplicate {
				t.Errorf("exact %v: %+v, %v after it was added", exact, v, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Add("after the end"); !errors.Is(err, dedup.ErrClosed) {
			t.Error(err)
		}
		if _, err := d.Seen("after the end"); !errors.Is(err, dedup.ErrClosed) {
			t.Error(err)
		}
		if err := d.Commit(); !errors.Is(err, dedup.ErrClosed) {
			t.Error(err)
		}
		if new := added(t, o, numbered(0, 20)); !slices.Equal(new, numbered(10, 20)) {
			t.Errorf("exact %v: %d texts were forgotten, want the 10 that were not committed", exact, len(new))
		}
	}
}

// Several goroutines add the same texts, three times each: only one of the three is new.
func TestManyGoroutines(t *testing.T) {
	texts := numbered(0, 300)
	for _, exact := range []bool{false, true} {
		d := opened(t, dedup.Options{Exact: exact, Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000})
		var new atomic.Int64
		var all sync.WaitGroup
		for first := range 3 {
			all.Go(func() {
				for i := range texts {
					text := texts[(i*7+first*100)%len(texts)]
					v, err := d.Add(text)
					if err != nil {
						t.Error(err)
					}
					if !v.Duplicate {
						new.Add(1)
					}
					if v, err := d.Seen(text); err != nil || !v.Duplicate {
						t.Errorf("%+v, %v", v, err)
					}
				}
				if err := d.Commit(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if new.Load() != int64(len(texts)) {
			t.Errorf("exact %v: %d of %d texts are new", exact, new.Load(), len(texts))
		}
	}
}

// A memory that is full says so, and still knows what it has.
func TestFullMemory(t *testing.T) {
	for _, exact := range []bool{false, true} {
		d := opened(t, dedup.Options{Exact: exact, MaxMemory: 200_000})
		texts, taken := numbered(0, 3000), 0
		var short *dedup.MemoryError
		for ; taken < len(texts) && short == nil; taken++ {
			if _, err := d.Add(texts[taken]); err != nil && !errors.As(err, &short) {
				t.Fatal(err)
			}
		}
		if short == nil || taken < 100 {
			t.Fatalf("exact %v: %d texts, %v", exact, taken, short)
		}
		if v, err := d.Seen(texts[5]); err != nil || !v.Duplicate {
			t.Errorf("exact %v: %+v, %v", exact, v, err)
		}
		if _, err := d.Add(texts[taken]); !errors.As(err, &short) {
			t.Errorf("exact %v: %v for one more", exact, err)
		}
	}
}

// An index that a run or a consumer goes on with is left alone.
func TestIndexInUse(t *testing.T) {
	for meta, says := range map[string]string{
		`{"stats":{"Complete":false,"Records":7}}`: "its last run stopped after 7 records",
		`{"kafka_consumer":{"group":"crawlers"}}`:  "the index of a consumer of group crawlers",
		`{"stats":`: "what its last run has left cannot be read",
	} {
		o := dedup.Options{Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000}
		added(t, o, numbered(0, 3))
		p, identity, err := bloomlsh.ReadParameters(o.Index)
		if err != nil {
			t.Fatal(err)
		}
		store, err := bloomlsh.Open(o.Index, p, identity)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Commit(bloomlsh.Position{Meta: []byte(meta)}), store.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = dedup.Open(o)
		var refused *dedup.IOError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, not %s", err, says)
		}
	}
}

// Filter writes to the same index.
func TestFilterOfAnIndex(t *testing.T) {
	for _, exact := range []bool{false, true} {
		o := dedup.Options{Exact: exact, Index: filepath.Join(t.TempDir(), "seen"), Capacity: 1000}
		added(t, o, numbered(0, 20))
		in, err := os.Open(written(t, numbered(10, 40)))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		counts, err := dedup.Filter(context.Background(), in, io.Discard, "text", o)
		if err != nil || counts.Records != 30 || counts.Duplicates != 10 {
			t.Errorf("exact %v: %+v, %v", exact, counts, err)
		}
		if new := added(t, o, numbered(0, 41)); len(new) != 1 {
			t.Errorf("exact %v: %d texts are new", exact, len(new))
		}
	}
}
