package sketch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

// Sketches are the same with a memo that has seen the texts, and without.
func TestMemoChangesNoSketch(t *testing.T) {
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
					sketcher := [2]interface {
						Append([]uint64, []byte) ([]uint64, bool)
					}{old, fresh.Clone()}
					if rapid.Bool().Draw(t, "signed") {
						sketcher[0], sketcher[1] = Signed{old}, Signed{fresh.Clone()}
					}
					got, isAny := sketcher[0].Append([]uint64{1}, []byte(text))
					want, wantAny := sketcher[1].Append([]uint64{1}, []byte(text))
					if !slices.Equal(got, want) || isAny != wantAny {
						t.Fatalf("%s, %s: %q after %q: %v, not %v", normalize, tokenize, text, texts, got, want)
					}
				}
			})
			if old.memo.hashes == nil || old.memo.same == nil {
				t.Errorf("%s, %s: the memo has nothing", normalize, tokenize)
			}
		}
	}
}

// Nobody can make two texts for one hash: that of a text is another one in each Sketcher.
func TestMemoHashesUnderASeedOfItsOwn(t *testing.T) {
	text := []byte("one two three")
	kept := map[xxh3.Uint128]bool{{}: true, xxh3.Hash128(text): true}
	first := mustNew(t, defaults)
	for _, s := range []*Sketcher{first, first.Clone(), mustNew(t, defaults)} {
		for range 3 {
			s.Append(nil, text)
		}
		for _, hash := range slices.Compact(slices.Clone(s.memo.hashes)) {
			if hash != (xxh3.Uint128{}) && kept[hash] {
				t.Errorf("%x is the hash of another Sketcher too, or has no seed", hash)
			}
			kept[hash] = true
		}
	}
	if len(kept) != 5 {
		t.Errorf("%d hashes are kept by three Sketchers", len(kept)-2)
	}
}

// A memo that finds nothing is left alone, and tried again later; one that finds something is not.
func TestMemoIsLeftAloneWhereTextsDoNotRepeat(t *testing.T) {
	s := mustNew(t, defaults)
	for i := range trialTexts + 1 {
		s.Append(nil, fmt.Appendf(nil, "text %d", i))
	}
	if s.memo.forms.rest != trialRest || s.memo.hashes != nil {
		t.Errorf("%d texts are left alone, %d signatures", s.memo.forms.rest, len(s.memo.hashes))
	}
	s = mustNew(t, defaults)
	for i := range 3 * trialTexts {
		s.Append(nil, fmt.Appendf(nil, "text %d", i%100))
	}
	if s.memo.forms.rest != 0 || 8*len(s.memo.rows) > memoBytes {
		t.Errorf("%d texts are left alone, %d slots", s.memo.forms.rest, len(s.memo.rows))
	}
}

// Texts are found again when there are more places for them, and few texts have few places.
func TestMemoGrowsWithTexts(t *testing.T) {
	var m memo
	hash := func(i int) xxh3.Uint128 { return xxh3.HashString128(fmt.Sprint(i)) }
	const texts = 3000
	for i := range texts {
		m.keepText(hash(i), hash(-i))
		if i == 100 && len(m.same) != firstTexts {
			t.Errorf("%d texts have %d places", i, len(m.same))
		}
	}
	found := 0
	for i := range texts {
		if m.same[m.placeOf(hash(i))] == (normalForm{hash(i), hash(-i)}) {
			found++
		}
	}
	if found < texts*9/10 || len(m.same) >= memoTexts {
		t.Errorf("%d of %d texts are found in %d places", found, texts, len(m.same))
	}
	for i := range 4 * memoTexts {
		m.keepText(hash(i), hash(-i))
	}
	if len(m.same) != memoTexts {
		t.Errorf("there are %d places", len(m.same))
	}
}
