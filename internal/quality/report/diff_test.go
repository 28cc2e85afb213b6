package report

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// compared is two texts beside each other.
func compared(a, b string) (e Example) {
	e.Compare([]byte(a), []byte(b))
	return e
}

// joined is the text of spans: of all of them, or of those that are not marked.
func joined(spans []Span, unmarked bool) string {
	var b strings.Builder
	for _, s := range spans {
		if !unmarked || !s.Marked {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

var blank = regexp.MustCompile(`\s+`)

// folded is a text without what a comparison does not look at.
func folded(text string, caseless bool) string {
	if caseless {
		text = strings.ToLower(text)
	}
	return blank.ReplaceAllString(text, " ")
}

// TestCompare: the spans make up the texts, and two texts that are equal have no marks. What is not
// marked is the same in both, if these are too short for passages.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	words := []string{"one ", "One  ", "two ", "three, ", "河", "水", "ä́ ", "\n", ". "}
	make := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteString(words[random.IntN(len(words))])
		}
		return b.String()
	}
	for i := range 4000 {
		isShort := i%2 == 0
		most := map[bool]int{true: 5, false: 60}[isShort]
		a, b := make(most), make(most)
		e := compared(a, b)
		if joined(e.Text, false) != a || joined(e.Earlier, false) != b || e.Rest+e.EarlierRest != "" || e.Cut {
			t.Fatalf("%q, %q: the spans are %v, %v", a, b, e.Text, e.Earlier)
		}
		if isShort && folded(joined(e.Text, true), e.Caseless) != folded(joined(e.Earlier, true), e.Caseless) {
			t.Fatalf("%q, %q: what is the same differs: %v, %v", a, b, e.Text, e.Earlier)
		}
		if same := compared(a, a).Text; len(same) > 1 || len(same) == 1 && same[0].Marked {
			t.Fatalf("%q differs from itself: %v", a, same)
		}
	}
}

// TestCompareByWords: texts and what is marked in them, in brackets.
// Where the order of words does not count, a text with the same words in another order has nothing
// marked, and each other word is marked wherever it stands.
func TestCompareSets(t *testing.T) {
	sets := func(a, b string) Example {
		var e Example
		e.compareSets(excerptOf([]byte(a), Excerpt), excerptOf([]byte(b), Excerpt))
		return e
	}
	e := sets("Today, near the bank: the quick fox", "The quick fox near the bank today")
	if got := bracketed(e.Text) + "|" + bracketed(e.Earlier); strings.Contains(got, "[") {
		t.Error(got)
	}
	e = sets("near the shore the quick fox", "the quick brown fox near the bank")
	if got, want := bracketed(e.Text)+"|"+bracketed(e.Earlier),
		"near the [shore] the quick fox|the quick [brown] fox near the [bank]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCompareByWords(t *testing.T) {
	for _, c := range []struct{ about, a, b, left, right string }{
		{"a word for two", "It smells slightly of apples.", "It smells a little of apples.",
			"It smells [slightly] of apples.", "It smells [a little] of apples."},
		{"white space", "It smells\n  of Apples.", "It smells of apples.",
			"It smells\n  of [Apples].", "It smells of [apples]."},
		{"case, where it is all that differs", "IT SMELLS OF APPLES.", "It smells of apples,",
			"IT SMELLS OF APPLES[.]", "It smells of apples[,]"},
		{"words that are the same by chance", "They came late to a house on the hill.",
			"Nobody asked for a bit of soup.",
			"[They came late to a house on the hill].", "[Nobody asked for a bit of soup]."},
		{"what has no words", strings.Repeat("QUJDREVG", 9) + "x", strings.Repeat("QUJDREVG", 9) + "y",
			strings.Repeat("QUJDREVG", 9) + "[x]", strings.Repeat("QUJDREVG", 9) + "[y]"},
		{"passages in another order", "one two three four five six, seven eight nine ten eleven twelve",
			"seven eight nine ten eleven twelve; one two three four five six",
			"one two three four five six[, ]seven eight nine ten eleven twelve",
			"seven eight nine ten eleven twelve[; ]one two three four five six"},
		{"nothing in common", "one", "two", "[one]", "[two]"},
		{"nothing at all", "", "two", "", "[two]"},
	} {
		e := compared(c.a, c.b)
		if left, right := bracketed(e.Text), bracketed(e.Earlier); left != c.left || right != c.right {
			t.Errorf("%s:\n%s\n%s", c.about, left, right)
		}
	}
}

