package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// files makes an input of each text.
func files(texts []string, sizes []int, terminator string, asJSON bool) []Input {
	inputs := make([]Input, len(texts))
	for i, text := range texts {
		inputs[i] = FileRecord(Input{Name: fmt.Sprintf("%d.txt", i), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(&chunks{data: []byte(text), sizes: sizes}), nil
		}}, terminator, 4000, asJSON)
	}
	return inputs
}

// TestAFileIsJudgedLikeALine is that a record a file gives the verdicts of the same texts as JSON
// Lines, and is written as its name, or as JSON.
func TestAFileIsJudgedLikeALine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 30)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 4).Draw(rt, "read sizes")
		_, want, _, _ := formatRun(rt, documents(rt, texts)[0], 4000, sizes, nil)
		for _, asJSON := range []bool{false, true} {
			var out, flags bytes.Buffer
			opts := testOptions(t, nil, &out)
			opts.Inputs, opts.Format, opts.Sinks = files(texts, sizes,
				"\x00", asJSON), WholeFile(), []Sink{Flags(&flags)}
			if _, err := do(opts); err != nil {
				rt.Fatal(err)
			}
			var kept strings.Builder
			for i, flag := range strings.Fields(want) {
				switch {
				case flag == "0":
				case asJSON:
					text, _ := json.Marshal(texts[i])
					var again string
					json.Unmarshal(text, &again)
					fmt.Fprintf(&kept, "{\"file\":\"%d.txt\",\"text\":%s}\n", i,
						jsontext.AppendQuoted(nil, []byte(again)))
				default:
					fmt.Fprintf(&kept, "%d.txt\x00", i)
				}
			}
			if flags.String() != want || out.String() != kept.String() {
				rt.Fatalf("flags %q, want %q; output %q, want %q", flags.String(), want, out.String(), kept.String())
			}
		}
	})
}

// TestAFileThatCannotBeReadIsARecord, so that there is a flag for each file.
func TestAFileThatCannotBeReadIsARecord(t *testing.T) {
	failing := errors.New("bad sector")
	open := func(r io.Reader, err error) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(r), err }
	}
	var out, flags, rejects bytes.Buffer
	opts := testOptions(t, nil, &out)
	opts.Inputs, opts.Format, opts.Sinks, opts.Rejects, opts.MaxRecord = nil, WholeFile(), []Sink{Flags(&flags)},
		&rejects, 9
	for _, in := range []Input{
		{Name: "a", Open: open(strings.NewReader("one"), nil)},
		{Name: "broken", Open: open(io.MultiReader(strings.NewReader("on"), iotest.ErrReader(failing)), nil)},
		{Name: "missing", Open: open(nil, failing)},
		{Name: "long", Open: open(strings.NewReader("one and two"), nil)},
		{Name: "empty", Open: open(strings.NewReader(""), nil)},
		{Name: "b", Open: open(strings.NewReader("One!"), nil)},
	} {
		opts.Inputs = append(opts.Inputs, FileRecord(in, "\n", opts.MaxRecord, false))
	}
	var lost []string
	opts.OnLost = func(p Place) { lost = append(lost, p.String()) }
	stats, err := do(opts)
	if err != nil || flags.String() != "1\n1\n1\n1\n1\n0\n" || out.String() != "a\nbroken\nmissing\nlong\nempty\n" ||
		rejects.String() != "broken\nmissing\nlong\n" {
		t.Errorf("%v: flags %q, output %q, rejects %q", err, flags.String(), out.String(), rejects.String())
	}
	if fmt.Sprint(lost) != "[broken: bad sector missing: bad sector]" || stats.Empty != 1 ||
		stats.FirstReject.String() != "broken: the file cannot be read to its end" {
		t.Errorf("%q, %+v, %v", lost, stats, stats.FirstReject)
	}
}

func TestARunOverFilesIsResumed(t *testing.T) {
	texts := []string{"one", "two", "", "three", "four"}
	var taken []Stats
	var whole bytes.Buffer
	opts := testOptions(t, nil, &whole)
	opts.Inputs, opts.Format = files(texts, []int{2}, "\n", false), WholeFile()
	opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error { taken = append(taken, s); return nil }}
	if _, err := do(opts); err != nil || len(taken) != len(texts) {
		t.Fatalf("%d checkpoints, %v", len(taken), err)
	}
	for _, from := range taken {
		out := bytes.NewBuffer(bytes.Clone(whole.Bytes()[:from.Written.Output]))
		opts := testOptions(t, nil, out)
		opts.Inputs, opts.Format, opts.From = files(texts, []int{3}, "\n", false), WholeFile(), from
		if _, err := do(opts); err != nil || out.String() != whole.String() {
			t.Errorf("resumed after %d: %v, %q", from.Records, err, out.String())
		}
	}
	texts[1] = "another"
	opts.Inputs, opts.From = files(texts, []int{3}, "\n", false), taken[1]
	if _, err := do(opts); err == nil || !strings.Contains(err.Error(), "1.txt does not begin like the input") {
		t.Errorf("with another file: %v", err)
	}
}
