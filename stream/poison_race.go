//go:build race

package stream

// poison overwrites a buffer before it is reused, so that tests fail if anything still points into
// it.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xcc
	}
}
