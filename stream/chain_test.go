package stream

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A chainRecord is a record of the property test of chains.
type chainRecord struct {
	body string
	fate Fate
}

// chainRecords draws records of a format and the fates that they have when none is diverted.
func chainRecords(t *rapid.T, format string) (list []chainRecord) {
	n := rapid.IntRange(0, 30).Draw(t, "records")
	for i := range n {
		fate := rapid.SampledFrom([]Fate{Unseen, Unseen, Duplicate, Tolerated}).Draw(t, "fate")
		word := rapid.SampledFrom([]string{"gone", "edited", "left"}).Draw(t, "word")
		switch {
		case format == "text":
			list = append(list, chainRecord{fmt.Sprint(word, i), min(fate, Duplicate)})
		case fate == Tolerated:
			list = append(list, chainRecord{rapid.SampledFrom([]string{`{"n":1}`, `{"n":`}).Draw(t, "broken"), fate})
		default:
			list = append(list, chainRecord{fmt.Sprintf(`{"text":"%s%d"}`, word, i), fate})
		}
	}
	return list
}

// chainOptions are what is drawn of the links of a run.
type chainOptions struct {
	format                                            string
	convert, array, annotate, members, insert, divert bool
	edit                                              bool
	shard                                             uint64 // records of one; 0 if the output is not divided
}

func drawChain(t *rapid.T) (o chainOptions) {
	draw := func(name string) bool { return rapid.Bool().Draw(t, name) }
	o.format, o.divert = rapid.SampledFrom([]string{"jsonl", "text"}).Draw(t, "format"), draw("divert")
	if o.insert = draw("insert"); o.insert {
		return o
	}
	o.convert = draw("convert")
	o.edit = draw("edit")
	if o.convert || o.format == "jsonl" {
		o.annotate, o.array = !o.edit && draw("annotate"), draw("array")
		o.members = !o.annotate && draw("members")
	}
	o.shard = rapid.Uint64Range(0, 3).Draw(t, "records of a shard")
	return o
}

// chainOutputs are all that a run writes, and what its sinks are told.
type chainOutputs struct {
	Shards              []string
	Duplicates, Rejects string
	SinkData            []Fate
}

// editChain edits a record as both the run and its model do.
func editChain(body string) (edited string, changed bool) {
	switch {
	case strings.Contains(body, "gone"):
		return "", true
	case strings.Contains(body, "edited"):
		return strings.ToUpper(body), true
	}
	return body, false
}

// model says what a run with these options writes.
func (o chainOptions) model(records []chainRecord) (out chainOutputs) {
	shards, duplicates, rejects, inShard := [][]string{nil}, []string(nil), "", uint64(0)
	for i, r := range records {
		line, isWhole := r.body, !strings.HasSuffix(r.body, ":")
		if o.convert && o.format == "text" {
			line = `{"text":"` + line + `"}`
		}
		if r.fate == Tolerated && (o.divert || o.convert && !isWhole) {
			r.fate = Diverted
		}
		out.SinkData = append(out.SinkData, r.fate)
		leaves := r.fate == Unseen || r.fate == Tolerated || o.annotate && r.fate == Duplicate
		if leaves && o.shard > 0 && inShard == o.shard {
			shards, inShard = append(shards, nil), 0
		}
		last := &shards[len(shards)-1]
		if o.insert {
			*last = append(*last, "before "+r.body)
		}
		switch r.fate {
		case Duplicate:
			duplicates = append(duplicates, line)
		case Tolerated, Diverted:
			rejects += r.body + "\n"
		}
		if !leaves {
			continue
		}
		if inShard++; o.edit && r.fate == Unseen {
			line, _ = editChain(line)
		}
		members := ""
		switch {
		case o.annotate && r.fate != Tolerated:
			members = fmt.Sprintf(`,"mithril_duplicate":%t`, r.fate == Duplicate)
		case o.annotate && isWhole:
			members = `,"mithril_duplicate":null`
		case o.members && r.fate == Unseen:
			members = fmt.Sprintf(`,"mithril_n":%d`, i+1)
		}
		if line != "" {
			*last = append(*last, strings.TrimSuffix(line, "}")+members+line[len(strings.TrimSuffix(line, "}")):])
		}
	}
	if o.insert {
		shards[0] = append(shards[0], "end")
	}
	for _, s := range shards {
		out.Shards = append(out.Shards, o.framed(s))
	}
	out.Duplicates, out.Rejects = o.framed(duplicates), rejects
	return out
}

