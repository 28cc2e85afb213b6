package markup

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// hostile makes texts of about n bytes that parsers are slow on, or nest too deep for, where they
// are not bounded.
func hostile(n int) map[string]string {
	times := func(s string) string { return strings.Repeat(s, max(1, n/len(s))) }
	half := func(s string) string { return strings.Repeat(s, max(1, n/2/len(s))) }
	var fonts, ticks, lists, refs strings.Builder
	for i := 0; i < 500 && fonts.Len() < n/2; i++ {
		fmt.Fprintf(&fonts, "<b a=%d><code a=%d>", i, i)
	}
	for i := 1; ticks.Len() < n; i++ {
		ticks.WriteString("e" + strings.Repeat("`", i))
	}
	for i := 0; lists.Len() < n/2; i++ {
		lists.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	for i := 0; refs.Len() < n/2; i++ {
		fmt.Fprintf(&refs, "[%d]: u\n", i)
	}
	sentence := "A sentence, of some length, that counts as content. "
	return map[string]string{
		"quotes":             times(">"),
		"deep quotes":        half(strings.Repeat("> ", 49)+"a\n") + half(">\n"),
		"lists":              times("- "),
		"list lines":         times("-\n"),
		"deep lists":         lists.String() + half("\n"),
		"brackets":           half("[") + half("]"),
		"links":              times("[a]("),
		"nested links":       half("[") + half("](b)"),
		"links of <":         times("[](<"),
		"emphasis":           times("*a **a "),
		"closers":            times("a* "),
		"mixed marks":        times("a**b_c* "),
		"emphasis and links": times("[*a]("),
		"nested emphasis":    half("*a ") + half(" a*"),
		"ticks":              ticks.String(),
		"references":         refs.String() + half("[1]"),
		"wide table":         strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + "\n" + half("a\n"),
		"rulers":             times("-|-|\n"),
		"cells":              "|a|b|\n|-|-|\n" + times("|`\\|`|b|\n"),
		"open comments":      times("a <!-- "),
		"open instructions":  times("<? "),
		"open CDATA":         times("<![CDATA[ "),
		"open tags":          times("<a href=\""),
		"elements":           times("<div>"),
		"blocks of HTML":     times("<div>\n\n"),
		"formatting":         fonts.String() + half("<p>x"),
		"anchors":            times("<a><div></a>"),
		"tables":             times("<table><tr><td>a"),
		"foster":             "<table>" + times("a<p>"),
		"forms":              times("<form><div></form>"),
		"paragraphs":         times("<p>" + sentence),
		"deep paragraphs":    strings.Repeat("<div>", 90) + times("<p>"+sentence+"</p>"),
		"deep sections":      times(strings.Repeat("<section>", 90) + sentence + strings.Repeat("</section>", 90)),
		"headings":           "<title>a</title>" + times("<h2>abc</h2>a"),
		"images":             times("<img srcset='a 1x, b 2x'>"),
		"figures":            times("<svg><title>"),
		"options":            times("<option>a"),
		"spans":              "<div>" + times("<span>a</span>"),
		"attributes":         "<p " + times("a=1 ") + ">b",
		"class":              `<p class="` + times("comment ") + `">b`,
		"metas":              times("<meta name=description content=a>") + "b",
		"templates":          times("<template>a"),
		"entities":           times("&nGt;&x"),
		"NUL":                times("\x00"),
		"no UTF-8":           times("\xff\xc0"),
		"spaces":             times(" "),
		"less":               times("<"),
	}
}

// TestHostile reads texts of 1 MB, 10^6 marks deep; it fails by not coming to an end, or by a stack
// that grows.
func TestHostile(t *testing.T) {
	n := 1 << 20
	if testing.Short() {
		n = 1 << 12
	}
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	for name, text := range hostile(n) {
		for _, markup := range []string{"html", "html-text", "markdown"} {
			checkText(t, markup, []byte(text))
		}
		if t.Failed() {
			t.Fatalf("on %s", name)
		}
	}
}

// TestOutOfBounds shows that a text out of bounds is read in the simpler way.
func TestOutOfBounds(t *testing.T) {
	sentence := "<p>A sentence, of some length, that counts as content.</p>"
	nav := "<nav class=menu><a href=a>menu</a></nav>"
	deep := func(n int) string { return nav + strings.Repeat("<div>", n) + strings.Repeat(sentence, 10) }
	long := nav + strings.Repeat(sentence, maxPage/len(sentence)+1)
	many := nav + strings.Repeat(sentence, 10) + strings.Repeat("<br>", maxElements)
	for _, c := range []struct {
		page string
		menu bool
	}{{deep(10), false}, {deep(200), true}, {deep(1_000_000), true}, {long, true}, {many, true}} {
		if got := extract(t, "html", c.page); strings.Contains(got, "menu") != c.menu ||
			!strings.Contains(got, "sentence") {
			t.Errorf("%.80s gives %.80q", c.page[len(nav):], got)
		}
	}
	for _, c := range []struct {
		document string
		marks    bool
	}{
		{"*a*\n" + strings.Repeat("b\n", 1<<18), false},
		{"*a*\n" + strings.Repeat("b\n", 1<<19), true},
		{"*a*\n\n" + strings.Repeat("*b* ", 4000), false},
		{"*a*\n\n" + strings.Repeat("*b* ", 5000), true},
		{"*a*\n\n" + strings.Repeat("*b*\n\n", 5000), false},
		{"*a*\n\n" + strings.Repeat(">", maxMarkers), false},
		{"*a*\n\n" + strings.Repeat(">", maxMarkers+1), true},
		{"*a*\n\n" + strings.Repeat("|", 1000) + strings.Repeat("\nb", 200), false},
		{"*a*\n\n" + strings.Repeat("|", 1000) + strings.Repeat("\nb", 300), true},
	} {
		if got := extract(t, "markdown", c.document); strings.Contains(got, "*a*") != c.marks {
			t.Errorf("%.30q… of %d bytes gives %.30q…", c.document, len(c.document), got)
		}
	}
}
