package overlap

// Exact sketches a text as one key: the xxh3-128 of its bytes. It is a stream.Sketcher without
// scratch memory, and safe for concurrent use.
type Exact struct{}

// Append appends the key, the high word first. An empty text has none.
func (Exact) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if len(text) == 0 {
		return dst, false
	}
	return keyOf(dst, text), true
}
