//go:build !purego

package bloomlsh

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLookByAVX checks that all kinds of processors find the same entries.
func TestLookByAVX(t *testing.T) {
	defer func(two, five bool) { hasAVX2, hasAVX512 = two, five }(hasAVX2, hasAVX512)
	had512 := hasAVX512
	for _, has := range []bool{hasAVX2, false} {
		hasAVX2, hasAVX512 = has, false
		testLook(t, &narrowTags)
	}
	if had512 {
		hasAVX2, hasAVX512 = true, true
		testLook(t, &narrowTags)
	}
}

// TestDoublingByAVX checks that all kinds of processors find, enter and divide the same entries.
func TestDoublingByAVX(t *testing.T) {
	defer func(two, five bool) { hasAVX2, hasAVX512 = two, five }(hasAVX2, hasAVX512)
	two, five := hasAVX2, hasAVX512
	hasAVX2, hasAVX512 = false, false
	want := wordsWhileDividing(t, 500)
	for _, has := range []bool{false, five} {
		hasAVX2, hasAVX512 = two, has
		if !slices.Equal(wordsWhileDividing(t, 500), want) {
			t.Errorf("with AVX2: %v, with AVX-512: %v: other entries", hasAVX2, hasAVX512)
		}
	}
}

// TestResolveByAVX checks that AVX2 finds the same lines and prints in a table that has doubled any
// number of times, and of which any number of pages are still undivided.
func TestResolveByAVX(t *testing.T) {
	if !hasAVX2 {
		t.Skip("no AVX2")
	}
	rapid.Check(t, func(t *rapid.T) {
		table := tagTable{tagLayout: narrowDoubling}
		table.doublings = doublings(rapid.IntRange(0, maxDoublings).Draw(t, "doublings"))
		table.shift = uint(64 - table.printBits)
		pages := rapid.Uint64Range(1, 1<<12).Draw(t, "pages")
		if table.doublings > 0 {
			table.undivided = rapid.Uint64Range(0, pages<<(table.doublings-1)).Draw(t, "undivided")
		}
		var lines []pagedLine
		for range rapid.IntRange(1, 40).Draw(t, "lines") {
			word := rapid.Uint64Range(0, pages*pageWords-1).Draw(t, "word")
			lines = append(lines, pagedLine{word &^ (lineWords - 1), rapid.Uint64().Draw(t, "bits")})
		}
		got, want := make([]pagedLine, len(lines)), make([]pagedLine, len(lines))
		table.resolve(got, lines)
		table.resolveFew(want, lines)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