func (o chainOptions) framed(lines []string) string {
	if o.array {
		return "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	}
	return strings.Join(append(lines, ""), "\n")
}

// run does what the options say.
func (o chainOptions) run(t *rapid.T, records []chainRecord) (out chainOutputs) {
	var input strings.Builder
	for _, r := range records {
		input.WriteString(r.body + "\n")
	}
	sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(t, "sizes")
	var duplicates, rejects bytes.Buffer
	shards := []*bytes.Buffer{new(bytes.Buffer)}
	opts := testOptions(nopTB{}, &chunks{data: []byte(input.String()), sizes: sizes}, shards[0])
	if o.format == "text" {
		opts.Format = Text("\n")
	}
	if o.divert {
		opts.OnError = ErrorDivert
	}
	judged := 0
	opts.Method.NewSketcher = func() Sketcher { return oneWord{} }
	opts.Method.Judge = Judge{Decide: func(_ Batch, verdicts []Verdict) (int, error) {
		for i := range verdicts {
			verdicts[i] = Verdict{Duplicate: records[judged].fate == Duplicate}
			judged++
		}
		return len(verdicts), nil
	}}
	opts.Duplicates, opts.Rejects = &duplicates, &rejects
	opts.Sinks = []Sink{SinkFunc(func(d *Decided) error { out.SinkData = append(out.SinkData, d.Fate); return nil })}
	opts.Convert, opts.Array, opts.Annotate = o.convert, o.array, o.annotate
	if o.members {
		opts.Members = &Members{Names: []string{"mithril_n"}, Append: func(dst []byte, record uint64) []byte {
			return fmt.Appendf(dst, `"mithril_n":%d`, record)
		}}
	}
	if o.edit {
		opts.Edit = func(dst []byte, r Editable) ([]byte, bool, error) {
			edited, changed := editChain(string(r.Body))
			if dst = append(dst, edited...); edited != "" {
				dst = append(dst, r.Terminator...)
			}
			return dst, changed, nil
		}
	}
	if o.insert {
		opts.Insert = new(inserter).inserting()
	}
	if o.shard > 0 {
		opts.Shards = &Shards{Records: o.shard, Next: func(Shard, int) (io.Writer, error) {
			shards = append(shards, new(bytes.Buffer))
			return shards[len(shards)-1], nil
		}}
	}
	if _, err := do(opts); err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	for _, s := range shards {
		out.Shards = append(out.Shards, s.String())
	}
	out.Duplicates, out.Rejects = duplicates.String(), rejects.String()
	return out
}

// oneWord is a sketcher that finds something to compare in each text.
type oneWord struct{}

func (oneWord) Append(dst []uint64, _ []byte) ([]uint64, bool) { return append(dst, 1), true }

// nopTB is for testOptions, which fails only if the test itself is wrong.
type nopTB struct{ testing.TB }

func (nopTB) Helper() {}

// TestChainsWriteWhatTheirModelSays draws links, records and the sizes of reads.
func TestChainsWriteWhatTheirModelSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := drawChain(rt)
		records := chainRecords(rt, o.format)
		got, want := o.run(rt, records), o.model(records)
		if !slices.Equal(got.Shards, want.Shards) || got.Duplicates != want.Duplicates ||
			got.Rejects != want.Rejects || !slices.Equal(got.SinkData, want.SinkData) {
			rt.Fatalf("%+v, %v:\n%+v\nwant\n%+v", o, records, got, want)
		}
	})
}

// TestChainHasTheLinksThatAreAskedFor: a run pays for no other.
func TestChainHasTheLinksThatAreAskedFor(t *testing.T) {
	names := func(c chain) (list []string) {
		for _, l := range c {
			name := strings.TrimPrefix(fmt.Sprintf("%T", l), "*stream.")
			if b, ok := l.(*branch); ok {
				for _, inner := range b.chain {
					name += " " + strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", inner), "*"), "stream.")
				}
			}
			list = append(list, name)
		}
		return list
	}
	for _, c := range []struct {
		change func(o *Options)
		want   []string
	}{
		{func(*Options) {}, []string{"branch output"}},
		{func(o *Options) { o.Output, o.Sinks = nil, []Sink{Flags(io.Discard)} }, []string{"observe"}},
		{func(o *Options) { o.Annotate, o.Duplicates = true, io.Discard },
			[]string{"branch output", "branch annotating output"}},
		{func(o *Options) {
			o.Format, o.Convert, o.Shards, o.Packed.Rejects, o.Rejects = Text("\n"), true, &Shards{}, true, io.Discard
		}, []string{"divide", "branch packing output", "branch converting output"}},
	} {
		opts := testOptions(t, strings.NewReader(""), io.Discard)
		c.change(&opts)
		if got := names(newCommitter(&opts, new(liveStats), nil).chain); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
