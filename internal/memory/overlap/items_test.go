package overlap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// scan looks for items in texts.
func scan(t *testing.T, items *overlap.Items, texts []string) *overlap.Findings {
	t.Helper()
	finder, findings := items.NewFinder(), overlap.NewFindings(items, true)
	var b stream.Batch
	for _, text := range texts {
		b.Words, _ = finder.Append(b.Words, []byte(text))
		b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, record.Problem{})
	}
	out := make([]stream.Verdict, len(texts))
	if n, err := findings.Judge().Decide(b, out); err != nil || n != len(texts) {
		t.Fatal(n, err)
	}
	for i := range texts {
		if out[i].Duplicate != (len(findings.Seen(i)) > 0) {
			t.Fatalf("record %d: removed is %v, pieces are %v", i, out[i].Duplicate, findings.Seen(i))
		}
		findings.Note(i, func(dst []byte) []byte { return fmt.Append(dst, i) })
	}
	return findings
}

// passagesIn are the passages of an item that are in a text, found by comparing every one of them
// with every place.
func passagesIn(item, text []string, ngram, changes int) map[int]bool {
	window := min(ngram, len(item))
	if window < 8 {
		changes = 0
	}
	found := map[int]bool{}
	for from := 0; from+window <= len(item); from++ {
		for at := 0; at+window <= len(text); at++ {
			different := 0
			for k := range window {
				if item[from+k] != text[at+k] {
					different++
				}
			}
			if different <= changes {
				found[from] = true
			}
		}
	}
	return found
}

// What is found is what a search without any index finds, for items of all lengths.
func TestItemsAreFoundAsBySearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	word := func() string { return string(rune('a' + rng.IntN(4))) }
	for round := range 300 {
		ngram, changes := 1+rng.IntN(16), rng.IntN(2)
		items := make([][]string, 1+rng.IntN(5))
		texts := make([][]byte, len(items))
		for i := range items {
			for range 1 + rng.IntN(25) {
				items[i] = append(items[i], word())
			}
			texts[i] = []byte(strings.Join(items[i], " "))
		}
		var text []string
		for range 5 {
			for range rng.IntN(8) {
				text = append(text, word())
			}
			planted := slices.Clone(items[rng.IntN(len(items))])
			if rng.IntN(2) == 0 {
				planted[rng.IntN(len(planted))] = "zebra"
			}
			text = append(text, planted...)
		}
		x, err := overlap.NewItems(texts, nil, ngram, changes, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		findings := scan(t, x, []string{strings.Join(text, "\n")})
		for i := range items {
			want := passagesIn(items[i], text, ngram, changes)
			if got, _, _ := findings.Found(i); got != len(want) {
				t.Fatalf("round %d: n %d, changes %d: %d passages of %q, want %d: %q",
					round, ngram, changes, got, items[i], len(want), text)
			}
		}
	}
}

// Questions are found whatever was done to them, and nothing else is.
func TestItemsInDisguise(t *testing.T) {
	question := "What's the name of the café where Straße no. 7 meets the old mill, and who ran it in 1907?"
	chinese := "河水从山北面的草地里流出，前两里只是一条小沟。"
	texts := [][]byte{[]byte(question), []byte("Nothing of this."), []byte(chinese), []byte("—")}
	x, err := overlap.NewItems(texts, nil, 13, 1, .6)
	if err != nil {
		t.Fatal(err)
	}
	around := func(s string) string { return "It was asked before: (" + s + ") and then forgotten." }
	for name, text := range map[string]string{
		"verbatim": question, "upper case": strings.ToUpper(strings.ReplaceAll(question, "ß", "SS")),
		"a word changed": strings.Replace(question, "old", "new", 1),
		"no punctuation": "Whats the name of the café where Straße no 7 meets the old mill and who ran it in 1907",
		"wrapped":        strings.ReplaceAll(question, " ", "\n  "),
		"decomposed":     strings.ReplaceAll(question, "é", "e\u0301"),
	} {
		findings := scan(t, x, []string{"Other words stand here.", around(text)})
		passages, records, places := findings.Found(0)
		if passages == 0 || records != 1 || len(places) == 0 || string(places[0].Record) != "1" {
			t.Errorf("%s: %d passages in %d records: %v", name, passages, records, places)
		}
		for _, p := range findings.Seen(1) {
			if p.Start < 20 || p.End > len(around(text))-19 {
				t.Errorf("%s: found at %v", name, p)
			}
		}
		for other := 1; other < x.Len(); other++ {
			if n, _, _ := findings.Found(other); n != 0 {
				t.Errorf("%s: item %d is found", name, other)
			}
		}
	}
	if n, _, _ := scan(t, x, []string{"前面" + chinese + "后面"}).Found(2); n != x.At(2).Passages() {
		t.Errorf("%d of %d passages of a text without spaces are found", n, x.At(2).Passages())
	}
}

// Of an item that is everywhere some places are kept, and all records counted.
func TestItemsEverywhere(t *testing.T) {
	x, err := overlap.NewItems([][]byte{[]byte("one two three")}, nil, 13, 1, .6)
	if err != nil {
		t.Fatal(err)
	}
	texts := slices.Repeat([]string{"One, two, three. Four! One two three"}, 2*overlap.MaxPlaces)
	passages, records, places := scan(t, x, texts).Found(0)
	if passages != 1 || records != uint64(len(texts)) || len(places) != overlap.MaxPlaces {
		t.Errorf("%d passages, %d records, %d places", passages, records, len(places))
	}
	if p := places[1]; p.Offset != 23 || string(p.Passage) != "One two three" || string(p.Item) != "one two three" {
		t.Errorf("the second place is %d, %q for %q", p.Offset, p.Passage, p.Item)
	}
}

func BenchmarkFinder(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	text := func(words int) []byte {
		var s strings.Builder
		for range words {
			fmt.Fprintf(&s, "word%d ", rng.IntN(20000))
		}
		return []byte(s.String())
	}
	items := make([][]byte, 10000)
	for i := range items {
		items[i] = text(6 + rng.IntN(50))
	}
	x, err := overlap.NewItems(items, nil, 13, 1, .6)
	if err != nil {
		b.Fatal(err)
	}
	finder, record := x.NewFinder(), text(220)
	b.SetBytes(int64(len(record)))
	b.ReportAllocs()
	var words []uint64
	for b.Loop() {
		words, _ = finder.Append(words[:0], record)
	}
}
