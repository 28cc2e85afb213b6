package embedding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTokenizerRefuses has what is not supported named.
func TestTokenizerRefuses(t *testing.T) {
	piece := `"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1}}`
	pairs := func(members string) string {
		return `{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2}` + members + `}}`
	}
	for _, c := range []struct{ tokens, want string }{
		{`{`, "it cannot be read"},
		{`{"model":{"type":"Unigram"}}`, `model "Unigram" is not supported: WordPiece or BPE is possible`},
		{`{"normalizer":{"type":"Precompiled"},` + piece + `}`, `normalizer "Precompiled" is not supported`},
		{`{"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"}]},` + piece + `}`, `normalizer "NFC"`},
		{`{"normalizer":{"type":"Replace","pattern":{"Regex":"a+"},"content":"b"},` + piece + `}`, "regular expression"},
		{`{"pre_tokenizer":{"type":"Metaspace"},` + piece + `}`, `pre_tokenizer "Metaspace" is not supported`},
		{`{"added_tokens":[{"id":5,"content":"x","lstrip":true}],` + piece + `}`, `added token "x": lstrip is not supported`},
		{`{"added_tokens":[{"id":5,"content":""}],` + piece + `}`, "added token 5 is empty"},
		{`{"added_tokens":[{"id":99999999,"content":"x"}],` + piece + `}`, "has the number 99999999"},
		{`{"model":{"type":"WordPiece","vocab":{}}}`, "its vocab is empty"},
		{`{"model":{"type":"WordPiece","vocab":{"a":0}}}`, `unk_token "[UNK]" is not in its vocab`},
		{`{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":4000000000}}}`, `token "a" has the number 4000000000`},
		{pairs(`,"dropout":0.1`), "dropout is not supported"},
		{pairs(`,"ignore_merges":true`), "ignore_merges is not supported"},
		{pairs(`,"end_of_word_suffix":"</w>"`), "end_of_word_suffix is not supported"},
		{pairs(`,"continuing_subword_prefix":"##"`), "continuing_subword_prefix is not supported"},
		{pairs(`,"merges":["a b c"]`), `a merge must have two tokens, and one is "a b c"`},
		{pairs(`,"merges":[["a"]]`), "a merge must have two tokens"},
		{pairs(`,"merges":["b a"]`), `merge 0 is "b" and "a"`},
	} {
		refuses(t, c.tokens, nil, tokenizerFile, c.want)
	}
}

// TestDividedTextsHaveTheSameTokens divides texts where no token can go beyond, and whole.
func TestDividedTextsHaveTheSameTokens(t *testing.T) {
	m := openModel(t, "testdata/bpe")
	pairs := m.tokenizer.model.(*bpe)
	if pairs.joins == nil {
		t.Fatal("texts are not divided")
	}
	pieces := []string{"cat", "kitten", "the", " ", "  ", "▁", "\n", "123", "é", "京", "😀", ".", "...", "ing", "x"}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		normal := m.tokenizer.normalize(nil, []byte(b.String()))
		want := pairs.append(nil, normal, &scratch{})
		var got []uint32
		parts := 0
		pairs.joins.divide(normal, func(part []byte) { got, parts = pairs.append(got, part, &scratch{}), parts+1 })
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %d parts has the tokens %v, whole %v", normal, parts, got, want)
		}
	}
}

// TestManyWords has more words than are remembered.
func TestManyWords(t *testing.T) {
	m := openModel(t, "testdata/wordpiece")
	e, fresh := m.NewEncoder(), func(text string) []uint32 { return tokensOf(m, m.NewEncoder(), text) }
	rng := rand.New(rand.NewPCG(5, 5))
	for n := range 2 * mostKnown {
		word := make([]byte, 1+rng.IntN(9))
		for i := range word {
			word[i] = 'a' + byte(rng.IntN(26))
		}
		if got := tokensOf(m, e, string(word)); n%1000 == 0 && !slices.Equal(got, fresh(string(word))) {
			t.Fatalf("%q has the tokens %v after many words", word, got)
		}
	}
	if len(e.words.known) > mostKnown {
		t.Errorf("%d words are remembered, at most %d should be", len(e.words.known), mostKnown)
	}
}
