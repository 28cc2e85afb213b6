package boilerplate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/boilerplate"
	"github.com/mithril-stream/mithril-stream/internal/urlkey"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
)

// A sitePage is a page of a documentation site as a generator makes it, and its own text.
type sitePage struct{ html, own string }

// A generator makes pages of one site: a banner, a menu of all pages, a path, the text, a list of
// its headings, links to the pages before and after, and a footer.
type generator struct {
	rng   *rand.Rand
	words []string
}

func newGenerator() *generator {
	g := &generator{rng: rand.New(rand.NewPCG(66, 2))}
	for range 3000 {
		var word strings.Builder
		for range 2 + g.rng.IntN(8) {
			word.WriteByte("aeiourstlnmdcpgbfhvk"[g.rng.IntN(20)])
		}
		g.words = append(g.words, word.String())
	}
	return g
}

func (g *generator) say(least, most int) string {
	said := make([]string, least+g.rng.IntN(most-least+1))
	for i := range said {
		said[i] = g.words[g.rng.IntN(len(g.words))]
	}
	return strings.Join(said, " ")
}

// body returns the text of a page: sections of prose, options and code. An index has links only.
func (g *generator) body(title string, isIndex bool) (html, own string, headings []string) {
	var h, o strings.Builder
	add := func(element, text string) {
		fmt.Fprintf(&h, "<%s>%s</%s>\n", element, text, strings.Fields(element)[0])
		o.WriteString(text + "\n")
	}
	add("h1", title)
	if isIndex {
		for range 6 {
			add("li", g.say(2, 4))
		}
		return h.String(), o.String(), nil
	}
	for range 1 + g.rng.IntN(4) {
		headings = append(headings, g.say(2, 4))
		add("h2", headings[len(headings)-1])
		for range 1 + g.rng.IntN(3) {
			add("p", g.say(15, 60))
		}
		if g.rng.IntN(2) == 0 {
			add("h3", "Parameters")
			for range 2 + g.rng.IntN(3) {
				add("dt", g.say(1, 1))
				add("dd", g.say(4, 12))
			}
		}
		if g.rng.IntN(2) == 0 {
			add("pre", "import client\n"+g.say(3, 5)+" {\n"+g.say(2, 4)+"\n}")
		}
	}
	return h.String(), o.String(), headings
}

func (g *generator) site(pages int) []sitePage {
	titles := make([]string, pages)
	for i := range titles {
		titles[i] = g.say(2, 4)
	}
	list := func(class string, items []string) string {
		links := strings.Join(items, "</a></li>\n<li><a href=#>")
		return "<ul class=" + class + "><li><a href=#>" + links + "</a></li></ul>\n"
	}
	banner := list("top", []string{"Product", "Docs", "Pricing", "Blog", "Community", "Sign in"})
	footer := "<footer><p>© 2026 " + g.say(2, 2) + "</p><p>" + g.say(20, 20) + "</p>" +
		list("legal", []string{"Privacy", "Terms", "Cookies"}) + "</footer>"
	menu := list("menu", titles[:40])
	site := make([]sitePage, pages)
	for i := range site {
		pager := []string{"Previous: " + titles[(i+pages-1)%pages], "Next: " + titles[(i+1)%pages]}
		body, own, headings := g.body(titles[i], i%10 == 0)
		site[i] = sitePage{"<html><body><header>" + banner + "</header><div class=side>" + menu + "</div>\n" +
			"<div class=content><div class=path><span>Docs</span> <span>" + titles[i] + "</span></div>\n<div>" + body +
			"</div><p>Was this page helpful?</p><p><a href=#>Edit this page</a></p>" +
			list("pager", pager) + "</div>\n<div class=toc><p>On this page</p>" + list("headings", headings) +
			"</div>" + footer + "</body></html>", own}
	}
	return site
}

// A wordCount counts the words that were kept, those that pages have of their own, and both.
type wordCount struct{ kept, own, both float64 }

func (w *wordCount) add(kept, own string) {
	left := map[string]int{}
	for word := range strings.FieldsSeq(own) {
		left[word]++
		w.own++
	}
	for word := range strings.FieldsSeq(kept) {
		w.kept++
		if left[word] > 0 {
			left[word]--
			w.both++
		}
	}
}

func (w wordCount) precision() float64 { return w.both / w.kept }
func (w wordCount) recall() float64    { return w.both / w.own }

// TestDocumentationSite measures what cutting keeps of a documentation site, and what extracting
// the main content of each page for itself does. docs/recipes/boilerplate.md has these figures.
func TestDocumentationSite(t *testing.T) {
	site := newGenerator().site(400)
	read := func(name string) (texts []string) {
		extractor, err := markup.New(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range site {
			texts = append(texts, string(extractor(nil, []byte(p.html))))
		}
		return texts
	}
	all, main := read("html-text"), read("html")
	for _, of := range []struct {
		name              string
		texts             []string
		precision, recall [2]float64
	}{
		{"all text", all, [2]float64{.53, .57}, [2]float64{.999, 1}},
		{"main content", main, [2]float64{.95, .975}, [2]float64{.99, 1}},
		{"lines cut", cutAll(t, boilerplate.Lines, all), [2]float64{.91, .93}, [2]float64{.98, .99}},
		{"main content, lines cut", cutAll(t, boilerplate.Lines, main), [2]float64{.97, .985}, [2]float64{.98, .99}},
	} {
		var n wordCount
		for i, text := range of.texts {
			n.add(text, site[i].own)
		}
		t.Logf("%s: precision %.3f, recall %.3f", of.name, n.precision(), n.recall())
		if p := n.precision(); p < of.precision[0] || p > of.precision[1] {
			t.Errorf("%s: precision %.4f", of.name, p)
		}
		if r := n.recall(); r < of.recall[0] || r > of.recall[1] {
			t.Errorf("%s: recall %.4f", of.name, r)
		}
	}
}

// cutAll cuts what is boilerplate of one site from the texts of its pages.
func cutAll(t *testing.T, unit boilerplate.Unit, texts []string) []string {
	counter, err := boilerplate.NewCounter(boilerplate.Options{
		Unit: unit, MinShare: .3, MinRecords: 3, Memory: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer counter.Close()
	sketcher := boilerplate.NewSketcher(unit, urlkey.AsItIs)
	for _, text := range texts {
		sketch, _ := sketcher.Append(nil, []byte(text))
		if err := counter.Add(sketch); err != nil {
			t.Fatal(err)
		}
	}
	table, err := counter.Table()
	if err != nil {
		t.Fatal(err)
	}
	spotter, cutter := boilerplate.NewSpotter(table, urlkey.AsItIs), boilerplate.NewCutter(table)
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = text
		sketch, ok := spotter.Append(nil, []byte(text))
		if !ok || sketch[1] != boilerplate.SpottedSome {
			continue
		}
		cutter.Find(sketch[0], []byte(text))
		var left strings.Builder
		from := 0
		for _, c := range cutter.Cuts(len(text)) {
			left.WriteString(text[from:c.Start])
			from = c.End
		}
		cut[i] = left.String() + text[from:]
	}
	return cut
}
