package embedding

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// wordPiece greedily splits a word into the longest tokens from its start. A word that cannot be
// split is unknown.
type wordPiece struct {
	*vocabulary
	prefix  string // of a token that does not begin a word
	maxRune int    // in characters; a longer word is unknown
}

func newWordPiece(text json.RawMessage) (*wordPiece, error) {
	described := struct {
		Unknown string            `json:"unk_token"`
		Prefix  string            `json:"continuing_subword_prefix"`
		Longest int               `json:"max_input_chars_per_word"`
		Vocab   map[string]uint32 `json:"vocab"`
	}{Unknown: "[UNK]", Prefix: "##", Longest: 100}
	if err := json.Unmarshal(text, &described); err != nil {
		return nil, err
	}
	v, err := newVocabulary(described.Vocab, &described.Unknown)
	return &wordPiece{v, described.Prefix, described.Longest}, err
}

func (p *wordPiece) append(ids []uint32, word []byte, s *scratch) []uint32 {
	if utf8.RuneCount(word) > p.maxRune {
		return append(ids, uint32(p.unknown))
	}
	before := len(ids)
	for start := 0; start < len(word); {
		piece := s.piece[:0]
		if start > 0 {
			piece = append(piece, p.prefix...)
		}
		least := len(piece)
		piece = append(piece, word[start:]...)
		s.piece = piece
		id, found := uint32(0), false
		for end := len(piece); end > least && !found; end-- {
			if end > p.longest || end < len(piece) && !utf8.RuneStart(piece[end]) {
				continue
			}
			if id, found = p.ids[string(piece[:end])]; found {
				start += end - least
			}
		}
		if !found {
			return append(ids[:before], uint32(p.unknown))
		}
		ids = append(ids, id)
	}
	return ids
}

// maxTokens is above any valid token: vectors of that many tokens would not fit.
const maxTokens = 1 << 24

// A vocabulary is the set of tokens of a model.
type vocabulary struct {
	ids     map[string]uint32
	longest int   // bytes of the longest token
	unknown int64 // -1 without such a token
	size    int   // above all tokens
}

// newVocabulary checks the numbers of tokens, and that the token for unknown words is one.
func newVocabulary(ids map[string]uint32, unknown *string) (*vocabulary, error) {
	v := &vocabulary{ids: ids, unknown: -1}
	if len(ids) == 0 {
		return nil, fmt.Errorf("its vocab is empty")
	}
	for token, id := range ids {
		if id >= maxTokens {
			return nil, fmt.Errorf("token %q has the number %d: it must be less than %d", token, id, maxTokens)
		}
		v.longest, v.size = max(v.longest, len(token)), max(v.size, int(id)+1)
	}
	if unknown != nil {
		id, ok := ids[*unknown]
		if !ok {
			return nil, fmt.Errorf("its unk_token %q is not in its vocab", *unknown)
		}
		v.unknown = int64(id)
	}
	return v, nil
}
