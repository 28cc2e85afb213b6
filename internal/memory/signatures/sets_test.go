package signatures

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// setSketch is the sketch of a set of numbers, whose signature other sets may have too.
func setSketch(p Params, slots, set []uint64) (words []uint64) {
	return withSet(p, sketchOf(p, slots), set)
}

// withSet appends to the rest of a sketch a set of numbers, as the hashes of shingles.
func withSet(p Params, words, set []uint64) []uint64 {
	hashes := make([]uint64, len(set))
	for i, n := range set {
		hashes[i] = hashOfNumber(n)
	}
	slices.Sort(hashes)
	words = append(append(slices.Clone(words), uint64(len(set))), hashes...)
	return PackSet(p.SetForm(), words, len(words)-len(hashes))
}

func hashOfNumber(n uint64) uint64 { return (n + 1) * 0x9e3779b97f4a7c15 }

// A setModel compares with all records that share a listed band.
type setModel struct {
	p        Params
	sketches model
	sets     [][]uint64
	listed   [][]bool // by record and band
}

func (m *setModel) observe(slots, set []uint64) (best memory.Match) {
	words := sketchOf(m.p, slots)
	m.sketches.records++
	known, most, read := false, -1., 0
	for _, c := range m.candidates(words, set) {
		if read++; read > mostOfSets && best.Record > 0 {
			break
		}
		similarity := definedSimilarity(m.p, m.sets[c.entry], set, m.sketches.similarity(c.agree))
		if similarity < m.p.leastOfSets() {
			continue
		}
		if number := m.sketches.numbers[c.entry]; similarity > most || similarity == most && number < best.Record {
			most = similarity
			best = memory.Match{Record: number, Similarity: float32(similarity), Votes: uint16(c.votes),
				Contains: m.p.Containment > 0 && len(m.sets[c.entry]) < len(set)}
		}
		if slices.Equal(m.sets[c.entry], set) && c.agree == m.p.NumPerm {
			known = true
			break
		}
	}
	if !known && !(m.p.UnseenOnly && best.Record != 0) {
		m.add(words, set, m.p.Containment == 0 && best.Record > 0 && most >= (1+m.p.Threshold)/2)
	}
	return best
}

// add remembers a record. A near copy is not listed for a band that sixteen others list.
func (m *setModel) add(words, set []uint64, isNear bool) {
	listed := make([]bool, m.p.Bands)
	for band := range listed {
		others := 0
		for i, other := range m.sketches.sketches {
			others += boolToInt(m.listed[i][band] && m.shares(band, other, words))
		}
		listed[band] = !isNear || others < 16
	}
	m.sketches.sketches = append(m.sketches.sketches, words)
	m.sketches.numbers = append(m.sketches.numbers, m.sketches.records)
	m.sets, m.listed = append(m.sets, set), append(m.listed, listed)
}

func (m *setModel) shares(band int, a, b []uint64) bool {
	return a[2*band] == b[2*band] && a[2*band+1] == b[2*band+1]
}

// candidates are the records worth comparing, in the order in which they are compared.
func (m *setModel) candidates(words, set []uint64) (found []candidate) {
	for i, other := range m.sketches.sketches {
		c := candidate{entry: uint32(i), most: 1}
		for band, isListed := range m.listed[i] {
			c.votes += boolToInt(isListed && m.shares(band, other, words))
		}
		_, c.agree = m.sketches.compare(other, words)
		if c.votes >= m.p.Votes && c.agree >= m.p.plausible(len(m.sets[i]), len(set)) {
			found = append(found, c)
		}
	}
	if len(found) > fewCandidates {
		for i := range found {
			found[i].most = m.bound(m.sets[found[i].entry], set)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(b.agree, a.agree), cmp.Compare(a.entry, b.entry))
	})
	return found
}