func bracketed(spans []Span) (text string) {
	for _, s := range spans {
		if s.Marked {
			s.Text = "[" + s.Text + "]"
		}
		text += s.Text
	}
	return text
}

// prose is so many words of a vocabulary, where each of which comes as often as words of a language
// do.
func prose(random *rand.Rand, words int) (list []string) {
	zipf := rand.NewZipf(random, 1.1, 2, 5000)
	for range words {
		list = append(list, fmt.Sprintf("w%d", zipf.Uint64()))
	}
	return list
}

// TestCompareLongTexts: of two texts of which most shingles of five words are the same, no example
// is marked as a whole, however long they are and wherever they differ.
func TestCompareLongTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for n := range 200 {
		a := prose(random, 100+random.IntN(4000))
		b := slices.Clone(a)
		switch changes := 1 + random.IntN(len(a)/40); n % 4 {
		case 0: // words here and there
			for range changes {
				b[random.IntN(len(b))] = "other"
			}
		case 1: // something before it
			b = append(prose(random, random.IntN(len(a)/2)), b...)
		case 2: // a passage left out
			at := random.IntN(len(b) / 2)
			b = slices.Delete(b, at, at+random.IntN(len(b)/3))
		case 3: // another beginning, another end
			at := len(b) / 10
			b = slices.Concat(prose(random, at), b[at:len(b)-at], prose(random, at))
		}
		if similar := jaccard(a, b); similar <= .5 {
			continue
		}
		e := compared(strings.Join(a, " "), strings.Join(b, " "))
		for _, shown := range []struct {
			spans []Span
			rest  string
		}{{e.Text, e.Rest}, {e.Earlier, e.EarlierRest}} {
			if joined(shown.spans, true) == "" && shown.rest == "" {
				t.Errorf("text %d is marked as a whole", n)
			}
		}
	}
}

// jaccard is the similarity of two lists of words by shingles of five.
func jaccard(a, b []string) float64 {
	shingles := func(words []string) map[string]bool {
		set := map[string]bool{}
		for i := range len(words) - 4 {
			set[strings.Join(words[i:i+5], " ")] = true
		}
		return set
	}
	left, right := shingles(a), shingles(b)
	both := 0
	for s := range left {
		if right[s] {
			both++
		}
	}
	return float64(both) / float64(len(left)+len(right)-both)
}

// TestCompareBeyondWhatIsShown: where the other text goes on, what has no counterpart is not
// marked.
func TestCompareBeyondWhatIsShown(t *testing.T) {
	long := strings.Join(prose(rand.New(rand.NewPCG(6, 6)), 3000), " ")
	before := strings.Repeat("preface ", Excerpt/8)
	e := compared(long, before[:Excerpt/2]+long)
	if len(e.Text) != 1 || e.Text[0].Marked || len(e.Earlier) != 2 || !e.Earlier[0].Marked || !e.Cut {
		t.Errorf("what is inserted, and nothing else, is to be marked: %d, %d spans", len(e.Text), len(e.Earlier))
	}
	if len(e.Rest) < Excerpt/3 || !strings.HasPrefix(long, e.Text[0].Text+e.Rest) || len(e.EarlierRest) > 60 {
		t.Errorf("%d and %d bytes are not compared", len(e.Rest), len(e.EarlierRest))
	}
	if e := compared(long, before+long); len(e.Text)+len(e.Earlier) != 0 || e.Rest == "" || e.EarlierRest == "" {
		t.Errorf("there is nothing to compare: %d, %d spans", len(e.Text), len(e.Earlier))
	}
	whole := long[:strings.LastIndexByte(long[:Excerpt/2], ' ')+1]
	if e := compared(whole, whole+before); len(e.Text) != 1 || e.Rest+e.EarlierRest != "" || !e.Earlier[1].Marked {
		t.Errorf("the other text has ended: %d, %d spans", len(e.Text), len(e.Earlier))
	}
}

// TestCompareIsBounded: texts that are as bad as can be, and far longer than what is shown.
func TestCompareIsBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	make := func() string {
		var b strings.Builder
		for b.Len() < 100*Excerpt {
			b.WriteByte("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"[random.IntN(31)])
		}
		return b.String()
	}
	a, b := make(), make()
	started := time.Now()
	compared(a, b)
	// It takes 60 ms on an idle machine; all of the texts would take minutes.
	if took := time.Since(started); took > time.Minute {
		t.Errorf("a comparison has taken %v", took)
	}
}
