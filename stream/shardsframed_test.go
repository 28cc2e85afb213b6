package stream

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// archives are inputs of records that come packed or not, of records that are not judged, and of
// long ones.
func archives(t *rapid.T) (inputs []Input) {
	for n := range rapid.IntRange(1, 4).Draw(t, "inputs") {
		var lines []string
		for i := range rapid.IntRange(0, 30).Draw(t, "lines") {
			line := fmt.Sprintf("the river rises %d miles north of %d hills", i/3, 7*(i/3))
			switch rapid.IntRange(0, 9).Draw(t, "sort") {
			case 0, 1, 2:
				line = "# " + line
			case 3:
				line = "..."
			}
			lines = append(lines, line)
		}
		each := rapid.IntRange(1, 5).Draw(t, "lines of a batch")
		inputs = append(inputs, Input{Name: fmt.Sprint("archive ", n), OpenRecords: func() (RecordReader, error) {
			return &archive{lines: lines, each: each}, nil
		}})
	}
	return inputs
}

// TestShardsOfArchives is TestShardsAreTheOutputInParts for records that a RecordReader hands over,
// also packed ones: what is not judged goes where it stands, and is not counted.
func TestShardsOfArchives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := archives(rt)
		how := Shards{Bytes: rapid.Uint64Range(0, 200).Draw(rt, "bytes")}
		how.Records = rapid.Uint64Range(0, 8).Draw(rt, "records")
		packed := rapid.Bool().Draw(rt, "packed")
		options := func() Options {
			opts := testOptions(t, nil, nil)
			opts.Inputs, opts.Format = inputs, Framed("record", nil)
			opts.Packed.Output, opts.NewPacker = packed, func() Packer { return packRecord }
			return opts
		}
		var whole, flags bytes.Buffer
		plain := options()
		plain.Output, plain.Sinks = &whole, []Sink{Flags(&flags)}
		if _, err := do(plain); err != nil {
			rt.Fatal(err)
		}

		var shards shardBuffers
		var taken []snapshot
		index := keySet{}
		opts := options()
		shards.use(&opts, how)
		opts.Method.Judge = byVotes(index, 1)
		opts.Checkpoints = &Checkpoints{
			Records: rapid.Uint64Range(1, 10).Draw(rt, "interval"),
			Commit: func(s Stats) error {
				taken = append(taken, snapshot{roundTrip(rt, s), maps.Clone(index)})
				return nil
			},
		}
		got, err := do(opts)
		if err != nil {
			rt.Fatal(err)
		}
		texts := shards.texts()
		if strings.Join(texts, "") != whole.String() {
			rt.Fatalf("%q, want %q", texts, whole.String())
		}
		checkShards(rt, how, got, texts, len(inputs))
		checkFlags(rt, got, flags.String())
		for _, s := range taken {
			shards.cut(s.stats)
			resumed := options()
			shards.use(&resumed, how)
			resumed.Method.Judge, resumed.From = byVotes(s.index, 1), s.stats
			again, err := do(resumed)
			if err != nil {
				rt.Fatal(err)
			}
			if !reflect.DeepEqual(shards.texts(), texts) || !reflect.DeepEqual(again, got) {
				rt.Fatalf("resumed after %d records: %q, %+v, want %q, %+v", s.stats.Records, shards.texts(), again,
					texts, got)
			}
		}
	})
}

// checkFlags compares the counts of shards with the flags of the records that came while each was
// written.
func checkFlags(t *rapid.T, stats Stats, flags string) {
	list := strings.Fields(flags)
	for i, s := range append(append([]Shard{}, stats.Shards...), stats.Shard) {
		kept := uint64(0)
		for _, flag := range list[:s.Read] {
			if flag == "1" {
				kept++
			}
		}
		if list = list[s.Read:]; s.Written != kept {
			t.Fatalf("shard %d has %d of the records that came, want %d", i, s.Written, kept)
		}
	}
}

// TestShardsOfConvertedArchives: what a converted output leaves out begins no shard.
func TestShardsOfConvertedArchives(t *testing.T) {
	var shards shardBuffers
	opts := testOptions(t, nil, nil)
	opts.Inputs = []Input{{Name: "archive", OpenRecords: func() (RecordReader, error) {
		return &archive{lines: []string{"# a", "one", "# b", "two", "# c"}}, nil
	}}}
	opts.Format, opts.Convert = record.FramedBy("record", func() record.RecordText { return quoted{} }), true
	shards.use(&opts, Shards{Records: 2})
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	if got, want := shards.texts(), []string{"\"one\"\n\"two\"\n"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// quoted makes a record a JSON string, which has no fields.
type quoted struct{}

func (quoted) Text(body []byte) ([]byte, Problem)   { return body, Problem{} }
func (quoted) Release()                             {}
func (quoted) AppendJSON(dst, record []byte) []byte { return jsontext.AppendQuoted(dst, record) }

func (quoted) AppendValue(dst, _ []byte, _ string) []byte { return dst }
