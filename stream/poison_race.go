//go:build race

package stream

// poison overwrites a buffer before it is used again, so that whatever still points into it fails
// loudly in the tests.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xcc
	}
}
