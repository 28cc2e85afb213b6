package overlap

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A model looks for items one by one: wherever an anchor says that an item may be in a text it
// compares both, passage by passage. It takes as long as there are items that share anchors with a
// record.
type model struct {
	items   *Items
	anchors map[int]map[uint64][]posting // by their length
	leads   map[uint32]map[posting]bool  // of passages
	differ  map[uint32][]int             // the words in which passages differ from many others
}

// A modelled is passages of an item in a text: words from … to-1, from a word of the text on.
type modelled struct{ item, from, to, text int }

func newModel(items *Items) *model {
	m := &model{
		items: items, anchors: map[int]map[uint64][]posting{}, leads: map[uint32]map[posting]bool{},
		differ: map[uint32][]int{},
	}
	for i := range items.list {
		item := &items.list[i]
		if item.window == 0 {
			continue
		}
		length := min(item.window, 3)
		for at := 0; at+length <= len(item.words); at++ {
			if m.anchors[length] == nil {
				m.anchors[length] = map[uint64][]posting{}
			}
			key := keyOfWords(item.words[at : at+length])
			m.anchors[length][key] = append(m.anchors[length][key], posting{uint32(i), uint32(at)})
		}
	}
	for number := range uint32(len(items.passages)) {
		m.leads[number] = map[posting]bool{}
		for _, p := range items.postingsOf(number) {
			m.leads[number][p] = true
		}
	}
	for _, f := range items.families {
		for _, passage := range items.members[f.from:f.to] {
			m.differ[passage] = append(m.differ[passage], int(f.change))
		}
	}
	return m
}

// scan returns what is in a text.
func (m *model) scan(words []placedWord) (found []modelled) {
	hashes := make([]uint64, len(words))
	for i, w := range words {
		hashes[i] = w.hash
	}
	shifts := map[int]map[int]bool{} // of items
	for length, anchors := range m.anchors {
		for at := 0; at+length <= len(words); at++ {
			for _, p := range anchors[keyOfWords(hashes[at:at+length])] {
				if shifts[int(p.item)] == nil {
					shifts[int(p.item)] = map[int]bool{}
				}
				shifts[int(p.item)][at-int(p.at)] = true
			}
		}
	}
	for number, of := range shifts {
		item := &m.items.list[number]
		covered, weight := map[int]bool{}, 0.
		var runs []modelled
		for shift := range of {
			for _, r := range m.runs(number, hashes, shift) {
				runs = append(runs, r)
				for k := r.from; k < r.to; k++ {
					if item.words[k] == hashes[k+shift] && !covered[k] {
						covered[k] = true
						weight += float64(m.items.list[item.same].weights[k])
					}
				}
			}
		}
		if weight > 0 && m.items.isEnough(&m.items.list[item.same], weight) {
			found = append(found, runs...)
		}
	}
	slices.SortFunc(found, func(a, b modelled) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.text, b.text), cmp.Compare(a.from, b.from),
			cmp.Compare(a.to, b.to))
	})
	return found
}

// runs returns the consecutive passages of an item that a text has, shifted by that many words, and
// that lead to the item.
func (m *model) runs(number int, text []uint64, shift int) (runs []modelled) {
	item := &m.items.list[number]
	passages := m.items.list[item.same].passages
	isLead := false
	from := -1
	for at := 0; at <= len(passages); at++ {
		if at < len(passages) && m.isThere(item, passages[at], at, text, shift) {
			if from < 0 {
				from, isLead = at, false
			}
			isLead = isLead || m.leads[passages[at]][posting{uint32(item.same), uint32(at)}]
			continue
		}
		if from >= 0 && isLead {
			runs = append(runs, modelled{number, from, at - 1 + item.window, from + shift})
		}
		from = -1
	}
	return runs
}

func (m *model) isThere(item *Item, passage uint32, at int, text []uint64, shift int) bool {
	if at+shift < 0 || at+shift+item.window > len(text) {
		return false
	}
	changes := item.changes
	for k := range item.window {
		if item.words[at+k] == text[at+shift+k] {
			continue
		}
		if changes--; changes < 0 || slices.Contains(m.differ[passage], k) {
			return false
		}
	}
	return true
}

// What is found in records, and where, is what a search item by item finds: for items that share
// passages with many others, repeat themselves, or are the same.
func TestFindingsAreThoseOfTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	shared, families := 0, 0
	for round := range 200 {
		texts, records := sharing(rng)
		ngram, changes := 1+rng.IntN(20), min(1, rng.IntN(4))
		share := []float64{1e-9, .2, .5, 1}[rng.IntN(4)]
		x, err := NewItems(texts, nil, ngram, changes, share)
		if err != nil {
			t.Fatal(err)
		}
		shared, families = shared+len(x.shared.from)-1, families+len(x.families)
		name := fmt.Sprintf("round %d, n %d, changes %d, share %v", round, ngram, changes, share)
		compareWithModel(t, name, x, records)
	}
	if shared < 500 || families < 50 {
		t.Errorf("%d shared passages and %d families are too few to say anything", shared, families)
	}
}

