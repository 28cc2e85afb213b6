package records

import (
	"fmt"
	"math/rand/v2"
)

// Similar says what texts are made of words that are drawn from 50,000, so that none resembles
// another by chance.
type Similar struct {
	Words   int // of each text
	Every   int // of how many texts the last one is like the first
	Changes int // how many of its words are others, at most
}

// Each makes that many texts. Each is valid until write returns.
func (s Similar) Each(count int, write func(number int, text []string)) {
	rng := rand.New(rand.NewPCG(5, 5))
	words := make([]string, 50_000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", rng.Uint32())
	}
	text, earlier := make([]string, s.Words), make([]string, s.Words)
	for i := range count {
		if i%s.Every == s.Every-1 {
			copy(text, earlier)
			for range 1 + rng.IntN(s.Changes) {
				text[rng.IntN(len(text))] = words[rng.IntN(len(words))]
			}
		} else {
			for j := range text {
				text[j] = words[rng.IntN(len(words))]
			}
		}
		if i%s.Every == 0 {
			copy(earlier, text)
		}
		write(i, text)
	}
}

// Vocabulary is made-up words of two letters to the most.
func Vocabulary(rng *rand.Rand, size, most int) []string {
	words := make([]string, size)
	for i := range words {
		word := make([]byte, 2+rng.IntN(most-1))
		for j := range word {
			word[j] = 'a' + byte(rng.IntN(26))
		}
		words[i] = string(word)
	}
	return words
}
