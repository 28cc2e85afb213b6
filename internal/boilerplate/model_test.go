package boilerplate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/urlkey"
)

type page struct{ site, text string }

// drawPages draws pages of few sites and few lines, some blank and some without letters.
func drawPages(t *rapid.T) []page {
	line := rapid.SampledFrom([]string{"", " ", "}", "---", "Home", " Home\t", "Blog", "a 1", "é", "7", "x\r"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) page {
		lines := rapid.SliceOfN(line, 1, 8).Draw(t, "lines")
		return page{rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "site"), strings.Join(lines, "\n")}
	}), 1, 40).Draw(t, "pages")
}

// modelParts are the parts of a text as the documentation has them, trimmed.
func modelParts(unit Unit, text string) (parts []string) {
	if unit == Lines {
		for _, line := range strings.Split(text, "\n") {
			parts = append(parts, strings.TrimSpace(line))
		}
		return parts
	}
	var block []string
	for _, line := range append(strings.Split(text, "\n"), "") {
		if strings.TrimSpace(line) != "" {
			block = append(block, line)
			continue
		}
		parts, block = append(parts, strings.TrimSpace(strings.Join(block, "\n"))), nil
	}
	return parts
}

// A table has what a count with maps has, whatever the memory.
func TestTableAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawPages(t)
		o := Options{
			Unit:     rapid.SampledFrom([]Unit{Lines, Blocks}).Draw(t, "unit"),
			MinShare: rapid.SampledFrom([]float64{.1, .3, .5, 1}).Draw(t, "share"), MinRecords: 2, Memory: 1 << 20,
		}
		of, with := map[string]int{}, map[[2]string]int{}
		for _, p := range pages {
			if strings.TrimSpace(p.text) == "" {
				continue
			}
			of[p.site]++
			parts := modelParts(o.Unit, p.text)
			slices.Sort(parts)
			for _, part := range slices.Compact(parts) {
				with[[2]string{p.site, part}]++
			}
		}
		table := tableOf(t, o, pages, rapid.IntRange(4, 200).Draw(t, "items"))
		found := 0
		for what, n := range with {
			isMeant := hasWord([]byte(what[1])) && n >= 2 && float64(n) >= o.MinShare*float64(of[what[0]])
			at := table.find(keyOf(siteOf([]byte(what[0]), true), hashOf([]byte(what[1]))))
			if hasWord([]byte(what[1])) && (at >= 0) != isMeant {
				t.Fatalf("%q on %d of %d: found %v", what, n, of[what[0]], at >= 0)
			}
			if isMeant {
				found++
				if e := table.Entry(at); e.Records != uint64(n) || e.Of != uint64(of[what[0]]) {
					t.Fatalf("%q on %d of %d: %+v", what, n, of[what[0]], e)
				}
			}
		}
		if table.Len() != found {
			t.Fatalf("%d entries, and not %d", table.Len(), found)
		}
	})
}

// tableOf counts pages with memory for that many items, so that the others go to files.
func tableOf(t interface {
	Fatal(...any)
	Helper()
}, o Options, pages []page, items int) *Table {
	t.Helper()
	c, err := NewCounter(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.items, c.scratch = c.items[:items], c.scratch[:items]
	s := NewSketcher(o.Unit, urlkey.AsItIs)
	for _, p := range pages {
		s.Within([]byte(p.site), true)
		sketch, _ := s.Append(nil, []byte(p.text))
		if err := c.Add(sketch); err != nil {
			t.Fatal(err)
		}
	}
	table, err := c.Table()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Whatever is cut: what stays is in order, what goes has no letter or digit or is in the table, and
// all of the table goes.
func TestCutsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawPages(t)
		o := Options{MinShare: .3, MinRecords: 2, Memory: 1 << 20}
		table := tableOf(t, o, pages, 4096)
		c, spotter := NewCutter(table), NewSpotter(table, urlkey.AsItIs)
		for _, p := range pages {
			site := siteOf([]byte(p.site), true)
			found := len(c.Find(site, []byte(p.text)))
			left := p.text
			cuts := slices.Clone(c.Cuts(len(p.text)))
			for i := len(cuts) - 1; i >= 0; i-- {
				left = left[:cuts[i].Start] + left[cuts[i].End:]
			}
			isBoilerplate := func(line string) bool {
				return table.find(keyOf(site, hashOf([]byte(strings.TrimSpace(line))))) >= 0
			}
			var want, got []string
			for line := range strings.SplitSeq(p.text, "\n") {
				if hasWord([]byte(line)) && !isBoilerplate(line) {
					want = append(want, line)
				}
			}
			for line := range strings.SplitSeq(left, "\n") {
				if hasWord([]byte(line)) {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q: left %q", p.text, left)
			}
			if found == 0 && left != p.text {
				t.Fatalf("%q: nothing was found, and left is %q", p.text, left)
			}
			spotter.Within([]byte(p.site), true)
			sketch, ok := spotter.Append(nil, []byte(p.text))
			spotted := uint64(SpottedSome)
			switch {
			case found == 0:
				spotted = SpottedNone
			case len(want) == 0:
				spotted = SpottedWhole
			}
			if ok && (sketch[1] != spotted || sketch[2] != uint64(len(p.text))) {
				t.Fatalf("%q: spotted %v", p.text, sketch)
			}
		}
	})
}

