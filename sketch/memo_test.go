package sketch

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Signatures are the same with a memo that has seen the texts, and without.
func TestMemoChangesNoSignature(t *testing.T) {
	for _, normalize := range []string{"none", "nfkc-fold", "nfkc-fold,variables"} {
		for _, tokenize := range []string{"word", "char", "lines", "uax29"} {
			params := Default()
			params.Normalize, params.Tokenize, params.ShingleSize = normalize, tokenize, 2
			params.NumPerm, params.Bands, params.Rows = 16, 4, 4
			old, fresh := mustNew(t, params), mustNew(t, params)
			rapid.Check(t, func(t *rapid.T) {
				texts := rapid.SliceOfN(rapid.SampledFrom([]string{
					"", "...", "one", "One", "one two three", "one two 3", "one two 4", "a\nb\nc", "漢字かな", "\xff",
				}), 1, 40).Draw(t, "texts")
				for _, text := range texts {
					got, isAny := old.Signature(nil, []byte(text))
					want, wantAny := fresh.Clone().Signature(nil, []byte(text))
					if !slices.Equal(got, want) || isAny != wantAny {
						t.Fatalf("%s, %s: %q after %q: %v, not %v", normalize, tokenize, text, texts, got, want)
					}
				}
			})
			if old.memo.hashes == nil {
				t.Errorf("%s, %s: the memo has nothing", normalize, tokenize)
			}
		}
	}
}

// A memo that finds nothing is left alone, and tried again later; one that finds something is not.
func TestMemoIsLeftAloneWhereTextsDoNotRepeat(t *testing.T) {
	s := mustNew(t, defaults)
	for i := range memoTrial + 1 {
		s.Signature(nil, fmt.Appendf(nil, "text %d", i))
	}
	if s.memo.rest != memoRest || s.memo.hashes != nil {
		t.Errorf("%d texts are left alone, %d signatures", s.memo.rest, len(s.memo.hashes))
	}
	s = mustNew(t, defaults)
	for i := range 3 * memoTrial {
		s.Signature(nil, fmt.Appendf(nil, "text %d", i%100))
	}
	if s.memo.rest != 0 || 8*len(s.memo.slots) > memoBytes {
		t.Errorf("%d texts are left alone, %d slots", s.memo.rest, len(s.memo.slots))
	}
}
