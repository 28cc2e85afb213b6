package vectors

import (
	"math"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

// everything compares with all rows.
var everything = Params{Dims: testDims, Threshold: .9, Probes: 1000}

// cosines are the cosines of all rows with each.
func cosines(words []uint64) [][]float32 {
	size := rows.Words(testDims)
	n := len(words) / size
	all := make([][]float32, n)
	var q, other query
	for i := range n {
		q.set(bytesOf(words[i*size : (i+1)*size]))
		for j := range n {
			other.set(bytesOf(words[j*size : (j+1)*size]))
			var dot [1]int32
			dotsGo(dot[:], q.wide, other.row)
			all[i] = append(all[i], float32(q.cosine(dot[0], other.squares)))
		}
	}
	return all
}

func TestGroupsAreThoseOfAllPairs(t *testing.T) {
	words, size := newDrawer(3, 5).rows(700), rows.Words(testDims)
	words = append(words, words[:2*size]...) // copies
	all := cosines(words)
	g, err := NewGroups(everything)
	if err != nil {
		t.Fatal(err)
	}
	group := make([]int, len(all))
	for i := range all {
		group[i] = i
		if i == 50 {
			g.Pass()
			continue
		}
		if err := g.Add(words[i*size : (i+1)*size]); err != nil {
			t.Fatal(err)
		}
		for j := range i {
			if from, to := group[i], group[j]; j != 50 && all[i][j] >= .9 {
				for k := range group[:i+1] {
					if group[k] == from || group[k] == to {
						group[k] = min(from, to)
					}
				}
			}
		}
	}
	var want, got [][]uint64
	for i := range all {
		var records []uint64
		for j := range all {
			if group[j] == i {
				records = append(records, uint64(j+1))
			}
		}
		if len(records) > 1 {
			want = append(want, records)
		}
	}
	for records := range g.All() {
		got = append(got, slices.Clone(records))
		parts, err := g.Split(records)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			for _, record := range part[1:] {
				if c := g.Similarity(part[0], record); c < .9 || c != all[part[0]-1][record-1] {
					t.Fatalf("%d with %d: %v, want %v", part[0], record, c, all[part[0]-1][record-1])
				}
			}
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal) || len(got) < 20 {
		t.Errorf("%d groups, want %d", len(got), len(want))
	}
	if g.Similarity(51, 1) != 0 {
		t.Error("a record without a vector resembles others, or rows take nothing")
	}
	if err := g.Add(words[:1]); err == nil {
		t.Error("a part of a row is taken")
	}
	if _, err := NewGroups(Params{Dims: 1, Threshold: 1, UnseenOnly: true}); err == nil {
		t.Error("groups of unseen ones only")
	}
}

func TestNearIsWhatIsNearestOfAll(t *testing.T) {
	words, size := newDrawer(4, 5).rows(900), rows.Words(testDims)
	x := newIndex(t, everything)
	observe(t, x, words)
	all, before := cosines(words), x.Stats()
	for _, asked := range []int{0, 17, 899} {
		got, err := x.Near(make([]memory.Match, 1), words[asked*size:(asked+1)*size], 10)
		if err != nil || len(got) != 11 || got[0] != (memory.Match{}) || got[1].Similarity != 1 {
			t.Fatal(got, err)
		}
		sorted := slices.Clone(all[asked])
		slices.Sort(sorted)
		slices.Reverse(sorted)
		for i, m := range got[1:] {
			if all[asked][m.Record-1] != m.Similarity || math.Abs(float64(sorted[i]-m.Similarity)) > 1e-6 {
				t.Errorf("%v is number %d, want %v", m, i+1, sorted[i])
			}
		}
	}
	if x.Stats() != before {
		t.Error("a question is remembered")
	}
	if _, err := x.Near(nil, words[:1], 1); err == nil {
		t.Error("a part of a row is asked about")
	}
}

func TestBesideOthers(t *testing.T) {
	words, size := newDrawer(5, 3).rows(3), rows.Words(testDims)
	x := newIndex(t, everything)
	observe(t, x, words)
	matches := []memory.Match{{Record: 9, Similarity: 1}, {Record: 9, Similarity: .5}, {}}
	if err := x.Query(words, matches); err != nil {
		t.Fatal(err)
	}
	want := []memory.Match{{Record: 9, Similarity: 1}, {Record: 2, Similarity: 1}, {Record: 3, Similarity: 1}}
	if !slices.Equal(matches, want) {
		t.Errorf("%v, want %v", matches, want)
	}
	unseen := newIndex(t, Params{Dims: testDims, Threshold: .9, UnseenOnly: true})
	if _, err := unseen.ObserveBeside(words[:size], []memory.Match{{Record: 9, Similarity: .95}}); err != nil {
		t.Fatal(err)
	}
	if s := unseen.Stats(); s.Entries != 0 || s.Duplicates != 1 {
		t.Errorf("%+v: what another index knows is not unseen", s)
	}
}

// An index that has absorbed the logs of others finds what one finds that has observed the records
// of all of them.
func TestAbsorbedLogsAreOneStream(t *testing.T) {
	words, size := newDrawer(6, 10).rows(1500), rows.Words(testDims)
	words = append(words, words[:100*size]...)
	want := newIndex(t, everything)
	out := newLoaded(t, everything)
	var shifts []uint64
	for from := 0; from < len(words); from += 400 * size {
		part := words[from:min(len(words), from+400*size)]
		observe(t, want, part)
		in := newLoaded(t, everything)
		observe(t, in.x, part)
		if err := in.x.Note([]byte("x")); err != nil {
			t.Fatal(err)
		}
		length, err := in.x.Flush()
		if err != nil {
			t.Fatal(err)
		}
		if err := out.x.Absorb(in.file, length, func(_ []byte, shift uint64) error {
			shifts = append(shifts, shift)
			return nil
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(shifts, []uint64{0, 400, 800, 1200}) {
		t.Error(shifts)
	}
	if got, wanted := out.x.Stats(), want.Stats(); got.Records != wanted.Records || got.Entries != wanted.Entries ||
		got.Copies != wanted.Copies {
		t.Errorf("%+v, want %+v", got, wanted)
	}
	length, err := out.x.Flush()
	if err != nil {
		t.Fatal(err)
	}
	read, err := memory.Read(New, everything, out.file, length, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := newDrawer(6, 10).rows(1700)[1500*size:]
	a, b := make([]memory.Match, 200), make([]memory.Match, 200)
	if err := read.Query(asked, a); err != nil {
		t.Fatal(err)
	}
	if err := want.Query(asked, b); err != nil || !slices.Equal(a, b) {
		t.Errorf("%v, want %v", a, b)
	}
}
