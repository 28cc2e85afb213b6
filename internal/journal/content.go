package journal

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// A Content tells the bytes of an input from others, and from those that only begin like it. It has
// hashes alone: no byte can be read out of it. Of several inputs it is the content of one after the
// other.
type Content struct {
	Bytes uint64   `json:"bytes"`
	Hash  uint64   `json:"xxh3"`  // XXH3-64 of all bytes
	Marks []uint64 `json:"marks"` // XXH3-64 of the first bytes: of 16, 32, … (nextMark)
	Whole bool     `json:"whole"` // it ends where a record ends
}

// firstMark is how many bytes are hashed at first. Who waits for bytes of a pipe waits for twice as
// many at most as it takes to tell them from the bytes of earlier runs.
const firstMark = 16

// nextMark is how many bytes are hashed after that. Beyond 1 MiB it is a quarter more each time, so
// that any content has less than a hundred marks.
func nextMark(at uint64) uint64 {
	if at < 1<<20 {
		return 2 * at
	}
	return at + at/4
}

// A Hasher takes the bytes of a run, as an io.Writer.
type Hasher struct {
	// Separator is what ends a record, where records do not depend on which input they stand in:
	// then the inputs may have been joined to one.
	Separator string

	content Content
	hash    xxh3.Hasher
	mark    uint64 // that comes next
	end     []byte // the last bytes, as many as a separator has
}

// NewHasher returns a Hasher of no bytes.
func NewHasher(separator string) *Hasher { return &Hasher{Separator: separator, mark: firstMark} }

// Write takes bytes. It fails never.
func (h *Hasher) Write(p []byte) (int, error) {
	n := len(p)
	for uint64(len(p)) >= h.mark-h.content.Bytes {
		part := h.mark - h.content.Bytes
		h.take(p[:part])
		h.content.Marks = append(h.content.Marks, h.hash.Sum64())
		h.mark = nextMark(h.mark)
		p = p[part:]
	}
	h.take(p)
	return n, nil
}

func (h *Hasher) take(p []byte) {
	_, _ = h.hash.Write(p) // it fails never
	h.content.Bytes += uint64(len(p))
	keep := len(h.Separator)
	h.end = append(h.end, p[max(0, len(p)-keep):]...)
	h.end = h.end[max(0, len(h.end)-keep):]
}

// boundary stands between two inputs where that matters. It is no text in any encoding.
const boundary = "\xff\x00input\x00\xff"

// Between is what stands for the end of an input, when another one follows: what the last record
// lacks to its end, or a mark.
func (h *Hasher) Between() string {
	switch {
	case h.Separator == "":
		return boundary
	case h.content.Bytes == 0 || string(h.end) == h.Separator:
		return ""
	}
	return h.Separator
}

// Content is the content of the bytes so far.
func (h *Hasher) Content() *Content {
	c := h.content
	c.Hash, c.Marks = h.hash.Sum64(), slices.Clone(c.Marks)
	c.Whole = c.Bytes == 0 || h.Separator != "" && string(h.end) == h.Separator
	return &c
}

// A Matcher compares the bytes of a run with the contents of earlier ones, as they come.
type Matcher struct {
	*Hasher
	open  []int           // the contents of which all bytes so far are the first ones
	begun map[int]*Begun  // the contents that these bytes begin with
	of    []*Content      // all
	ended map[uint64]bool // the lengths of them
}

// Begun says of a content that other bytes begin with it.
type Begun struct {
	// Whole says that a record ends where the content does: what follows is another one.
	Whole bool
	known bool // Whole is
}

// NewMatcher compares with contents, of which some may be nil: these match nothing.
func NewMatcher(separator string, of []*Content) *Matcher {
	m := &Matcher{Hasher: NewHasher(separator), of: of, begun: map[int]*Begun{}, ended: map[uint64]bool{}}
	for i, c := range of {
		if c != nil {
			m.open = append(m.open, i)
			m.ended[c.Bytes] = true
		}
	}
	m.compare()
	return m
}

// Write takes the next bytes.
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

// note is told the byte that follows a content.
func (m *Matcher) note(next byte) {
	for i, b := range m.begun {
		if !b.known {
			b.known = true
			b.Whole = m.of[i].Whole || m.Separator != "" && next == m.Separator[0]
		}
	}
}

// Next passes on to another input.
func (m *Matcher) Next() {
	between := m.Between()
	if between == boundary || between == "" {
		for _, b := range m.begun {
			if !b.known {
				b.known, b.Whole = true, true
			}
		}
	}
	_, _ = m.Write([]byte(between))
}

// next is the number of bytes after which there is something to compare.
func (m *Matcher) next() uint64 {
	next := m.mark
	for _, i := range m.open {
		if end := m.of[i].Bytes; end > m.content.Bytes {
			next = min(next, end)
		}
	}
	return next
}

// compare leaves out the contents that do not begin with the bytes so far.
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
			m.begun[i] = &Begun{}
			return true
		}
		return at == c.Bytes
	})
}

// Undecided reports whether more bytes are needed to know which contents the bytes begin with.
func (m *Matcher) Undecided() bool {
	for _, b := range m.begun {
		if !b.known {
			return true
		}
	}
	return len(m.open) > 0
}

// Same reports, when the bytes have come to their end, whether they are all of content i.
func (m *Matcher) Same(i int) bool { return m.begun[i] != nil && m.of[i].Bytes == m.content.Bytes }

// Begins returns what is known of content i if the bytes go on after it; else nil.
func (m *Matcher) Begins(i int) *Begun {
	if b := m.begun[i]; b != nil && m.of[i].Bytes < m.content.Bytes {
		return b
	}
	return nil
}
