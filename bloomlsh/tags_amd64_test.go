//go:build !purego

package bloomlsh

import "testing"

// Every kind of processor finds the same entries.
func TestLookByAVX(t *testing.T) {
	defer func(two, five bool) { hasAVX2, hasAVX512 = two, five }(hasAVX2, hasAVX512)
	had512 := hasAVX512
	for _, has := range []bool{hasAVX2, false} {
		hasAVX2, hasAVX512 = has, false
		testLook(t, narrowTags)
	}
	if had512 {
		hasAVX2, hasAVX512 = true, true
		testLook(t, narrowTags)
	}
}
