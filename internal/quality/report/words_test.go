package report

import (
	"slices"
	"testing"
)

func TestWordsOf(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		" ,;-- \n":             nil,
		"one":                  {"one"},
		" One, two-3\tfür\xff": {"One", "two", "3", "für"},
		"e\u0301t\u00e9 x":     {"e\u0301t\u00e9", "x"},
		"山北 abc面x":             {"山", "北", "abc", "面", "x"},
		"แม่":                  {"แ", "ม"}, // marks alone are no words
	} {
		var got []string
		for _, w := range WordsOf([]byte(text)) {
			got = append(got, text[w[0]:w[1]])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
