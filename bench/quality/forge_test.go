package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
)

// What is forged has as many bands in common with the other text as make a duplicate, and with one
// vote it is far shorter.
func TestForge(t *testing.T) {
	words := strings.Fields(strings.Repeat("x ", 200))
	for i := range words {
		words[i] += string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	for _, c := range []struct {
		options []string
		most    int // words
	}{{[]string{"--tune", "recall", "--votes", "1"}, 60}, {nil, 200}} {
		r, err := recipe.New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := forgeCommand{Tries: 50}.against(r, words, rand.New(rand.NewPCG(1, 1)))
		if n := 1 + strings.Count(text, " "); !ok || n > c.most {
			t.Fatalf("%v: %d words, %v", c.options, n, ok)
		}
		made, _ := r.Sketcher.BandKeys(nil, []byte(text))
		keys, _ := r.Sketcher.BandKeys(nil, []byte(strings.Join(words, " ")))
		votes := 0
		for i := range keys {
			if keys[i] == made[i] {
				votes++
			}
		}
		if votes < r.Rule.Votes {
			t.Errorf("%v: %d votes", c.options, votes)
		}
	}
}

func TestCut(t *testing.T) {
	words := strings.Fields("a b c d e f g h i j k l m")
	if got := cut(words, []int{0, 4, 10}, 3, 1); !slices.Equal(got, []string{"a b c d e f g", "k l m"}) {
		t.Errorf("%q", got)
	}
}
