package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// keySet is an exact index.
type keySet map[stream.Key]bool

func (s keySet) Observe(keys []stream.Key, votes []uint16) (observed int, err error) {
	for i := range votes {
		votes[i] = s.observe(keys[i*bands : (i+1)*bands])
	}
	return len(votes), nil
}

func (s keySet) observe(keys []stream.Key) (votes uint16) {
	for _, k := range keys {
		if s[k] {
			votes++
		}
		s[k] = true
	}
	return votes
}

const bands = 4

func newSketcher(t testing.TB) *sketch.Sketcher {
	s, err := sketch.New(sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 2, Sketch: "fss", NumPerm: 16, Seed: 1,
		Bands: bands, Rows: 4, BandKey: "xxh3",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do makes and does a run.
func do(opts stream.Options) (stream.Stats, error) {
	run, err := stream.New(opts)
	if err != nil {
		return stream.Stats{}, err
	}
	return run.Do(context.Background())
}

// optionsOf run over a file, with members in the output if packed.
func optionsOf(t testing.TB, file string, packed bool, out io.Writer) stream.Options {
	s := newSketcher(t)
	opts := stream.Options{
		Source: stream.Source{Format: Format(limit), MaxRecord: limit},
		Method: stream.Method{
			NewSketcher: func() stream.Sketcher { return s.Clone() },
			Judge:       stream.ByVotes(stream.BandIndex{Observe: keySet{}.Observe}, 1),
		},
		Outputs: stream.Outputs{Output: out}, Threads: 2,
	}
	if packed {
		opts.Packed.Output = true
		opts.NewPacker = func() stream.Packer { return compress.NewPacker(1).Append }
	}
	opts.Inputs = []stream.Input{{Name: "archive", OpenRecords: func() (stream.RecordReader, error) {
		src, err := compress.NewMemberReader(io.NopCloser(strings.NewReader(file)), "", 0)
		if err != nil {
			return nil, err
		}
		var packer *compress.Packer
		if packed {
			packer = compress.NewPacker(1)
		}
		return Records(src, limit, packer), nil
	}}}
	return opts
}

// kept is what should be left of an archive: all but the documents whose text was seen before.
func (a archive) kept(s *sketch.Sketcher) (records, members []string) {
	seen := keySet{}
	for i, r := range a.records {
		duplicate := false
		if strings.Contains(r[:40], "conversion") && len(r)-len("\r\n\r\n") <= limit {
			_, text, _ := strings.Cut(strings.TrimSuffix(r, "\r\n\r\n"), "\r\n\r\n")
			if keys, ok := s.BandKeys(nil, []byte(text)); ok {
				duplicate = seen.observe(keys) > 0
			}
		}
		if !duplicate {
			records, members = append(records, r), append(members, a.members[i])
		}
	}
	return records, members
}

// TestKeptRecordsLeaveAsTheyCame: the output is a part of the input, and members are copied.
func TestKeptRecordsLeaveAsTheyCame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := drawArchive(rt)
		if len(a.records) > 1 && a.members[0] != "" { // and one of them again
			a.records, a.members = append(a.records, a.records[0]), append(a.members, a.members[0])
			a.file += a.members[0]
		}
		records, members := a.kept(newSketcher(t))
		for _, packed := range []bool{false, true} {
			var out bytes.Buffer
			stats, err := do(optionsOf(t, a.file, packed, &out))
			if err != nil || stats.Records < stats.Duplicates {
				rt.Fatal(err)
			}
			if packed {
				membersLeft(rt, out.String(), records, members)
			} else if out.String() != strings.Join(records, "") {
				rt.Errorf("%d bytes, want %d", out.Len(), len(strings.Join(records, "")))
			}
		}
	})
}

// membersLeft checks that an output is one of members, a record each, those that there were as they
// were.
func membersLeft(rt *rapid.T, out string, records, members []string) {
	got, err := readDamaged(out)
	if err != nil || len(got) != len(records) {
		rt.Fatalf("%d of %d records, %v", len(got), len(records), err)
	}
	for i, r := range got {
		if r.bytes != records[i] || !r.Long && r.Member == nil || members[i] != "" && string(r.Member) != members[i] {
			rt.Errorf("record %d of %d bytes in %d of members", i, len(r.bytes), len(r.Member))
		}
	}
}

// TestARunIsResumed goes on at each checkpoint, and puts both outputs together.
func TestARunIsResumed(t *testing.T) {
	var file strings.Builder
	for i := range 12 {
		r := conversion(strings.Repeat(fmt.Sprintf("The river rises %d miles north of %d hills. ", i, 7*i), 1+i%3*4000))
		file.WriteString(member(recordOf("request", "application/http", "GET /")) + member(r))
	}
	for _, packed := range []bool{false, true} {
		var all bytes.Buffer
		var taken []stream.Stats
		opts := optionsOf(t, file.String(), packed, &all)
		opts.Method.Judge = stream.KeepAll()
		opts.Checkpoints = &stream.Checkpoints{Records: 1,
			Commit: func(s stream.Stats) error { taken = append(taken, s); return nil }}
		final, err := do(opts)
		if err != nil || len(taken) < 2 || final.Records != 12 {
			t.Fatalf("%d checkpoints, %+v, %v", len(taken), final, err)
		}
		for _, from := range taken {
			var rest bytes.Buffer
			opts := optionsOf(t, file.String(), packed, &rest)
			opts.Method.Judge, opts.From = stream.KeepAll(), from
			stats, err := do(opts)
			if err != nil || stats.At != final.At ||
				!bytes.Equal(append(all.Bytes()[:from.Written.Output:from.Written.Output], rest.Bytes()...),
					all.Bytes()) {
				t.Errorf("resumed after %d records: %+v, %v", from.Records, stats, err)
			}
		}
		opts = optionsOf(t, member(conversion("another"))+file.String(), packed, io.Discard)
		opts.From = taken[0]
		if _, err := do(opts); err == nil || !strings.Contains(err.Error(),
			"archive does not hold the records that the run to be resumed had read") {
			t.Error(err)
		}
	}
}

// TestALongRecordThatBreaksOff ends the run, since a part of it has left.
func TestALongRecordThatBreaksOff(t *testing.T) {
	file := conversion("one") + conversion(strings.Repeat("x", 10*limit))
	opts := optionsOf(t, file[:len(file)-9], false, io.Discard)
	opts.OnLost = func(stream.Place) { t.Error("the run goes on") }
	_, err := do(opts)
	if err == nil || !strings.Contains(err.Error(),
		"of a record that is longer than max-record a part is written: in the record at byte") {
		t.Error(err)
	}
}

// TestARecordThatIsDamagedIsNotJudged: what stands before it is, and its place is told.
func TestARecordThatIsDamagedIsNotJudged(t *testing.T) {
	one, two := member(conversion("one")), []byte(member(conversion("two")))
	two[len(two)-6] ^= 1 // its checksum
	var out bytes.Buffer
	var places []string
	opts := optionsOf(t, one+string(two)+one, true, &out)
	opts.OnLost = func(p stream.Place) { places = append(places, p.String()) }
	stats, err := do(opts)
	want := fmt.Sprintf("archive: record 1: in the record at byte %d: the gzip stream is damaged at or before byte "+
		"%d: gzip: invalid checksum", len(one), len(one)+len(two))
	if err != nil || stats.Records != 1 || out.String() != one || len(places) != 1 || places[0] != want {
		t.Errorf("%v, %+v, %q", err, stats, places)
	}
}
