package bundle

// EdgeBytes is the number of first and of last bytes that Edges keeps.
const EdgeBytes = 64 << 10

// Edges records the length of a stream, and its first and last bytes, which identify a file without
// reading it twice.
type Edges struct {
	Length int64
	first  []byte
	last   []byte // at least the last EdgeBytes, if there are as many
}

// Write implements io.Writer.
func (e *Edges) Write(p []byte) (int, error) {
	e.Length += int64(len(p))
	e.first = append(e.first, p[:min(len(p), EdgeBytes-len(e.first))]...)
	if len(p) > EdgeBytes {
		e.last = append(e.last[:0], p[len(p)-EdgeBytes:]...)
		return len(p), nil
	}
	if e.last = append(e.last, p...); len(e.last) >= 4*EdgeBytes {
		e.last = append(e.last[:0], e.last[len(e.last)-EdgeBytes:]...)
	}
	return len(p), nil
}

// First returns the first bytes, at most EdgeBytes.
func (e *Edges) First() []byte { return e.first }

// Last returns the last bytes, at most EdgeBytes.
func (e *Edges) Last() []byte { return e.last[max(0, len(e.last)-EdgeBytes):] }