// sharing returns items, many of which share their beginnings, ends or middles, and records of
// such.
func sharing(rng *rand.Rand) (items [][]byte, records []string) {
	few := 2 + rng.IntN(30)
	words := func(count int) (list []string) {
		for range count {
			list = append(list, fmt.Sprint("w", rng.IntN(few)))
		}
		return list
	}
	var parts [][]string
	for range 4 {
		parts = append(parts, words(rng.IntN(24)))
	}
	text := func(most int) (list []string) {
		for range 1 + rng.IntN(most) {
			switch rng.IntN(3) {
			case 0:
				list = append(list, words(rng.IntN(4))...)
			default:
				list = append(list, parts[rng.IntN(len(parts))]...)
			}
		}
		if len(list) > 0 && rng.IntN(2) == 0 {
			list[rng.IntN(len(list))] = fmt.Sprint("x", rng.IntN(3))
		}
		return list
	}
	prompt, kind := words(12+rng.IntN(12)), rng.IntN(3)
	filled := func() []string { // the prompt with a word of its own
		list := slices.Clone(prompt)
		list[len(list)/2+rng.IntN(2)] = fmt.Sprint("y", rng.IntN(90))
		return list
	}
	for range 1 + rng.IntN(120) {
		list := text(3)
		switch kind {
		case 1:
			list = append(slices.Clone(prompt), words(rng.IntN(20))...)
		case 2:
			list = append(filled(), words(rng.IntN(3))...)
		}
		items = append(items, []byte(strings.Join(list, " ")))
	}
	for range 1 + rng.IntN(30) {
		list := append(text(6), filled()...)
		for range rng.IntN(3) {
			list = append(list, strings.Fields(string(items[rng.IntN(len(items))]))...)
		}
		records = append(records, strings.Join(list, " "))
	}
	return items, records
}

// An expected is what the model has found in records.
type expected struct {
	model    *model
	passages []map[int]bool   // of each item
	records  []uint64         // of each item
	places   []map[string]int // of each item; several of its passages may have the same
	count    []int            // of the places of each item
}

func newExpected(x *Items) *expected {
	e := &expected{
		model: newModel(x), passages: make([]map[int]bool, x.Len()), records: make([]uint64, x.Len()),
		places: make([]map[string]int, x.Len()), count: make([]int, x.Len()),
	}
	for i := range e.places {
		e.passages[i], e.places[i] = map[int]bool{}, map[string]int{}
	}
	return e
}

// take looks for the items in a record, and returns the pieces in which there are any.
func (e *expected) take(number int, record string) (pieces []Piece) {
	words, last := newPlaced().append(nil, []byte(record)), -1
	for _, p := range e.model.scan(words) {
		item := &e.model.items.list[p.item]
		start, end := int(words[p.text].start), int(words[p.text+p.to-p.from-1].end)
		pieces = append(pieces, Piece{start, end})
		same := e.model.items.list[item.same].passages
		for _, number := range same[p.from : p.to-item.window+1] {
			for at, other := range same {
				if other == number {
					e.passages[p.item][at] = true
				}
			}
		}
		if p.item != last {
			last = p.item
			e.records[p.item]++
		}
		e.places[p.item][fmt.Sprintf("%d:%d:%s:%s", number, start, record[start:end], item.Words(p.from, p.to))]++
		e.count[p.item]++
	}
	return joinedPieces(pieces)
}

// check compares what was found of an item.
func (e *expected) check(i int, findings *Findings) error {
	passages, records, places := findings.Found(i)
	if passages != len(e.passages[i]) || records != e.records[i] || len(places) != min(e.count[i], MaxPlaces) {
		return fmt.Errorf("%d passages in %d records, %d places; want %d in %d, of %d places", passages, records,
			len(places), len(e.passages[i]), e.records[i], e.count[i])
	}
	got, last := map[string]int{}, 0
	for _, p := range places {
		place := fmt.Sprintf("%s:%d:%s:%s", p.Record, p.Offset, p.Passage, p.Item)
		record, err := strconv.Atoi(string(p.Record))
		got[place]++
		if err != nil || record < last || got[place] > e.places[i][place] {
			return fmt.Errorf("%s is not among %v, or not in order", place, e.places[i])
		}
		last = record
	}
	return nil
}

func compareWithModel(t *testing.T, name string, x *Items, records []string) {
	t.Helper()
	findings, finder, want := NewFindings(x, true), x.NewFinder(), newExpected(x)
	for n, text := range records {
		var b stream.Batch
		b.Words, _ = finder.Append(nil, []byte(text))
		b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, record.Problem{})
		out := make([]stream.Verdict, 1)
		if judged, err := findings.Judge().Decide(b, out); err != nil || judged != 1 {
			t.Fatal(judged, err)
		}
		findings.Note(0, func(dst []byte) []byte { return fmt.Append(dst, n) })
		pieces := want.take(n, text)
		if got := findings.Seen(0); !slices.Equal(got, pieces) || out[0].Duplicate != (len(pieces) > 0) {
			t.Fatalf("%s: pieces %v, want %v, of %q", name, got, pieces, text)
		}
	}
	for i := range x.list {
		if err := want.check(i, findings); err != nil {
			t.Fatalf("%s: item %q: %v", name, x.list[i].Text, err)
		}
	}
}

// joinedPieces sorts pieces and joins those that touch each other.
func joinedPieces(pieces []Piece) []Piece {
	slices.SortFunc(pieces, func(a, b Piece) int { return cmp.Compare(a.Start, b.Start) })
	kept := pieces[:0]
	for _, p := range pieces {
		if last := len(kept) - 1; last >= 0 && p.Start <= kept[last].End {
			kept[last].End = max(kept[last].End, p.End)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}
