package main

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// No word comes twice, within a record or in two, and the stream is JSON of the promised size for
// any size of read.
func TestRecordsAreDisjoint(t *testing.T) {
	seen := map[string]bool{}
	lines := bufio.NewScanner(iotest.HalfReader(newRecords(1, 3, 503)))
	n := 0
	for ; lines.Scan(); n++ {
		var record struct {
			ID   int
			Text string
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(record.Text)
		if record.ID != n+3 || len(words) != wordsPerRecord {
			t.Fatalf("record %d has id %d and %d words", n, record.ID, len(words))
		}
		for _, w := range words {
			if seen[w] {
				t.Fatalf("word %q comes twice", w)
			}
			seen[w] = true
		}
	}
	if n != 500 {
		t.Errorf("%d records", n)
	}
	if rest, err := io.ReadAll(newRecords(1, 0, 0)); err != nil || len(rest) > 0 {
		t.Errorf("an empty stream gives %q, %v", rest, err)
	}
}

// Words are a permutation: what the numbers at the edges of a record become differs for any seed.
func TestSeedsGiveOtherWords(t *testing.T) {
	if a, b := appendText(nil, 1, 0), appendText(nil, 2, 0); string(a) == string(b) {
		t.Error("two seeds give the same record")
	}
}

func TestPoissonRange(t *testing.T) {
	for _, expected := range []float64{0.5, 5, 50, 500} {
		least, most := poissonRange(expected)
		sigma := math.Sqrt(expected)
		if float64(least) > max(0, expected-3*sigma) || float64(most) < expected+3.5*sigma ||
			float64(most) > expected+5*sigma+9 {
			t.Errorf("expectation %g: %d to %d", expected, least, most)
		}
	}
}

// A small index at a high rate: the measured rate is the model's within five standard errors, for
// both filters.
func TestAskFull(t *testing.T) {
	c := cli{Records: 20_000, Queries: 60_000, FPRate: 0.02, Seed: 1}
	groups := groupByKeys(settings)
	if len(groups) != 6 || len(groups[0]) != 4 {
		t.Fatalf("groups %v", groups)
	}
	measured, err := c.askFull(groups[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		if math.Abs(float64(m.found)/m.expected-1) > 5*poissonError(m.expected)+0.02 {
			t.Errorf("%q: %d found, expected %.1f", m.setting.options, m.found, m.expected)
		}
		if m.expected > c.FPRate*float64(c.Queries)*1.0001 {
			t.Errorf("%q: %.1f expected, promised %g", m.setting.options, m.expected, c.FPRate*float64(c.Queries))
		}
	}
}

// The keys of a block do not depend on how it was dealt out.
func TestKeysOf(t *testing.T) {
	r, err := cli{Records: 100, FPRate: 0.1}.recipe(settings[0])
	if err != nil {
		t.Fatal(err)
	}
	whole := keysOf(r.Sketcher, 1, 10, 31)
	if parts := append(keysOf(r.Sketcher, 1, 10, 12), keysOf(r.Sketcher, 1, 12, 31)...); !slices.Equal(whole, parts) {
		t.Error("keys differ")
	}
	if want := 21 * r.Index.Bands; len(whole) != want {
		t.Errorf("%d keys, want %d", len(whole), want)
	}
}
