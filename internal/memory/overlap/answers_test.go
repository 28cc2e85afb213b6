package overlap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
)

// An answer counts within fifty words after the item, and what of it is missing; also at the very
// end of a text, and beside equal items with other answers.
func TestAnswersFollow(t *testing.T) {
	question := "Which clock in the tower has one hand and no bell?"
	texts := [][]byte{[]byte(question), []byte(question), []byte("Keynes"), []byte("Keynes")}
	x, err := overlap.NewItems(texts, []overlap.Answer{
		{Text: []byte("the old one")}, {Text: []byte("the new one")}, {Text: []byte("an economist"), Needed: true}, {},
	}, 13, 1, .6)
	if err != nil {
		t.Fatal(err)
	}
	if x.Same(1) != 1 || x.Same(3) != 3 {
		t.Error("items with other answers are the same")
	}
	for _, test := range []struct {
		name, text        string
		records, answered string
	}{
		{"at once", question + " The OLD one", "1100", "1000"},
		{"cut off", question + " the old", "1100", "0000"},
		{"before", "The old one. " + question, "1100", "0000"},
		{"in time", question + strings.Repeat(" word", 50) + " the new one.", "1100", "0100"},
		{"too late", question + strings.Repeat(" word", 51) + " the new one.", "1100", "0000"},
		{"both", question + " Not the old one, but the new one", "1100", "1100"},
		{"the second time", question + strings.Repeat(" word", 99) + question + " the old one", "1100", "1000"},
		{"needed", "Keynes was an economist", "0011", "0010"},
		{"needed and not there", "Keynes, economist", "0001", "0000"},
	} {
		findings := scan(t, x, []string{test.text})
		records, answered := "", ""
		for i := range texts {
			_, n, _ := findings.Found(i)
			records, answered = records+fmt.Sprint(n), answered+fmt.Sprint(findings.Answered(i))
		}
		if records != test.records || answered != test.answered {
			t.Errorf("%s: in records %s, want %s; answered in %s, want %s", test.name, records, test.records, answered,
				test.answered)
		}
	}
}

// Words are common in English, or in one of twenty texts of a hundred.
func TestDistinctItems(t *testing.T) {
	few, many := overlap.NewWords(nil), make([][]byte, 100)
	for i := range many {
		many[i] = fmt.Appendf(nil, "word%d apples", i/4)
	}
	for _, test := range []struct {
		text               string
		least              int
		among, amongOthers bool
	}{
		{"Theories", 4, false, false},
		{"Theories", 1, true, true},
		{"How do you do it?", 4, false, false},
		{"How do you do that, and who is there with all of it?", 4, true, true},
		{"Which apples are sour?", 4, true, false},
		{"Which apples and pears are sour?", 4, true, true},
		{"How many apples is word1?", 4, true, false},
	} {
		if got := few.Count([]byte(test.text)).IsDistinct(test.least); got != test.among {
			t.Errorf("%q: %v, want %v", test.text, got, test.among)
		}
		if got := overlap.NewWords(many).Count([]byte(test.text)).IsDistinct(test.least); got != test.amongOthers {
			t.Errorf("%q among texts with apples: %v, want %v", test.text, got, test.amongOthers)
		}
	}
}

// A long answer is known by its first words.
func TestLongAnswers(t *testing.T) {
	words := strings.Fields(strings.Repeat("she has twelve boxes of pens and gives away a third of them ", 9))
	for count, want := range map[int]uint64{12: 0, 13: 1, 40: 1} {
		x, err := overlap.NewItems([][]byte{[]byte("How many pens does Olivia have?")},
			[]overlap.Answer{{Text: []byte(strings.Join(words, " "))}}, 13, 1, .6)
		if err != nil {
			t.Fatal(err)
		}
		text := "How many pens does Olivia have? " + strings.Join(words[:count], " ") + " or so"
		if got := scan(t, x, []string{text}).Answered(0); got != want {
			t.Errorf("%d words of the answer: answered in %d records, want %d", count, got, want)
		}
	}
}
