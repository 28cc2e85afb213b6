package tlsh

import (
	"fmt"
	"slices"
	"testing"
)

// Texts without a normal form are near each other if their bytes are the same, and only then; short
// texts and blank ones have no digest, as before.
func TestDigestsOfSymbols(t *testing.T) {
	s, err := NewBySymbols("ccnet")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]uint64
	for i := range 400 {
		words, ok := s.Append(nil, fmt.Appendf(nil, "* %s -", slices.Repeat([]byte{'*', '-', '+'}[i%3:i%3+1], i/3+1)))
		if !ok || len(words) != Words {
			t.Fatalf("%d: %v", i, words)
		}
		all = append(all, words)
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if d := Distance(FromWords(a), FromWords(b)); d < 100 {
				t.Errorf("two texts of symbols have the distance %d", d)
			}
		}
	}
	if again, _ := s.Append(nil, []byte("* * -")); !slices.Equal(again, all[0]) {
		t.Errorf("%v and %v", again, all[0])
	}
	for _, text := range []string{"", " \n", "short"} {
		if words, ok := s.Append(nil, []byte(text)); ok {
			t.Errorf("%q has the digest %v", text, words)
		}
	}
}
