package report

import (
	"fmt"
	"strings"
	"testing"
)

// wordsFrom are n different words.
func wordsFrom(name string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(name, i))
	}
	return strings.Join(list, " ")
}

// exampleOf is the one example of a record that has an earlier one.
func exampleOf(t *testing.T, way Measure, earlier, text string) Example {
	t.Helper()
	c := Collector{Threshold: .8, Originals: true}
	c.Add(&Record{Number: 1, Input: "in", At: 1, Text: []byte(earlier), Measure: way})
	c.Add(&Record{Number: 2, Input: "in", At: 2, Text: []byte(text), Measure: way, Removed: true, Original: 1,
		Similarity: .94})
	var run Run
	c.Fill(&run, func(uint64) string { return "in:1" })
	if len(run.Examples) != 1 || run.Shared() != (way != Alike) {
		t.Fatalf("%d examples, shared: %t", len(run.Examples), run.Shared())
	}
	return run.Examples[0]
}

// shown is a text as it is shown, with what is marked in brackets.
func shown(spans []Span, rest string) string {
	text := ""
	for _, s := range spans {
		if s.Marked {
			text += "[" + s.Text + "]"
		} else {
			text += s.Text
		}
	}
	return text + rest
}

// What was cut out of the middle of a long text is shown where it stands there, and marked.
func TestThePartThatIsContainedIsMarked(t *testing.T) {
	part := wordsFrom("part", 40)
	page := wordsFrom("head", 1000) + " " + part + " " + wordsFrom("foot", 1000)
	e := exampleOf(t, InEarlier, page, part+" and a line of its own")
	if got, want := shown(e.Text, e.Rest), "["+part+"] and a line of its own"; got != want {
		t.Errorf("the record is shown as\n%s, want\n%s", got, want)
	}
	got := shown(e.Earlier, e.EarlierRest)
	if !strings.HasPrefix(got, "… head") || !strings.Contains(got, " ["+part) {
		t.Errorf("the earlier one is shown as\n%.900s", got)
	}
	if at := strings.Index(got, part); at > before+20 || len(got) > Excerpt+20 || !e.Cut {
		t.Errorf("the part begins at byte %d of %d", at, len(got))
	}
	if e.Measured() != "94.0 % of it is in the earlier one" {
		t.Error(e.Measured())
	}
	whole := exampleOf(t, HasEarlier, part, page)
	if got := shown(whole.Text, whole.Rest); !strings.HasPrefix(got, "… head") || !strings.Contains(got, part) {
		t.Errorf("the record that has the earlier one is shown as\n%.900s", got)
	}
	if got := shown(whole.Earlier, whole.EarlierRest); got != "["+part+"]" {
		t.Errorf("the earlier one is shown as\n%s", got)
	}
	if whole.Measured() != "94.0 % of the earlier one is in it" {
		t.Error(whole.Measured())
	}
	if alike := exampleOf(t, Alike, part, part+" more"); shown(alike.Text, alike.Rest) != part+"[ more]" {
		t.Error(shown(alike.Text, alike.Rest))
	}
}

// Whatever the texts are, what is shown of them is of their bytes and within the bound.
func TestPartsOfTextsThatHaveNothingInCommon(t *testing.T) {
	for _, texts := range [][2]string{{"", ""}, {"a", ""}, {strings.Repeat("é", 5000), "x y"},
		{strings.Repeat("word ", 20_000), strings.Repeat("word ", 20_000)}} {
		e := exampleOf(t, InOther, texts[0], texts[1])
		for text, got := range map[string]string{
			texts[1]: shown(e.Text, e.Rest), texts[0]: shown(e.Earlier, e.EarlierRest),
		} {
			got = strings.NewReplacer("[", "", "]", "").Replace(got)
			if !strings.HasPrefix(text, got) || len(got) > Excerpt || len(got) < min(len(text), Excerpt-8) {
				t.Errorf("of %d bytes %d are shown: %.60q", len(text), len(got), got)
			}
		}
	}
}
