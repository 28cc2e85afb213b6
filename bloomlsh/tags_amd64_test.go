//go:build !purego

package bloomlsh

import (
	"slices"
	"testing"
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
