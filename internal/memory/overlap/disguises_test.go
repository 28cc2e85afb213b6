package overlap_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
)

// The items that are disguised: a question of short lines, and one with choices.
const (
	pens = "Olivia has twelve boxes.\nEach box holds 7 red pens and 5 blue pens.\n" +
		"She gives away a third of all her pens; they cost $1,200.\nHow many pens doesn't she have in the end?"
	gases = "Which gas do plants mainly take in?\nA) oxygen\nB) carbon dioxide\nC) nitrogen\nD) helium"
)

// disguises are what may have become of an item, by the name that docs/recipes/evaluation-sets.md
// gives it.
var disguises = map[string]func(string) string{
	"the text as it is":   func(s string) string { return s },
	"upper case":          strings.ToUpper,
	"wrapped elsewhere":   func(s string) string { return strings.Join(strings.Fields(s), "\n") },
	"in one line":         func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	"indented":            func(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") },
	"CR LF":               func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"no-break spaces":     func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
	"zero-width spaces":   func(s string) string { return strings.ReplaceAll(s, "e", "e\u200b") },
	"no punctuation":      strings.NewReplacer(".", "", "?", "", ";", "", ",", "", "'", "").Replace,
	"curly quotes":        strings.NewReplacer("'", "’").Replace,
	"full-width letters":  func(s string) string { return strings.Map(fullWidth, s) },
	"a member of JSON":    func(s string) string { return quoted(map[string]string{"question": s, "answer": "96"}) },
	"JSON within JSON":    func(s string) string { return quoted(map[string]string{"q": quoted(s)}) },
	"escaped as \\uXXXX":  func(s string) string { return strings.ReplaceAll(quoted(s), " ", `\u0020`) },
	"a literal of Python": func(s string) string { return "{'q': '" + pythonic.Replace(s) + "', 'a': 96}" },
	"`<br>`":              func(s string) string { return strings.ReplaceAll(s, "\n", "<br>") },
	"escaped `<br />`":    func(s string) string { return strings.ReplaceAll(html.EscapeString(s), "\n", "<br />") },
	"paragraphs of HTML": func(s string) string {
		return "<p>" + strings.ReplaceAll(s, "\n", "</p><p class=\"q\">") + "</p>"
	},
	"words in bold": func(s string) string {
		return strings.NewReplacer("gas", "<b>g</b>as", "box", "<b>box</b>").Replace(s)
	},
	"`&#10;`":             func(s string) string { return strings.ReplaceAll(s, "\n", "&#10;") },
	"`&nbsp;`":            func(s string) string { return strings.ReplaceAll(s, " ", "&nbsp;") },
	"`&amp;#10;`":         func(s string) string { return strings.ReplaceAll(s, "\n", "&amp;#10;") },
	"a quotation (`> `)":  func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") },
	"a list (`- `)":       func(s string) string { return "- " + strings.ReplaceAll(s, "\n", "\n- ") },
	"cells of a table":    func(s string) string { return "| " + strings.ReplaceAll(s, "\n", " | ") + " |" },
	"comments (`# `)":     func(s string) string { return "# " + strings.ReplaceAll(s, "\n", "\n# ") },
	"Markdown's emphasis": strings.NewReplacer("box", "**box**", "gas", "_gas_").Replace,
	"`A)oxygen`":          strings.NewReplacer(") ", ")").Replace,
	"`A. oxygen`":         strings.NewReplacer(") ", ". ").Replace,
	"`(a) oxygen`": func(s string) string {
		return choice.ReplaceAllStringFunc(s, func(c string) string { return "(" + strings.ToLower(c) })
	},
	"`A.oxygen`": strings.NewReplacer(") ", ".").Replace,
	"a list of choices": func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = choice.ReplaceAllString(lines[i], "")
		}
		return fmt.Sprintf(`{"question": %s, "choices": %s}`, quoted(lines[0]), quoted(lines[1:]))
	},
	"another word": strings.NewReplacer("mainly", "mostly", "holds", "contains").Replace,
	"numbered lines": func(s string) string {
		for n := 2; strings.Contains(s, "\n"); n++ {
			s = strings.Replace(s, "\n", fmt.Sprintf("\v%d ", n), 1)
		}
		return "1 " + strings.ReplaceAll(s, "\v", "\n")
	},
	"choices in another order": func(s string) string {
		return strings.NewReplacer("oxygen", "helium", "carbon dioxide", "nitrogen", "nitrogen", "carbon dioxide",
			"helium", "oxygen", "Each", "Every").Replace(s)
	},
	"words that are hyphenated at line ends": strings.NewReplacer("mainly", "main-\nly", "twelve", "twel-\nve").Replace,
	"percent-encoding":                       url.QueryEscape,
	"lookalike letters":                      strings.NewReplacer("e", "е", "o", "о").Replace,
}

