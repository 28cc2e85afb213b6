package embedding

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// bpe splits a word into its characters, and repeatedly joins the adjacent pair that is earliest in
// its list (byte pair encoding). It works as Llama's does: a character without a token is
// represented by its bytes.
type bpe struct {
	*vocabulary
	merges       map[pair]merge
	bytes        [256]int64 // token of each byte, or -1
	byteFallback bool
	fuseUnknown  bool
	joins        *joins // nil if it is unknown which characters are never joined
}

// A pair is two adjacent tokens.
type pair struct{ left, right uint32 }

// A merge is the token that a pair becomes, and the rank of the pair in the list.
type merge struct{ rank, id uint32 }

func newBPE(text json.RawMessage) (*bpe, error) {
	var described struct {
		Dropout      *float64          `json:"dropout"`
		Unknown      *string           `json:"unk_token"`
		Prefix       *string           `json:"continuing_subword_prefix"`
		Suffix       *string           `json:"end_of_word_suffix"`
		FuseUnknown  bool              `json:"fuse_unk"`
		ByteFallback bool              `json:"byte_fallback"`
		IgnoreMerges bool              `json:"ignore_merges"`
		Vocab        map[string]uint32 `json:"vocab"`
		Merges       []mergedPair      `json:"merges"`
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return nil, err
	}
	switch {
	case described.Dropout != nil && *described.Dropout != 0:
		return nil, errors.New("dropout is not supported")
	case described.Prefix != nil && *described.Prefix != "":
		return nil, errors.New("continuing_subword_prefix is not supported")
	case described.Suffix != nil && *described.Suffix != "":
		return nil, errors.New("end_of_word_suffix is not supported")
	case described.IgnoreMerges:
		return nil, errors.New("ignore_merges is not supported")
	}
	v, err := newVocabulary(described.Vocab, described.Unknown)
	if err != nil {
		return nil, err
	}
	b := &bpe{
		vocabulary: v, merges: make(map[pair]merge, len(described.Merges)),
		byteFallback: described.ByteFallback, fuseUnknown: described.FuseUnknown,
	}
	for c := range b.bytes {
		b.bytes[c] = -1
		if id, ok := v.ids[fmt.Sprintf("<0x%02X>", c)]; ok {
			b.bytes[c] = int64(id)
		}
	}
	return b, b.readMerges(described.Merges)
}

// A mergedPair is written as an array of two strings, or as one string with a space between them.
type mergedPair [2]string

// UnmarshalJSON accepts both forms.
func (p *mergedPair) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		var both []string
		if err := json.Unmarshal(text, &both); err != nil || len(both) != 2 {
			return fmt.Errorf("a merge must have two tokens, and one is %s", text)
		}
		*p = mergedPair(both)
		return nil
	}
	var one string
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	left, right, ok := strings.Cut(one, " ")
	if !ok || strings.Contains(right, " ") {
		return fmt.Errorf("a merge must have two tokens, and one is %q", one)
	}
	*p = mergedPair{left, right}
	return nil
}

// readMerges builds the table of pairs, and finds out which characters are never joined.
func (b *bpe) readMerges(merges []mergedPair) error {
	j := &joins{}
	// every character has a token
	known := b.unknown >= 0 || b.byteFallback && !slices.Contains(b.bytes[:], -1)
	for rank, m := range merges {
		left, hasLeft := b.ids[m[0]]
		right, hasRight := b.ids[m[1]]
		joined, hasJoined := b.ids[m[0]+m[1]]
		if !hasLeft || !hasRight || !hasJoined || m[0] == "" || m[1] == "" {
			return fmt.Errorf("merge %d is %q and %q: they and what they become must be in the vocab", rank, m[0], m[1])
		}
		b.merges[pair{left, right}] = merge{uint32(rank), joined}
		j.add(m[0], m[1])
		known = known && !b.isByte(left) && !b.isByte(right)
	}
	if known {
		b.joins = j
	}
	return nil
}

func (b *bpe) isByte(id uint32) bool { return slices.Contains(b.bytes[:], int64(id)) }

// A symbol is a token of a word that is being joined, in a doubly linked list.
type symbol struct {
	id             uint32
	previous, next int32 // -1 at the ends
	gone           bool  // it was joined to the previous one
}

// A candidate is a pair that may be joined.
type candidate struct {
	merge
	at int32 // its left symbol
}

// candidates is a heap of pairs, ordered by rank and then by position.
type candidates []candidate

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

func (c *candidates) push(x candidate) {
	h := append(*c, x)
	i := len(h) - 1
	for i > 0 && x.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = x
	*c = h
}

func (c *candidates) pop() candidate {
	h := *c
	first, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*c = h
	i := 0
	for child := 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(x) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = x
	}
	return first
}

func (b *bpe) append(ids []uint32, word []byte, s *scratch) []uint32 {
	s.symbols = b.symbols(s.symbols[:0], word)
	w := joining{bpe: b, symbols: s.symbols, open: s.open[:0]}
	for i := range w.symbols {
		w.offer(int32(i))
	}
	for len(w.open) > 0 {
		w.join(w.open.pop())
	}
	s.open = w.open
	for i := range w.symbols {
		if !w.symbols[i].gone {
			ids = append(ids, w.symbols[i].id)
		}
	}
	return ids
}

// joining is the state of a word whose symbols are being joined.
type joining struct {
	*bpe
	symbols []symbol
	open    candidates
}

// offer makes a symbol and the next one a candidate, if they are a pair.
func (w *joining) offer(at int32) {
	if at < 0 || w.symbols[at].next < 0 {
		return
	}
	if m, ok := w.merges[pair{w.symbols[at].id, w.symbols[w.symbols[at].next].id}]; ok {
		w.open.push(candidate{m, at})
	}
}

// join joins a candidate, unless one of its parts was joined to another in the meantime.
func (w *joining) join(c candidate) {
	s := &w.symbols[c.at]
	if s.gone || s.next < 0 {
		return
	}
	right := &w.symbols[s.next]
	if m, ok := w.merges[pair{s.id, right.id}]; !ok || m.id != c.id {
		return
	}
	s.id, s.next, right.gone = c.id, right.next, true
	if s.next >= 0 {
		w.symbols[s.next].previous = c.at
	}
	w.offer(s.previous)
	w.offer(c.at)
}

// symbols appends the tokens of the characters of a word.
func (b *bpe) symbols(symbols []symbol, word []byte) []symbol {
	add := func(id uint32) {
		i := int32(len(symbols))
		symbols = append(symbols, symbol{id: id, previous: i - 1, next: i + 1})
	}
	fusing := false // the previous character was unknown
	for rest := word; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		character := rest[:size]
		rest = rest[size:]
		id, ok := b.ids[string(character)]
		switch {
		case ok:
			add(id)
		case b.hasBytes(character):
			for _, c := range character {
				add(uint32(b.bytes[c]))
			}
		case b.unknown >= 0:
			if !fusing || !b.fuseUnknown {
				add(uint32(b.unknown))
			}
			fusing = true
			continue
		}
		fusing = false
	}
	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	return symbols
}

// hasBytes reports whether a character without a token can be represented by its bytes.
func (b *bpe) hasBytes(character []byte) bool {
	return !slices.ContainsFunc(character, func(c byte) bool { return !b.byteFallback || b.bytes[c] < 0 })
}
