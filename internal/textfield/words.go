package textfield

import (
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
)

// words are what some texts consist of, as far as it tells records apart: words, and codes, which
// may be identifiers. Numbers, dates, hashes and URLs are left out.
type words struct{ plain, codes map[string]bool }

const (
	// nearlyEqual is the share of their words that texts have in common if they are nearly equal.
	nearlyEqual = .8
	// leastCodes is how many codes are a text rather than the identifiers of a record.
	leastCodes = 3
)

func newWords(of []said) words {
	w := words{map[string]bool{}, map[string]bool{}}
	for _, part := range of {
		for _, word := range strings.Fields(part.text) {
			w.add(word)
		}
	}
	return w
}

func (w words) add(word string) {
	word = strings.ToLower(strings.TrimFunc(word, unicode.IsPunct))
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return
	}
	switch formOf(word) {
	case formEmpty, formAddress, formNumber:
	case formOpaque:
		w.codes[word] = true
	default:
		if word = strings.Map(withoutDigit, word); word != "" {
			w.plain[word] = true
		}
	}
}

// withoutDigit drops digits, which are in the words of scripts without spaces.
func withoutDigit(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// areFew reports whether there is nothing that tells records apart.
func (w words) areFew() bool { return len(w.plain) == 0 && len(w.codes) < leastCodes }

// isNear reports whether texts are nearly equal.
func (w words) isNear(other words) bool {
	return similarity(w.plain, other.plain) >= nearlyEqual &&
		(max(len(w.codes), len(other.codes)) < leastCodes || similarity(w.codes, other.codes) >= nearlyEqual)
}

// hash is the same for equal texts.
func (w words) hash() (sum uint64) {
	for word := range w.plain {
		sum += xxh3.HashString(word)
	}
	if len(w.codes) >= leastCodes {
		for word := range w.codes {
			sum += xxh3.HashString(word)
		}
	}
	return sum
}

// similarity is the Jaccard index.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 1
}
