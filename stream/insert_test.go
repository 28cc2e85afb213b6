package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// inserter writes what it is told.
type inserter struct {
	ticks chan time.Time
	due   int
}

func (t *inserter) Before(dst, record []byte) []byte { return fmt.Appendf(dst, "before %s\n", record) }
func (t *inserter) Ticks() <-chan time.Time          { return t.ticks }
func (t *inserter) Due(dst []byte) []byte            { t.due++; return fmt.Appendln(dst, "due", t.due) }
func (t *inserter) End(dst []byte) []byte            { return append(dst, "end\n"...) }

func (t *inserter) inserting() *Inserter {
	return &Inserter{Before: t.Before, Ticks: t.Ticks, Due: t.Due, End: t.End}
}

// inserting are the options of a run over lines, of which none is a duplicate.
func inserting(in Input, out io.Writer, of *inserter) Options {
	return Options{
		Source: Source{Inputs: []Input{in}, Format: Text("\n"), MaxRecord: 20}, Method: Method{Judge: KeepAll()},
		Outputs: Outputs{Output: out, Links: Links{Insert: of.inserting()}}, Threads: 2,
	}
}

// Each record that is judged is told once, before it is written, however it is read (I2): one that
// is too long by nothing.
func TestInserterIsToldOfEachRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,30}`), 0, 20).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		read := func(sizes []int) string {
			var out bytes.Buffer
			in := Input{Name: "lines", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(&inSizes{text: []byte(text), sizes: sizes}), nil
			}}
			run, err := New(inserting(in, &out, &inserter{}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Do(context.Background()); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		all := read([]int{1 << 20})
		if got := read(rapid.SliceOfN(rapid.IntRange(1, 9), 1, 4).Draw(t, "sizes")); got != all {
			t.Fatalf("%q, and read at once %q", got, all)
		}
		if text == "" {
			lines = nil
		} else if strings.HasSuffix(text, "\n") {
			lines = lines[:len(lines)-1]
		}
		rest, ended := strings.CutSuffix(all, "end\n")
		for _, line := range lines {
			var before string
			before, rest, _ = strings.Cut(rest, "\n")
			began, isBefore := strings.CutPrefix(before, "before ")
			if len(line) > 20 && began == "" {
				began = line
			}
			if !isBefore || began != line {
				t.Fatalf("%q before %q", before, line)
			}
			var isThere bool
			if rest, isThere = strings.CutPrefix(rest, line+"\n"); !isThere {
				t.Fatalf("%q does not begin with %q", rest, line)
			}
		}
		if rest != "" || !ended {
			t.Fatalf("%q is left of %q", rest, all)
		}
	})
}

// inSizes reads a text in pieces of some sizes, in turns.
type inSizes struct {
	text  []byte
	sizes []int
	read  int
}

func (r *inSizes) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.sizes[r.read%len(r.sizes)])], r.text)
	r.text, r.read = r.text[n:], r.read+1
	return n, nil
}

// What is due is on its way while no record comes.
func TestInserterIsAskedWhileThereIsNothing(t *testing.T) {
	inputR, inputW := io.Pipe()
	outR, outW := io.Pipe()
	of := &inserter{ticks: make(chan time.Time)}
	in := Input{Name: "pipe", Open: func() (io.ReadCloser, error) { return inputR, nil }}
	run, err := New(inserting(in, outW, of))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := run.Do(context.Background())
		done <- err
	}()
	read := func(want string) {
		t.Helper()
		buf := make([]byte, len(want))
		if _, err := io.ReadFull(outR, buf); err != nil || string(buf) != want {
			t.Fatalf("%q, %v, want %q", buf, err, want)
		}
	}
	if _, err := io.WriteString(inputW, "a\n"); err != nil {
		t.Fatal(err)
	}
	read("before a\na\n")
	of.ticks <- time.Time{}
	read("due 1\n")
	of.ticks <- time.Time{}
	read("due 2\n")
	if err := inputW.Close(); err != nil {
		t.Fatal(err)
	}
	read("end\n")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// An Inserter is refused where records have no place for its own.
func TestInserterIsRefused(t *testing.T) {
	for name, change := range map[string]func(o *Options){
		"array":    func(o *Options) { o.Array = true },
		"annotate": func(o *Options) { o.Annotate = true },
		"frame":    func(o *Options) { o.Format = JSONArray(nil) },
	} {
		o := inserting(Input{Open: func() (io.ReadCloser, error) { return nil, nil }}, io.Discard, &inserter{})
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "Insert") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
