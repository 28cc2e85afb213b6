//go:build !purego

package jsontext

import "testing"

// eachWay runs a test with what the processor has, and as on processors that have less.
func eachWay(t *testing.T, test func(t *testing.T)) {
	had512, had2 := hasAVX512, hasAVX2
	defer func() { hasAVX512, hasAVX2 = had512, had2 }()
	if hasAVX512 {
		t.Run("AVX-512", test)
	}
	hasAVX512 = false
	if hasAVX2 {
		t.Run("AVX2", test)
	}
	hasAVX2 = false
	t.Run("Go", test)
}
