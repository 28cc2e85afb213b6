package overlap_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
)

// Of 300 questions that were planted in longer texts, 60 in each disguise, at least 58 of each 60
// are found, and none of 300 others that are made of the same words.
func TestPlantedQuestions(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	words := rand.NewZipf(rng, 1.3, 8, 3000)
	sentence := func(count int) string {
		list := make([]string, count)
		for i := range list {
			list[i] = "w" + strconv.FormatUint(words.Uint64(), 36) + []string{"", "", "", ",", "'s"}[rng.IntN(5)]
		}
		return "What " + strings.Join(list, " ") + "?"
	}
	disguises := []func(string) string{
		func(s string) string { return s },
		func(s string) string {
			list := strings.Fields(s)
			list[rng.IntN(len(list))] = "zebra"
			return strings.Join(list, " ")
		},
		strings.ToUpper,
		strings.NewReplacer(",", "", "'", "", "?", "").Replace,
		func(s string) string { return strings.ReplaceAll(s, " ", "\n") },
	}
	items := make([][]byte, 600)
	var texts []string
	for i := range items {
		question := sentence(8 + rng.IntN(25))
		items[i] = []byte(question)
		text := sentence(rng.IntN(200))
		if i < 300 {
			text += " " + disguises[i/60](question) + " " + sentence(rng.IntN(200))
		}
		texts = append(texts, text)
	}
	x, err := overlap.NewItems(items, nil, 13, 1, .6)
	if err != nil {
		t.Fatal(err)
	}
	findings := scan(t, x, texts)
	found := make([]int, 10)
	for i := range items {
		if passages, _, _ := findings.Found(i); passages > 0 {
			found[i/60]++
		}
	}
	for i, n := range found {
		if i < 5 && n < 58 || i >= 5 && n > 0 {
			t.Errorf("of items %d … %d, %d are found", 60*i, 60*i+59, n)
		}
	}
	t.Log(found)
}
