package embedding

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Tokenizer splits texts into the tokens of a model that is not static, as described by a
// tokenizer.json of Hugging Face tokenizers, including tokens for unknown words. It owns scratch
// memory, so each goroutine needs its own.
type Tokenizer struct {
	tokenizer *tokenizer
	words     wordIDs

	Before, After []uint32 // special tokens around a text
	// maximum number of tokens, including these, before a text is truncated; 0 if unspecified
	MaxTokens int
}

// NewTokenizer parses the description of a tokenizer.
func NewTokenizer(file []byte) (*Tokenizer, error) {
	t, err := newTokenizer(file)
	if err != nil {
		return nil, err
	}
	t.unknown = -1
	made := &Tokenizer{tokenizer: t, words: wordIDs{known: map[string][]uint32{}}}
	return made, made.readSpecial(file)
}

// Clone returns an equal Tokenizer that may be used concurrently.
func (t *Tokenizer) Clone() *Tokenizer {
	c := *t
	c.words = wordIDs{known: map[string][]uint32{}}
	return &c
}

// Append appends the tokens of a text, without the special ones around it.
func (t *Tokenizer) Append(ids []uint32, text []byte) []uint32 {
	t.tokenizer.encode(&t.words, text, func(some []uint32) { ids = append(ids, some...) })
	return ids
}

// special describes what surrounds a text.
type special struct {
	Truncation *struct {
		MaxLength int `json:"max_length"`
	} `json:"truncation"`
	Post *struct {
		Type   string `json:"type"`
		Single []struct {
			Special *struct {
				ID   string `json:"id"`
				Type int    `json:"type_id"`
			} `json:"SpecialToken"`
			Sequence *struct {
				Type int `json:"type_id"`
			} `json:"Sequence"`
		} `json:"single"`
		Tokens map[string]struct {
			IDs []uint32 `json:"ids"`
		} `json:"special_tokens"`
		First bertSpecial `json:"cls"`
		Last  bertSpecial `json:"sep"`
	} `json:"post_processor"`
}

// A bertSpecial is a token and its number.
type bertSpecial struct{ id uint32 }

// UnmarshalJSON reads a list of both.
func (b *bertSpecial) UnmarshalJSON(text []byte) error {
	var token string
	return json.Unmarshal(text, &[]any{&token, &b.id})
}

func (t *Tokenizer) readSpecial(file []byte) error {
	var s special
	if err := json.Unmarshal(file, &s); err != nil {
		return fmt.Errorf("its post_processor cannot be read: %w", err)
	}
	if s.Truncation != nil {
		t.MaxTokens = s.Truncation.MaxLength
	}
	switch {
	case s.Post == nil:
		return nil
	case s.Post.Type == "BertProcessing":
		t.Before, t.After = []uint32{s.Post.First.id}, []uint32{s.Post.Last.id}
		return t.checkSpecial()
	case s.Post.Type != "TemplateProcessing":
		return notSupported("post_processor", s.Post.Type, "TemplateProcessing, BertProcessing, or none")
	}
	around := &t.Before
	for _, part := range s.Post.Single {
		switch {
		case part.Sequence != nil && part.Sequence.Type == 0 && around == &t.Before:
			around = &t.After
		case part.Special != nil && part.Special.Type == 0:
			ids := s.Post.Tokens[part.Special.ID].IDs
			if len(ids) == 0 {
				return fmt.Errorf("its post_processor has no number for %q", part.Special.ID)
			}
			*around = append(*around, ids...)
		default:
			return errors.New("its post_processor has a template of something else than special tokens around one text")
		}
	}
	if around == &t.Before {
		return errors.New("its post_processor has a template without a text")
	}
	return t.checkSpecial()
}

// checkSpecial returns an error for tokens that do not exist.
func (t *Tokenizer) checkSpecial() error {
	for _, id := range append(append([]uint32{}, t.Before...), t.After...) {
		if int(id) >= t.tokenizer.tokens() {
			return fmt.Errorf("its post_processor has the token %d, and there are %d", id, t.tokenizer.tokens())
		}
	}
	return nil
}
