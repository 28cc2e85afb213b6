package main

import (
	"bufio"
	"math/rand/v2"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/records"
)

// writeShortLines writes 2.49 million lines of 3 to 9 random words, 39 bytes on average, of which
// three in ten occurred before.
func writeShortLines(w *bufio.Writer) error {
	const lines, distinct = 2_490_000, 1_000_000
	rng := rand.New(rand.NewPCG(7, 7))
	words := records.Vocabulary(rng, 20_000, 9)
	var before []string
	for range lines {
		if len(before) > 0 && rng.IntN(10) < 3 {
			w.WriteString(before[rng.IntN(len(before))])
			continue
		}
		some := make([]string, 3+rng.IntN(7))
		for i := range some {
			some[i] = words[rng.IntN(len(words))]
		}
		line := strings.Join(some, " ") + "\n"
		if len(before) < distinct {
			before = append(before, line)
		}
		w.WriteString(line)
	}
	return nil
}