// More files than may be open are merged in between.
func TestManyFiles(t *testing.T) {
	var pages []page
	for i := range 3 * mostRuns {
		pages = append(pages, page{"a", fmt.Sprintf("Home\n%d", i)})
	}
	table := tableOf(t, Options{MinShare: .3, MinRecords: 2, Memory: 1 << 20}, pages, 3)
	if table.Len() != 1 || table.Entry(0) != (Entry{3 * mostRuns, 3 * mostRuns}) {
		t.Errorf("%+v", table.entries)
	}
}

func TestCuts(t *testing.T) {
	var pages []page
	for range 3 {
		pages = append(pages, page{"", "Home\nBlog\nFooter"})
	}
	table := tableOf(t, Options{MinShare: .3, MinRecords: 3, Memory: 1 << 20}, pages, 4096)
	c := NewCutter(table)
	for text, want := range map[string]string{
		"Home\nBlog\n\ntext\n":           "text\n",
		"text\n\nFooter":                 "text",
		"text\nFooter\n":                 "text\n",
		"one\n\nHome\n\ntwo":             "one\n\ntwo",
		"one\nHome\n\ntwo":               "one\n\ntwo",
		"one\nHome\ntwo":                 "one\ntwo",
		"Home\n|\nBlog\n---\none\n}\n":   "---\none\n}\n",
		"*\nHome\none":                   "one",
		"one\n  Home  \r\ntwo":           "one\ntwo",
		"Home page\nBlog":                "Home page",
		"one\n\n\nHome\n\n\nBlog\ntwo\n": "one\n\n\ntwo\n",
	} {
		c.Find(siteOf([]byte(""), true), []byte(text))
		got := text
		cuts := c.Cuts(len(text))
		for i := len(cuts) - 1; i >= 0; i-- {
			got = got[:cuts[i].Start] + got[cuts[i].End:]
		}
		if got != want {
			t.Errorf("of %q is left %q, and not %q", text, got, want)
		}
	}
}

// What is boilerplate must fit into the memory.
func TestTooMuchBoilerplate(t *testing.T) {
	c, err := NewCounter(Options{MinShare: .3, MinRecords: 2, Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		for hash := range uint64(leastItems + 1) {
			if err := c.Add([]uint64{1, hash + 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err = c.Table(); err != nil {
		t.Fatal(err) // on 2 of 8,194 pages: nothing
	}
	if c, err = NewCounter(Options{MinShare: 1e-9, MinRecords: 2, Memory: 1}); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		for hash := range uint64(leastItems + 1) {
			if err := c.Add([]uint64{1, hash + 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err = c.Table(); err == nil || !strings.Contains(err.Error(), "give more than 1 bytes with --memory") {
		t.Error(err)
	}
}

// A sort in passes is a sort, also where hashes agree in their upper halves.
func TestSortItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.SampledFrom([]uint64{0, 1, 1 << 33, 1 << 63, 7<<32 + 5}).Draw(t, "high") +
				rapid.Uint64Range(0, 3).Draw(t, "low")
		})
		items := rapid.SliceOf(rapid.Custom(func(t *rapid.T) item {
			return item{word.Draw(t, "site"), word.Draw(t, "hash")}
		})).Draw(t, "items")
		want := slices.Clone(items)
		slices.SortFunc(want, item.compare)
		if got := sortItems(items, make([]item, len(items))); !slices.Equal(got, want) {
			t.Fatalf("%v, and not %v", got, want)
		}
	})
}
