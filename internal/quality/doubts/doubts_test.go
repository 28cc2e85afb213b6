package doubts

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func names(all []Doubt) (list []string) {
	for _, d := range all {
		list = append(list, d.Name)
	}
	return list
}

// votes makes a distribution of the default rule: so many records with that many votes each.
func votes(of map[int]uint64) Votes {
	v := Votes{Needed: 8, Records: make([]uint64, 33)}
	for n, records := range of {
		v.Records[n] = records
	}
	return v
}

// one makes a distribution of a rule by which one vote of 42 makes a duplicate.
func one(of map[int]uint64) Votes {
	v := Votes{Needed: 1, Records: make([]uint64, 43)}
	for n, records := range of {
		v.Records[n] = records
	}
	return v
}

func TestVotes(t *testing.T) {
	for _, c := range []struct {
		of   string
		v    Votes
		want string
	}{
		{"pieces of standards", votes(map[int]uint64{0: 14143, 1: 1116, 3: 134, 5: 62, 7: 48, 9: 43, 14: 30, 20: 150}),
			"[]"},
		{"one site, by votes of any records", votes(map[int]uint64{3: 350, 5: 803, 6: 1651, 7: 2615, 8: 3246, 9: 3519,
			10: 3221, 11: 4595}), "[removed votes]"},
		{"one site, by votes of one group", votes(map[int]uint64{2: 807, 3: 4310, 4: 7323, 5: 5044, 6: 1928, 7: 506,
			8: 60}), "[]"},
		{"small sites among other pages", votes(map[int]uint64{0: 18500, 2: 1000, 3: 600, 5: 660, 7: 264, 9: 450,
			11: 60, 12: 160, 15: 100}), "[votes]"},
		{"fewer of them", votes(map[int]uint64{0: 2000, 5: 66, 7: 26, 9: 45, 11: 6, 12: 16, 15: 10}), "[]"},
		{"letters that quote others", votes(map[int]uint64{0: 18500, 5: 400, 7: 488, 9: 200, 11: 35, 13: 140, 25: 138}),
			"[]"},
		{"copies", votes(map[int]uint64{0: 1000, 32: 9000}), "[]"},
		{"few records", votes(map[int]uint64{0: 10, 9: 900}), "[]"},
		{"versions of one page", Votes{Needed: 8, Largest: 1900,
			Records: votes(map[int]uint64{0: 8000, 20: 2000}).Records}, "[group]"},
		{"no votes", Votes{}, "[]"},
		{"unrelated texts by one vote", one(map[int]uint64{0: 5805, 1: 189, 2: 6}), "[votes]"},
		{"more of them", one(map[int]uint64{0: 49592, 1: 8856, 2: 1328, 3: 191, 4: 33}), "[votes]"},
		{"letters by one vote", one(map[int]uint64{0: 13418, 1: 3502, 2: 843, 3: 369, 7: 1137, 42: 662}), "[votes]"},
		{"documentation by one vote", one(map[int]uint64{0: 14354, 1: 843, 2: 362, 3: 223, 8: 574, 42: 1165}), "[]"},
		{"letters by a higher threshold", one(map[int]uint64{0: 18785, 1: 205, 2: 93, 3: 45, 9: 148, 42: 655}), "[]"},
		{"hardly any removed", one(map[int]uint64{0: 9990, 1: 10}), "[]"},
		{"equal records, by one band", Votes{Needed: 1, Records: []uint64{5000, 5000}}, "[]"},
	} {
		if got := fmt.Sprint(names(Of(c.v))); got != c.want {
			t.Errorf("%s: %s, want %s", c.of, got, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	page := "\ufeff\n<!DOCTYPE HTML><html><body><nav>all pages</nav>text</body></html>"
	words := strings.Repeat("some words of a text that goes on for a while ", 5)
	for _, c := range []struct {
		of    string
		rule  Rule
		text  string
		count int
		want  string
	}{
		{"pages", Rule{ShingleSize: 5}, page, 30, "[html]"},
		{"pages whose text is taken", Rule{ShingleSize: 5, Markup: true}, page, 2000, "[]"},
		{"few pages", Rule{ShingleSize: 5}, page, 19, "[]"},
		{"texts about HTML", Rule{ShingleSize: 5}, "What <html> means: " + words, 2000, "[]"},
		{"documents", Rule{ShingleSize: 5}, words, 2000, "[]"},
		{"titles by the default", Rule{ShingleSize: 5}, "A short title of N", 2000, "[short]"},
		{"too few titles to say", Rule{ShingleSize: 5}, "A short title of N", 999, "[]"},
		{"titles as passages", Rule{Preset: "passages", ShingleSize: 1}, "N", 2000, "[]"},
		{"languages", Rule{ShingleSize: 5}, "en", 100, "[field]"},
		{"ids, of which there may be many", Rule{ShingleSize: 5}, "key N", 2000, "[field]"},
		{"categories", Rule{ShingleSize: 5}, "garden and outdoor furniture", 100, "[field]"},
		{"too few of them to say", Rule{ShingleSize: 5}, "en", 99, "[]"},
		{"one document many times", Rule{ShingleSize: 5}, words, 100, "[]"},
		{"Japanese titles", Rule{ByWords: true, ShingleSize: 5}, "川", 100, "[]"},
		{"passages", Rule{Preset: "passages", ShingleSize: 1}, words, 2000, "[]"},
		{"documents as passages", Rule{Preset: "passages", ShingleSize: 1}, strings.Repeat(words, 20), 2000, "[long]"},
		{"Thai by single words", Rule{ByWords: true, ShingleSize: 1}, "แม่น้ำไหลไปทางเหนือของโรงสี", 2000, "[spaces]"},
		{"Thai as passages", Rule{Preset: "passages", ShingleSize: 1}, "แม่น้ำไหลไปทางเหนือของโรงสี", 2000, "[]"},
		{"Japanese by the default", Rule{ByWords: true, ShingleSize: 5}, "川は水車小屋の北を流れている", 2000, "[]"},
		{"vectors", Rule{}, "A short title", 2000, "[]"},
	} {
		var said []Doubt
		texts := NewTexts(c.rule, func(d Doubt) { said = append(said, d) })
		for n := range c.count {
			texts.Examine([]byte(strings.ReplaceAll(c.text, "N", strconv.Itoa(n))))
		}
		if got := fmt.Sprint(names(said)); got != c.want || fmt.Sprint(names(texts.All())) != got {
			t.Errorf("%s: %s, want %s", c.of, got, c.want)
		}
	}
}

// The share that is removed may grow in proportion, or at once where a second copy of the input
// begins; it may not climb faster and faster.
func TestStreamClimbs(t *testing.T) {
	for of, c := range map[string]struct {
		share func(at float64) float64
		want  string
	}{
		"level":                {func(float64) float64 { return .4 }, "[]"},
		"copies anywhere":      {func(at float64) float64 { return at }, "[]"},
		"a second copy":        {func(at float64) float64 { return min(.9, float64(int(at*1.2))) }, "[]"},
		"votes that add up":    {func(at float64) float64 { return at * at * at * at }, "[climbs]"},
		"the same, hardly any": {func(at float64) float64 { return .1 * at * at * at * at }, "[]"},
	} {
		var parts []Part
		for i := range 97 {
			parts = append(parts, Part{1000, uint64(1000 * c.share(float64(i)/97))})
		}
		if got := fmt.Sprint(names(OfStream(parts))); got != c.want {
			t.Errorf("%s: %s, want %s", of, got, c.want)
		}
		if got := OfStream(parts[:5]); len(got) > 0 {
			t.Errorf("%s: 5,000 records say %v", of, got)
		}
	}
}

func TestHillAtTheThreshold(t *testing.T) {
	for _, c := range []struct {
		close, unequal, records uint64
		want                    string
	}{
		{69, 276, 15904, "[]"}, {230, 276, 15904, "[hill]"}, {230, 276, 999, "[]"}, {90, 100, 15904, "[]"},
		{0, 0, 15904, "[]"},
	} {
		if got := fmt.Sprint(names(OfSimilarities(c.close, c.unequal, c.records))); got != c.want {
			t.Errorf("%d of %d of %d: %s, want %s", c.close, c.unequal, c.records, got, c.want)
		}
	}
}

func TestCrowds(t *testing.T) {
	type group struct{ first, kept, removed uint64 }
	for _, c := range []struct {
		of     string
		groups []group
		want   string
	}{
		{"none", nil, ""},
		{"a crowd", []group{{77, 3000, 400}}, "about 3,400 records, such as record 77, resemble each other " +
			"as much as the threshold, and chance has removed 400 of them"},
		{"several", []group{{9, 49, 49}, {77, 3000, 400}, {90, 1000, 1600}}, "about 6,000 records, " +
			"such as record 77, resemble each other as much as the threshold, and chance has removed 2,000 of them"},
		{"close copies", []group{{77, 1000, 18000}}, ""},
	} {
		var crowds Crowds
		for _, g := range c.groups {
			crowds.Add(g.first, g.kept, g.removed)
		}
		got := ""
		for _, d := range crowds.Doubts() {
			got += d.Says
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.of, got, c.want)
		}
	}
}
