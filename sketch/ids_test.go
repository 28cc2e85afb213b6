package sketch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestReplaysOfTraces: traces of one task whose ids of calls differ are similar without these, and
// traces with other numbers or other results are not.
func TestReplaysOfTraces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := map[string]int{}
	const tasks = 16 // of each kind of id
	for _, kind := range []string{"toolu_01 22", "call_ 24", "call_ 6", "chatcmpl- 29", "uuid"} {
		for range tasks {
			steps := make([]traceStep, 6+rng.IntN(10))
			for i := range steps {
				steps[i] = newTraceStep(rng)
			}
			first := trace(rng, kind, steps)
			numbers, results := append([]traceStep(nil), steps...), append([]traceStep(nil), steps...)
			for i := range steps {
				numbers[i].number = rng.IntN(1000)
				if i%3 == 0 {
					results[i].result = wordsOfTrace(rng, 12)
				}
			}
			for what, other := range map[string]string{
				"replays": trace(rng, kind, steps), "numbers": trace(rng, kind, numbers),
				"results": trace(rng, kind, results),
			} {
				for _, normalize := range []string{"nfkc-fold", "nfkc-fold,ids"} {
					if similarityOfTraces(t, normalize, first, other) >= 0.85 {
						found[what+" by "+normalize]++
					}
				}
			}
		}
	}
	if n := found["replays by nfkc-fold,ids"]; n != 5*tasks || len(found) > 1 {
		t.Errorf("of %d traces of each kind these are similar: %v", 5*tasks, found)
	}
}

// A traceStep is a call of a tool and its result.
type traceStep struct {
	arguments string
	number    int
	result    string
}

func newTraceStep(rng *rand.Rand) traceStep {
	return traceStep{wordsOfTrace(rng, 3+rng.IntN(5)), rng.IntN(1000), wordsOfTrace(rng, 5+rng.IntN(20))}
}

func wordsOfTrace(rng *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%c%c", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
	}
	return strings.Join(words, " ")
}

// trace writes steps with new ids.
func trace(rng *rand.Rand, kind string, steps []traceStep) string {
	var b strings.Builder
	for _, s := range steps {
		id := randomID(rng, kind)
		fmt.Fprintf(&b, "<tool_call id=%s>bash %s line %d</tool_call>\n<tool_result for=%s>%s</tool_result>\n",
			id, s.arguments, s.number, id, s.result)
	}
	return b.String()
}

// randomID returns a UUID, or a prefix and a number of random letters and digits.
func randomID(rng *rand.Rand, kind string) string {
	if kind == "uuid" {
		a, b := rng.Uint64(), rng.Uint64()
		return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
	}
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var prefix string
	var length int
	fmt.Sscan(kind, &prefix, &length)
	for range length - 2 {
		prefix += string(characters[rng.IntN(len(characters))])
	}
	return prefix + "a1"
}

// similarityOfTraces is the Jaccard similarity of shingles of five words.
func similarityOfTraces(t *testing.T, normalize, a, b string) float64 {
	n, err := NewNormalizer(normalize)
	if err != nil {
		t.Fatal(err)
	}
	of := func(text string) map[string]bool {
		words := strings.FieldsFunc(string(n.Append(nil, []byte(text))), func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
		set := map[string]bool{}
		for i := range len(words) - 4 {
			set[strings.Join(words[i:i+5], " ")] = true
		}
		return set
	}
	x, y := of(a), of(b)
	shared := 0
	for shingle := range x {
		if y[shingle] {
			shared++
		}
	}
	return float64(shared) / float64(len(x)+len(y)-shared)
}
