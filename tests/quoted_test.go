package tests

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A figure is an entry of bench/figures.txt, which says what the entries mean.
type figure struct {
	name, value     string
	sources, quotes []quotation
}

// A quotation is where a figure stands: a file, or a command after "$ ", and the text around it.
type quotation struct{ place, text string }

const (
	number = `\.?\d[\d,]*(?:\.\d+)?`
	span   = number + `(?: to ` + number + `)?`
)

// TestFiguresAgree compares the figures in the pages with bench/figures.txt, and these with their
// sources.
func TestFiguresAgree(t *testing.T) {
	for _, f := range figures(t) {
		ends := ends(t, f.value)
		least, most := math.Inf(1), math.Inf(-1)
		for _, source := range f.sources {
			n := sourceOf(t, f.name, source)
			least, most = min(least, n), max(most, n)
		}
		if len(f.sources) > 0 && (!ends[0].agrees(least) || !ends[1].agrees(most)) {
			t.Errorf("%s = %s, and its sources say %v to %v", f.name, f.value, least, most)
		}
		for _, quote := range f.quotes {
			if !strings.Contains(pageOf(t, quote.place), strings.Replace(quote.text, "#", f.value, 1)) {
				t.Errorf("%s = %s: %s does not say %q", f.name, f.value, quote.place, quote.text)
			}
		}
	}
}

// figureForms are what figures look like that several pages quote.
var figureForms = regexp.MustCompile(span + ` bytes (?:a|per|for each) (?:record|shingle)|` +
	span + ` times the (?:memory|CPU)|` + number + ` records (?:of 2 KB )?a second|precision of ` + span)

// measuredHere are the pages whose figures of these forms are about what they measure alone.
var measuredHere = regexp.MustCompile(`docs/recipes/boilerplate\.md|docs/design/errors\.md|bench/HISTORY\.md`)

// TestFiguresAreListed finds figures that bench/figures.txt does not know, so that a page cannot
// quote a value of its own.
func TestFiguresAreListed(t *testing.T) {
	listed := map[string][]string{}
	for _, f := range figures(t) {
		for _, quote := range f.quotes {
			listed[quote.place] = append(listed[quote.place], strings.Replace(quote.text, "#", f.value, 1))
		}
	}
	found := 0
	for _, path := range pagesWithFigures(t) {
		page := pageOf(t, path)
		for _, quote := range listed[path] {
			found += strings.Count(page, quote)
			page = strings.ReplaceAll(page, quote, "")
		}
		for _, stray := range figureForms.FindAllString(page, -1) {
			if !measuredHere.MatchString(path) {
				t.Errorf("%s says %q, which bench/figures.txt does not know", path, stray)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d quotations were found", found)
	}
}

func pagesWithFigures(t *testing.T) []string {
	pages := []string{"README.md", "bench/README.md", "bench/HISTORY.md", "llms.txt", "python/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "config/help/texts/*.txt"} {
		some, err := filepath.Glob(pattern)
		if err != nil || len(some) == 0 {
			t.Fatal(pattern, err)
		}
		pages = append(pages, some...)
	}
	return pages
}

// figures reads bench/figures.txt.
func figures(t *testing.T) (all []figure) {
	t.Helper()
	text, err := os.ReadFile("bench/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		if strings.HasPrefix(paragraph, "#") {
			continue
		}
		lines := strings.Split(paragraph, "\n")
		name, value, isFigure := strings.Cut(lines[0], " = ")
		if !isFigure || !regexp.MustCompile(`^`+span+`$`).MatchString(value) {
			t.Fatalf("%q is no figure", lines[0])
		}
		f := figure{name: name, value: value}
		for _, line := range lines[1:] {
			place, text, isPlace := strings.Cut(line, " | ")
			source, isSource := strings.CutPrefix(place, "from ")
			switch {
			case !isPlace || !strings.Contains(text, "#"):
				t.Fatalf("%s: %q has no place, or no #", name, line)
			case isSource:
				f.sources = append(f.sources, quotation{source, text})
			default:
				f.quotes = append(f.quotes, quotation{place, text})
			}
		}
		all = append(all, f)
	}
	return all
}

// pageOf is the text of a file with single spaces, wherever its lines end.
func pageOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// sourceOf is the number that a source has, or the quotient of its two.
func sourceOf(t *testing.T, name string, source quotation) float64 {
	t.Helper()
	var text string
	if command, isCommand := strings.CutPrefix(source.place, "$ "); isCommand {
		words := strings.Fields(command)
		out, err := exec.Command(words[0], words[1:]...).Output()
		if err != nil {
			t.Fatal(command, err)
		}
		text = strings.Join(strings.Fields(string(out)), " ")
	} else {
		text = pageOf(t, source.place)
	}
	pattern := regexp.QuoteMeta(source.text)
	pattern = strings.NewReplacer(`#`, `(`+number+`)`, `…`, `.*?`).Replace(pattern)
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if match == nil {
		t.Errorf("%s: %s does not have %q", name, source.place, source.text)
		return math.NaN()
	}
	n := parsed(t, match[1])
	if len(match) > 2 {
		n = parsed(t, match[2]) / n
	}
	return n
}

// A rounded number stands for those that are rounded to it.
type rounded struct{ n, unit float64 }

func (r rounded) agrees(with float64) bool { return math.Abs(with-r.n) <= r.unit/2*(1+1e-9) }

// ends are the ends of a range, or twice a number. Zeros at the end of a large one are no digits.
func ends(t *testing.T, value string) (ends [2]rounded) {
	t.Helper()
	from, to, isRange := strings.Cut(value, " to ")
	if !isRange {
		to = from
	}
	for i, text := range []string{from, to} {
		digits := strings.ReplaceAll(text, ",", "")
		ends[i] = rounded{parsed(t, text), 1}
		if _, fraction, hasPoint := strings.Cut(digits, "."); hasPoint {
			ends[i].unit = math.Pow10(-len(fraction))
		} else if len(digits) > 4 {
			ends[i].unit = math.Pow10(len(digits) - len(strings.TrimRight(digits, "0")))
		}
	}
	return ends
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Fatal(fmt.Errorf("%q: %w", text, err))
	}
	return n
}