var (
	choice   = regexp.MustCompile(`(?m)^([A-D])\)? ?`)
	pythonic = strings.NewReplacer("\n", `\n`, "'", `\'`)
)

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func fullWidth(r rune) rune {
	if r > ' ' && r < 0x7f {
		return r - ' ' + 0xff00
	}
	return r
}

// What the page says of each disguise is so, and the page leaves none out.
func TestDisguises(t *testing.T) {
	page, err := os.ReadFile("../../../docs/recipes/evaluation-sets.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	lists := regexp.MustCompile(`(?s)\nThese forms are found: (.*?)\.\n\nThese are not found:\n\n(.*?)\n\n`).FindStringSubmatch(string(page))
	if lists == nil {
		t.Fatal("the page has no lists of disguises")
	}
	for _, name := range strings.Split(strings.ReplaceAll(lists[1], "\n", " "), ", ") {
		said[name] = "yes"
	}
	for _, line := range strings.Split(lists[2], "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "- "), ":")
		said[name] = "no"
	}
	x, err := overlap.NewItems([][]byte{[]byte(pens), []byte(gases)}, nil, 13, 1, .6)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, disguise := range disguises {
		findings := scan(t, x, []string{
			"It was in the book: " + disguise(pens) + " That is all.", "Of chemistry. " + disguise(gases) + " Then.",
		})
		is := "yes"
		for i := range x.Len() {
			if _, records, _ := findings.Found(i); records == 0 {
				is = "no"
			}
		}
		if said[name] != is {
			t.Errorf("%q: found is %s, the page says %q", name, is, said[name])
		}
		if is == "yes" {
			found++
		}
	}
	if found < 30 || len(said) != len(disguises) {
		t.Errorf("%d of %d disguises are found; the page has %d", found, len(disguises), len(said))
	}
}

// Of 50 questions with one prompt of which 20 were planted, those 20 are found, whether records
// have the prompt or not, whether the questions are long or short, and also if their beginnings are
// alike; and so are 20 of 50 without a prompt.
func TestPlantedAmongTemplates(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	const before = "You are given a question from an examination. Think about it step by step, and give the " +
		"answer alone, without any explanation. Question: "
	const after = " Answer with one of the letters, and with nothing else at all, so that it can be checked."
	word := func() string { return fmt.Sprint("w", rng.IntN(4000)) }
	some := func(count int) string {
		list := make([]string, count)
		for i := range list {
			list[i] = word()
		}
		return strings.Join(list, " ")
	}
	for name, question := range map[string]func() string{
		"short": func() string { return fmt.Sprint("What is ", rng.IntN(400), " plus ", rng.IntN(400), "?") },
		"long":  func() string { return "How many of the " + some(20) + "?" },
	} {
		for _, of := range []struct{ name, before, after, around string }{
			{"prompts", before, after, "prompts"}, {"prompts before", before, "", "prompts"}, {"plain", "", "", ""},
		} {
			var items [][]byte
			var records []string
			for range 50 {
				items = append(items, []byte(of.before+question()+of.after))
			}
			for i := range 200 {
				text := question()
				if of.around != "" {
					text = of.before + text + of.after
				}
				if i < 20 {
					text = string(items[i])
				}
				records = append(records, some(rng.IntN(90))+" "+text+" "+some(rng.IntN(90)))
			}
			x, err := overlap.NewItems(items, nil, 13, 1, .6)
			if err != nil {
				t.Fatal(err)
			}
			findings := scan(t, x, records)
			for i := range items {
				if _, found, _ := findings.Found(i); (found > 0) != (i < 20) {
					t.Errorf("%s, %s: item %d is in %d records", name, of.name, i, found)
				}
			}
		}
	}
}
