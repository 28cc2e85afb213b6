package fingerprints

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// An index that has absorbed the logs of others answers like one that has observed the records of
// all of them.
func TestAbsorbedLogsAreOneStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		items := planted(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), p, 200)
		want := mustNew(t, p)
		defer want.Close()
		out := &memFile{}
		union, err := memory.Load(New, p, out, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer union.Close()
		var notes, expected []uint64
		for run := range rapid.IntRange(1, 3).Draw(t, "logs") {
			file := &memFile{}
			x, err := memory.Load(New, p, file, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			expected = append(expected, uint64(run), want.Stats().Records)
			if err := x.Note([]byte{byte(run)}); err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 40).Draw(t, "records") {
				for _, x := range []*Index{x, want} {
					if _, err := x.Observe(items[0], make([]memory.Match, 1)); err != nil {
						t.Fatal(err)
					}
					x.Pass(run)
				}
				items = items[1:]
			}
			length, err := x.Flush()
			if err != nil {
				t.Fatal(err)
			}
			if err := union.Absorb(file, length, func(note []byte, shift uint64) error {
				notes = append(notes, uint64(note[0]), shift)
				return nil
			}, nil); err != nil {
				t.Fatal(err)
			}
			x.Close()
		}
		if !slices.Equal(notes, expected) {
			t.Errorf("notes and shifts are %d, want %d", notes, expected)
		}
		length, err := union.Flush()
		if err != nil {
			t.Fatal(err)
		}
		read, err := memory.Read(New, p, out, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		for _, x := range []*Index{union, read} {
			got, wanted := x.Stats(), want.Stats()
			if got.Records != wanted.Records || got.Entries != wanted.Entries || got.Copies != wanted.Copies {
				t.Errorf("%+v, want %+v", got, wanted)
			}
			for _, item := range items {
				var a, b [1]memory.Match
				if err := x.Query(item, a[:]); err != nil {
					t.Fatal(err)
				}
				if err := want.Query(item, b[:]); err != nil || a != b {
					t.Fatalf("%v, want %v", a, b)
				}
			}
		}
	})
}

func TestAbsorbRefuses(t *testing.T) {
	p := Params{Bits: 64, Distance: 3}
	file, length := logOf(t, p, 30)
	x := mustNew(t, p)
	defer x.Close()
	if err := x.Absorb(file, length-1, nil, nil); err == nil {
		t.Error("a part of a log is taken")
	}
	other := mustNew(t, Params{Bits: 64, Distance: 4})
	defer other.Close()
	if err := other.Absorb(file, length, nil, nil); err == nil {
		t.Error("a log of another distance is taken")
	}
	full := mustNew(t, p)
	defer full.Close()
	full.Pass(1<<32 - 10)
	if err := full.Absorb(file, length, nil, nil); err == nil {
		t.Error("more records than can be counted are taken")
	}
}