// bound returns the largest similarity that two sets can have if they differ by at least one hash
// in each range where one has an odd number of hashes, and the other an even number.
func (m *setModel) bound(a, b []uint64) float64 {
	differ := 0
	for bit := range uint64(64) {
		differ += (inRange(a, bit) + inRange(b, bit)) % 2
	}
	common := min(len(a), len(b), (len(a)+len(b)-differ)/2)
	if m.p.Containment > 0 {
		return float64(common) / float64(min(len(a), len(b)))
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// inRange is the number of hashes of a set whose first six bits are those.
func inRange(set []uint64, bits uint64) (n int) {
	for _, number := range set {
		n += boolToInt(hashOfNumber(number)>>58 == bits)
	}
	return n
}

// TestSetsDecide: sets have nothing to do with their signatures here, and they decide; in memory
// and in a log that is loaded again and again, after what was not flushed is lost.
func TestSetsDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			NumPerm: 6, Bands: 3, Rows: 2, Votes: 1, Sets: true, UnseenOnly: rapid.Bool().Draw(t, "unseen only"),
			Threshold:   rapid.SampledFrom([]float64{.2, .5, 1}).Draw(t, "threshold"),
			Containment: rapid.SampledFrom([]float64{0, .5, .9, 1}).Draw(t, "containment"),
		}
		signature := rapid.SliceOfN(rapid.Uint64Range(0, 1), p.NumPerm, p.NumPerm)
		set := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 9), 1, 8, rapid.ID[uint64])
		m := &setModel{p: p, sketches: model{p: p}}
		inMemory := newIndex(t, p)
		defer inMemory.Close()
		file, length := &memFile{}, int64(0)
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			x, err := memory.Load(New, p, file, length, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 12).Draw(t, "records") {
				slots, own := signature.Draw(t, "slots"), set.Draw(t, "set")
				slices.Sort(own)
				want := m.observe(slots, own)
				for i, x := range []*Index{inMemory, x} {
					alike, err := x.AppendDuplicates(nil, setSketch(p, slots, own))
					if has := slices.Contains(alike, want); has != (want.Record > 0) || err != nil {
						t.Fatalf("index %d: alike %+v, %v, want %+v", i, alike, err, want)
					}
					got := []memory.Match{{}}
					if n, err := x.Observe(setSketch(p, slots, own), got); n != 1 || err != nil {
						t.Fatal(n, err)
					}
					if got[0] != want {
						t.Fatalf("index %d: got %+v, want %+v", i, got[0], want)
					}
				}
			}
			if length, err = x.Flush(); err != nil {
				t.Fatal(err)
			}
			read, err := memory.Read(New, p, file, length, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range m.sketches.sketches { // each record is found by itself
				words := withSet(p, s, m.sets[i])
				near, err := read.Near(nil, words, 1)
				if err != nil || len(near) == 0 || near[0].Similarity != 1 {
					t.Fatalf("record %d: near %+v, %v", i, near, err)
				}
			}
			if err := read.Close(); err != nil {
				t.Fatal(err)
			}
			lost := setSketch(p, signature.Draw(t, "lost"), []uint64{1})
			if _, err := x.Observe(lost, []memory.Match{{}}); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestSetsOfSealedEntries: entries on disk say where their sets are, and a log is loaded with as
// little memory.
func TestSetsOfSealedEntries(t *testing.T) {
	p := Params{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1, Threshold: .9, Sets: true}
	p = little(t, p)
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := memory.Load(New, p, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	const records = 3 * rowsPerChunk
	rng := rand.New(rand.NewPCG(1, 12))
	var words []uint64
	for range records {
		words = append(words, setSketch(p, random(rng, p), []uint64{1, rng.Uint64() | 2})...)
	}
	matches := make([]memory.Match, records)
	if _, err := x.Observe(words, matches); err != nil {
		t.Fatal(err)
	}
	length, err := x.Flush()
	if err != nil {
		t.Fatal(err)
	}
	again, err := memory.Load(New, p, file, length, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Index{x, again} {
		if s := x.Stats(); s.Sealed < rowsPerChunk || s.Entries != records || s.LogBytes < 8*3*records {
			t.Errorf("%+v", s)
		}
		if _, err := x.Observe(words, matches); err != nil {
			t.Fatal(err)
		}
		for i, m := range matches {
			if m != (memory.Match{Record: uint64(i + 1), Similarity: 1, Votes: 2}) {
				t.Fatalf("record %d: %v", i, m)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// With sets a record takes no more memory than without. On disk it takes some 2 bytes a shingle
// that are read of each candidate, and 2.4 that are read of similar ones.
func TestRoomOfSets(t *testing.T) {
	p := Params{
		NumPerm: 64, SlotBits: SlotBitsWithSets(64), Bands: 10, Rows: 6, Votes: 1, Threshold: .85, Sets: true,
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	const shingles = 300
	inMemory := costs(p).bytesOfEntry()
	read := 8 + keyBytes*p.Bands + wordBytes*(p.signatureWords()+1+p.SetForm().LeadingWords(shingles))
	onDisk := read + wordBytes*(p.SetForm().Words(shingles)-p.SetForm().LeadingWords(shingles))
	if inMemory > 125 || inMemory+float64(read) > 780 || read > 660 || onDisk > 660+720 {
		t.Errorf("%.1f bytes in memory, %d on disk, of which %d are often read", inMemory, onDisk, read)
	}
	for numPerm, want := range map[int]int{1: 8, 32: 8, 33: 4, 64: 4, 128: 2, 129: 1, 256: 1, 1024: 1} {
		if got := SlotBitsWithSets(numPerm); got != want {
			t.Errorf("of %d slots %d bits are kept, want %d", numPerm, got, want)
		}
	}
}

// Sets whose sizes differ too much need not be read, those that may be just similar enough do.
func TestSizesRuleOut(t *testing.T) {
	if n := ordinary.plausible(84, 100); n <= ordinary.NumPerm {
		t.Errorf("sets of 84 and 100 hashes are read if %d slots agree", n)
	}
	for _, sizes := range [][2]int{{85, 100}, {100, 85}, {0, 100}, {100, 0}} {
		if n := ordinary.plausible(sizes[0], sizes[1]); n > 210 {
			t.Errorf("sets of %d hashes are read only if %d slots agree", sizes, n)
		}
	}
}

// TestPlausibleIsFarBelowTheThreshold: of 256 slots, 227 are expected to agree at .85.
func TestPlausibleIsFarBelowTheThreshold(t *testing.T) {
	if n := ordinary.plausible(1, 1); n < 200 || n > 210 {
		t.Errorf("from %d slots on a set is read", n)
	}
}

// TestTextWithoutASet is one that has too many shingles: its signature decides.
func TestTextWithoutASet(t *testing.T) {
	p := Params{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1, Threshold: .8, Sets: true}
	x := newIndex(t, p)
	defer x.Close()
	slots := random(rand.New(rand.NewPCG(1, 13)), p)
	matches := make([]memory.Match, 3)
	words := slices.Concat(setSketch(p, slots, nil), setSketch(p, slots, []uint64{1}), setSketch(p, slots, nil))
	if _, err := x.Observe(words, matches); err != nil {
		t.Fatal(err)
	}
	want := memory.Match{Record: 1, Similarity: 1, Votes: 2}
	if matches[0].Record != 0 || matches[1] != want || matches[2] != want {
		t.Error(matches)
	}
}

// TestSetsOfWrongLength are refused before anything is observed.
func TestSetsOfWrongLength(t *testing.T) {
	p := Params{NumPerm: 8, Bands: 2, Rows: 4, Votes: 1, Sets: true}
	x := newIndex(t, p)
	defer x.Close()
	good := setSketch(p, random(rand.New(rand.NewPCG(1, 14)), p), []uint64{1, 2})
	huge := slices.Clone(good)
	huge[p.SketchWords()] = 1 << 63
	for _, words := range [][]uint64{
		nil, good[:p.SketchWords()], good[:len(good)-1], append(slices.Clone(good), 1), huge,
	} {
		if n, err := x.Observe(words, []memory.Match{{}}); n != 0 || err == nil {
			t.Errorf("%d words: observed %d, %v", len(words), n, err)
		}
		if err := x.Query(words, []memory.Match{{}}); err == nil {
			t.Errorf("%d words are asked about", len(words))
		}
	}
	if s := x.Stats(); s.Records != 0 {
		t.Errorf("%+v", s)
	}
}
