package embedding

import (
	"encoding/json"
	"unicode/utf8"
)

// A wordPiece divides a word into the longest tokens from its beginning on. A word that cannot be
// divided is not known.
type wordPiece struct {
	*vocabulary
	prefix  string // of a token that does not begin a word
	maxRune int    // characters; a longer word is not known
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
