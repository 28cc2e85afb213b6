package signatures

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// TestAbsorbedLogsAreOneStream: an index that has absorbed the logs of others answers like one that
// has observed the records of all of them.
func TestAbsorbedLogsAreOneStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{NumPerm: 6, Bands: 3, Rows: 2, Votes: 1, Threshold: .5, Sets: rapid.Bool().Draw(t, "sets")}
		signature := rapid.SliceOfN(rapid.Uint64Range(0, 2), p.NumPerm, p.NumPerm)
		set := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 3), 1, 3, rapid.ID[uint64])
		draw := func() []uint64 {
			words := sketchOf(p, signature.Draw(t, "slots"))
			if p.Sets {
				words = withSet(p, words, set.Draw(t, "set"))
			}
			return words
		}
		want := newIndex(t, p)
		defer want.Close()
		out := &memFile{}
		union, err := memory.Load(New, p, out, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
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
			for range rapid.IntRange(0, 10).Draw(t, "records") {
				words := draw()
				for _, x := range []*Index{x, want} {
					if _, err := x.Observe(words, []memory.Match{{}}); err != nil {
						t.Fatal(err)
					}
					x.Pass(run)
				}
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
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(notes, expected) {
			t.Errorf("notes and shifts are %d, want %d", notes, expected)
		}
		length, err := union.Flush()
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := memory.Read(New, p, out, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*Index{union, loaded} {
			got, stats := x.Stats(), want.Stats()
			if got.Records != stats.Records || got.Entries != stats.Entries || got.Copies != stats.Copies {
				t.Fatalf("%+v, of one stream %+v", got, stats)
			}
		}
		for range 10 {
			words := draw()
			one, all := []memory.Match{{}}, []memory.Match{{}}
			if err := want.Query(words, one); err != nil {
				t.Fatal(err)
			}
			for _, x := range []*Index{union, loaded} {
				all[0] = memory.Match{}
				if err := x.Query(words, all); err != nil || all[0] != one[0] {
					t.Fatalf("%+v, %v, of one stream %+v", all, err, one)
				}
			}
		}
		if err := loaded.Close(); err != nil {
			t.Fatal(err)
		}
		if err := union.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAbsorbRefusesOtherLogs: of other parameters, damaged, and cut off.
func TestAbsorbRefusesOtherLogs(t *testing.T) {
	file, length := savedLog(t)
	other := ordinary
	other.Rows--
	x, err := memory.Load(New, other, &memFile{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Absorb(file, length, nil, nil); err == nil {
		t.Error("a log of other parameters is absorbed")
	}
	same, err := memory.Load(New, ordinary, &memFile{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	if err := same.Absorb(file, length+1, nil, nil); err == nil {
		t.Error("a log that is cut off is absorbed")
	}
	file.bytes[len(file.bytes)/2]++
	if err := same.Absorb(file, length, nil, nil); err == nil {
		t.Error("a log that is damaged is absorbed")
	}
}
