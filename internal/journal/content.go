package journal

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// A Content identifies the bytes of an input by hashes, from which no byte can be recovered. It can
// also tell whether other bytes start with that input. Several inputs are treated as concatenated.
type Content struct {
	Bytes uint64   `json:"bytes"`
	Hash  uint64   `json:"xxh3"`  // XXH3-64 of all bytes
	Marks []uint64 `json:"marks"` // XXH3-64 of the first 16, 32, … bytes (nextMark)
	Whole bool     `json:"whole"` // the last record is complete
}

// equals reports whether both contents are known and describe the same bytes.
func (c *Content) equals(other *Content) bool {
	return c != nil && other != nil && c.Bytes == other.Bytes && c.Hash == other.Hash &&
		slices.Equal(c.Marks, other.Marks)
}

// firstMark is the length of the first prefix to hash. A reader of a pipe needs at most twice as
// many bytes as necessary to tell its contents from those of earlier runs.
const firstMark = 16

// nextMark returns the length of the next prefix: twice as long, or above 1 MiB a quarter longer,
// so that any content has fewer than a hundred marks.
func nextMark(at uint64) uint64 {
	if at < 1<<20 {
		return 2 * at
	}
	return at + at/4
}

// A Hasher computes the Content of a run. It implements io.Writer.
type Hasher struct {
	// Separator terminates a record, if records do not depend on the input that they are in, so
	// that inputs may have been concatenated.
	Separator string

	content Content
	hash    xxh3.Hasher
	mark    uint64 // the length of the next prefix
	end     []byte // the last bytes, as many as the separator has
}

// NewHasher returns a Hasher of no bytes.
func NewHasher(separator string) *Hasher { return &Hasher{Separator: separator, mark: firstMark} }

// Write implements io.Writer. It never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	n := len(p)
	for uint64(len(p)) >= h.mark-h.content.Bytes {
		part := h.mark - h.content.Bytes
		h.update(p[:part])
		h.content.Marks = append(h.content.Marks, h.hash.Sum64())
		h.mark = nextMark(h.mark)
		p = p[part:]
	}
	h.update(p)
	return n, nil
}

func (h *Hasher) update(p []byte) {
	_, _ = h.hash.Write(p) // never fails
	h.content.Bytes += uint64(len(p))
	keep := len(h.Separator)
	h.end = append(h.end, p[max(0, len(p)-keep):]...)
	h.end = h.end[max(0, len(h.end)-keep):]
}

// boundary separates two inputs where that matters. It is invalid in any text encoding.
const boundary = "\xff\x00input\x00\xff"

// Between returns what to hash between two inputs: the terminator that the last record lacks, or a
// boundary.
func (h *Hasher) Between() string {
	switch {
	case h.Separator == "":
		return boundary
	case h.content.Bytes == 0 || string(h.end) == h.Separator:
		return ""
	}
	return h.Separator
}

// Content returns the Content of the bytes so far.
func (h *Hasher) Content() *Content {
	c := h.content
	c.Hash, c.Marks = h.hash.Sum64(), slices.Clone(c.Marks)
	c.Whole = c.Bytes == 0 || h.Separator != "" && string(h.end) == h.Separator
	return &c
}

// A Matcher compares the bytes of a run with the contents of earlier ones as they arrive.
type Matcher struct {
	*Hasher
	open     []int           // contents that begin with all bytes so far
	prefixes map[int]*Prefix // contents that these bytes begin with
	of       []*Content      // all contents
	ended    map[uint64]bool // the set of their lengths
}

// Prefix describes a content that other bytes begin with.
type Prefix struct {
	// Whole reports whether a record ends where the content ends, so that a new record follows.
	Whole bool
	known bool // Whole is known
}

// NewMatcher returns a Matcher of contents. Nil ones match nothing.
func NewMatcher(separator string, of []*Content) *Matcher {
	m := &Matcher{Hasher: NewHasher(separator), of: of, prefixes: map[int]*Prefix{}, ended: map[uint64]bool{}}
	for i, c := range of {
		if c != nil {
			m.open = append(m.open, i)
			m.ended[c.Bytes] = true
		}
	}
	m.compare()
	return m
}

// Write compares the next bytes.
func (m *Matcher) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		m.note(p[0])
		part := min(uint64(len(p)), m.next()-m.content.Bytes)
		_, _ = m.Hasher.Write(p[:part])
		m.compare()
		p = p[part:]
	}
	return n, nil
}

// note records the byte that follows a content.
func (m *Matcher) note(next byte) {
	for i, b := range m.prefixes {
		if !b.known {
			b.known = true
			b.Whole = m.of[i].Whole || m.Separator != "" && next == m.Separator[0]
		}
	}
}

// Next starts another input.
func (m *Matcher) Next() {
	between := m.Between()
	if between == boundary || between == "" {
		for _, b := range m.prefixes {
			if !b.known {
				b.known, b.Whole = true, true
			}
		}
	}
	_, _ = m.Write([]byte(between))
}

// next returns the number of bytes at which the next comparison is due.
func (m *Matcher) next() uint64 {
	next := m.mark
	for _, i := range m.open {
		if end := m.of[i].Bytes; end > m.content.Bytes {
			next = min(next, end)
		}
	}
	return next
}

// compare drops the contents that differ from the bytes so far.
func (m *Matcher) compare() {
	at, marks := m.content.Bytes, m.content.Marks
	atEnd, hash := m.ended[at], uint64(0)
	if atEnd {
		hash = m.hash.Sum64()
	}
	m.open = slices.DeleteFunc(m.open, func(i int) bool {
		c := m.of[i]
		if n := min(len(marks), len(c.Marks)); !slices.Equal(marks[:n], c.Marks[:n]) || at > c.Bytes {
			return true
		}
		if at == c.Bytes && atEnd && hash == c.Hash {
			m.prefixes[i] = &Prefix{}
			return true
		}
		return at == c.Bytes
	})
}

// Undecided reports whether more bytes are needed to decide which contents the bytes begin with.
func (m *Matcher) Undecided() bool {
	for _, b := range m.prefixes {
		if !b.known {
			return true
		}
	}
	return len(m.open) > 0
}

// Same reports, once the bytes have ended, whether they are exactly content i.
func (m *Matcher) Same(i int) bool { return m.prefixes[i] != nil && m.of[i].Bytes == m.content.Bytes }

// Prefix returns what is known about content i if the bytes continue after it; else nil.
func (m *Matcher) Prefix(i int) *Prefix {
	if b := m.prefixes[i]; b != nil && m.of[i].Bytes < m.content.Bytes {
		return b
	}
	return nil
}
