package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shardBuffers are the shards of a run.
type shardBuffers struct{ all []*bytes.Buffer }

// use has a run divide its output. It goes on with the last of the shards.
func (s *shardBuffers) use(opts *Options, how Shards) {
	if len(s.all) == 0 {
		s.all = append(s.all, new(bytes.Buffer))
	}
	opts.Output = s.all[len(s.all)-1]
	how.Next = func(_ Shard, number int) (io.Writer, error) {
		if number != len(s.all) {
			return nil, errors.New("a shard is left out")
		}
		s.all = append(s.all, new(bytes.Buffer))
		return s.all[number], nil
	}
	opts.Shards = &how
}

// cut leaves what stats say was written.
func (s *shardBuffers) cut(stats Stats) {
	s.all = s.all[:len(stats.Shards)+1]
	s.all[len(stats.Shards)].Truncate(int(stats.Shard.Bytes))
}

func (s *shardBuffers) texts() (texts []string) {
	for _, b := range s.all {
		texts = append(texts, b.String())
	}
	return texts
}

// Shards are the output in parts of the size that was asked for, or one for each input, whichever
// checkpoint a run is resumed from.
func TestShardsAreTheOutputInParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := inSeveral(rt, records(rt))
		if rapid.Bool().Draw(rt, "an empty input at the end") {
			inputs = append(inputs, Input{Name: "empty", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("")), nil
			}})
		}
		how := Shards{Bytes: rapid.Uint64Range(0, 200).Draw(rt, "bytes")}
		how.Records = rapid.Uint64Range(0, 8).Draw(rt, "records")
		annotate := rapid.Bool().Draw(rt, "annotate")
		options := func() Options {
			opts := testOptions(t, nil, nil)
			opts.Inputs, opts.MaxRecord, opts.Annotate = inputs, 100, annotate
			return opts
		}
		var whole bytes.Buffer
		plain := options()
		plain.Output = &whole
		want, err := do(plain)
		if err != nil {
			rt.Fatal(err)
		}

		var shards shardBuffers
		var taken []snapshot
		index := keySet{}
		opts := options()
		shards.use(&opts, how)
		opts.Method.Judge = byVotes(index, 1)
		opts.Checkpoints = &Checkpoints{
			Records: rapid.Uint64Range(1, 20).Draw(rt, "interval"),
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
		if strings.Join(texts, "") != whole.String() || got.Written != want.Written {
			rt.Fatalf("%q, want %q", texts, whole.String())
		}
		checkShards(rt, how, got, texts, len(inputs))
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

// checkShards checks the counts of shards, and their sizes.
func checkShards(t *rapid.T, how Shards, stats Stats, texts []string, inputs int) {
	all := append(append([]Shard{}, stats.Shards...), stats.Shard)
	if len(all) != len(texts) || how.byInput() && len(all) != inputs {
		t.Fatalf("%d shards in %d streams, of %d inputs", len(all), len(texts), inputs)
	}
	read := uint64(0)
	for i, s := range all {
		read += s.Read
		if s.Bytes != uint64(len(texts[i])) {
			t.Fatalf("shard %d has %d bytes, want %d", i, s.Bytes, len(texts[i]))
		}
		last := i == len(all)-1
		if how.Records > 0 && (s.Written > how.Records || !last && how.Bytes == 0 && s.Written < how.Records) {
			t.Fatalf("shard %d has %d records", i, s.Written)
		}
		if how.Bytes > 0 && !last && how.Records == 0 && s.Bytes < how.Bytes {
			t.Fatalf("shard %d has %d bytes", i, s.Bytes)
		}
	}
	if read != stats.Records {
		t.Fatalf("%d records were read, by shards %d", stats.Records, read)
	}
}

func sharded(t *testing.T, format Format, how Shards, inputs ...string) []string {
	t.Helper()
	var shards shardBuffers
	opts := testOptions(t, nil, nil)
	opts.Format, opts.Inputs = format, nil
	for _, in := range inputs {
		opts.Inputs = append(opts.Inputs, Input{Name: "in", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(in)), nil
		}})
	}
	shards.use(&opts, how)
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	return shards.texts()
}

// Every shard is whole: with the header of its table, or the brackets of its array.
func TestShardsAreWhole(t *testing.T) {
	csv := CSV(',', true, []string{"text"})
	first, second := "id,text\n1,one\n2,two\n3,one\n4,three\n", "id,text\n5,four\n6,two\n"
	if got, want := sharded(t, csv, Shards{}, first, second),
		[]string{"id,text\n1,one\n2,two\n4,three\n", "id,text\n5,four\n"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := sharded(t, csv, Shards{Records: 2}, first),
		[]string{"id,text\n1,one\n2,two\n", "id,text\n4,three\n"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	array := JSONArray(fieldsOf(t, "text"))
	for _, how := range []Shards{{}, {Records: 1}, {Bytes: 30}} {
		elements := 0
		for _, text := range sharded(t, array, how, `[{"text":"a"},{"text":"b"}]`, `[]`, `[{"text":"a"},{"text":"c"}]`) {
			var list []any
			if err := json.Unmarshal([]byte(text), &list); err != nil {
				t.Errorf("%+v: %q: %v", how, text, err)
			}
			elements += len(list)
		}
		if elements != 3 {
			t.Errorf("%+v: %d elements", how, elements)
		}
	}
}

func TestShardsThatFail(t *testing.T) {
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader("{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"), &out)
	opts.Shards = &Shards{Records: 1}
	if _, err := do(opts); err == nil {
		t.Error("shards without Next")
	}
	full := errors.New("the disk is full")
	opts = testOptions(t, strings.NewReader("{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"), &out)
	opts.Shards = &Shards{Records: 1, Next: func(Shard, int) (io.Writer, error) { return nil, full }}
	if stats, err := do(opts); !errors.Is(err, full) || out.String() != "{\"text\":\"a\"}\n" || stats.Complete {
		t.Errorf("%q, %v", out.String(), err)
	}
}
