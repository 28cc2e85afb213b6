package sketch

import (
	"bytes"
	"testing"
)

// A text without a normal form is told from others by its bytes alone.
func TestSymbols(t *testing.T) {
	for _, c := range []struct {
		normalize, text string
		hidden          bool
	}{
		{"nfkc-fold,strip-punctuation", "* * *", true}, {"nfkc-fold,strip-punctuation", "🎉 🎉", true},
		{"nfkc-fold,strip-punctuation", "x + y", false}, {"nfkc-fold", "* * *", false}, {"nfkc-fold", "", true},
		{"nfkc-fold,strip-punctuation", "∑ = ½", false}, {"nfkc-fold", "\u00ad", true}, {"nfkc-fold", " \t", true},
	} {
		s, err := NewSymbols(c.normalize, "word")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Hides([]byte(c.text)); got != c.hidden {
			t.Errorf("%s hides %q: %v", c.normalize, c.text, got)
		}
	}
	s, err := NewSymbols("nfkc-fold", "word")
	if err != nil {
		t.Fatal(err)
	}
	one := bytes.Clone(s.Substitute([]byte("* * *")))
	if other := s.Substitute([]byte("- - -")); bytes.Equal(one, other) || len(one) != 30 {
		t.Errorf("%s and %s", one, other)
	}
	seen := map[string]bool{}
	for i := range 1000 {
		seen[string(s.Substitute([]byte{'*', byte(i), byte(i >> 8)}))] = true
	}
	if len(seen) != 1000 {
		t.Errorf("1000 texts have %d steads", len(seen))
	}
	if again := s.Substitute([]byte("* * *")); !bytes.Equal(one, again) {
		t.Errorf("%s and %s", one, again)
	}
	for _, blank := range []string{"", " ", "\n\t\u2003"} {
		if got := s.Substitute([]byte(blank)); got != nil {
			t.Errorf("%q is %s", blank, got)
		}
	}
}
