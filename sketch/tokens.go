package sketch

// Tokens is the sequence of tokens of a text. They are in one buffer, separated by exactly one
// space (with the tokenizers char and grapheme by nothing), so that any run of tokens, that is, a
// shingle, is one contiguous slice. The zero value is an empty sequence. Not safe for concurrent
// use.
type Tokens struct {
	text   []byte
	starts []uint32 // where each token starts in text
	joined bool     // without separators
}

// gap returns the number of bytes after each token.
func (t *Tokens) gap() int {
	if t.joined {
		return 0
	}
	return 1
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.starts) }

// At returns token i. The slice is valid until the Tokens change.
func (t *Tokens) At(i int) []byte { return t.Shingle(i, 1) }

// Shingle returns the n tokens from token i on, joined. The slice is valid until the Tokens change.
func (t *Tokens) Shingle(i, n int) []byte {
	end := len(t.text)
	if i+n < len(t.starts) {
		end = int(t.starts[i+n])
	}
	return t.text[t.starts[i] : end-t.gap()]
}

// Reset empties the sequence and keeps its memory.
func (t *Tokens) Reset() {
	t.text, t.starts = t.text[:0], t.starts[:0]
}

// Add appends a token, which must not be empty. It is called by Tokenizers.
func (t *Tokens) Add(token []byte) {
	t.starts = append(t.starts, uint32(len(t.text)))
	t.text = append(t.text, token...)
	if !t.joined {
		t.text = append(t.text, ' ')
	}
}

// extend appends to the last token, after a space. Tokens must be separated by spaces.
func (t *Tokens) extend(more []byte) {
	t.text = append(t.text, more...)
	t.text = append(t.text, ' ')
}

// keepLast drops all but the last n tokens.
func (t *Tokens) keepLast(n int) {
	if n >= len(t.starts) {
		return
	}
	first := len(t.starts) - n
	from := uint32(len(t.text))
	if n > 0 {
		from = t.starts[first]
	}
	t.text = t.text[:copy(t.text, t.text[from:])]
	for i := range n {
		t.starts[i] = t.starts[first+i] - from
	}
	t.starts = t.starts[:n]
}

// reserve makes space for size more bytes in text, which rest more may follow. A word of megabytes
// gets all its space at once, since growing in steps would leave garbage. It does not use
// slices.Grow, which clears memory; memory that is never touched costs nothing.
func reserve(text []byte, size, rest int) []byte {
	if n := len(text) + size; n > maxScratch && n > cap(text) {
		return append(make([]byte, 0, n+rest+rest/8), text...)
	}
	return text
}

func (t *Tokens) release() {
	if cap(t.text) > maxScratch {
		t.text = nil
	}
	if 4*cap(t.starts) > maxScratch {
		t.starts = nil
	}
}
