package embedding

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A tokenizer splits texts into the tokens of a model, as described by a tokenizer.json of Hugging
// Face tokenizers.
//
// It first looks for added tokens. The text between them is normalized and split into words, and
// each word into tokens.
type tokenizer struct {
	added     []addedToken
	firsts    [256]bool // first bytes of added tokens
	normalize normalizer
	divide    func(text []byte, word func([]byte))
	model     model
	unknown   int64 // the token for unknown words, which is omitted, or -1
	size      int
}

// An addedToken is matched literally.
type addedToken struct {
	ID         uint32 `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LeftStrip  bool   `json:"lstrip"`
	RightStrip bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// A model splits a word into tokens.
type model interface {
	append(ids []uint32, word []byte, s *scratch) []uint32
}

// typed reads only the type from a part of the description.
type typed struct {
	Type string `json:"type"`
}

// newTokenizer parses the description of a tokenizer.
func newTokenizer(file []byte) (*tokenizer, error) {
	var described struct {
		Added        []addedToken    `json:"added_tokens"`
		Normalizer   json.RawMessage `json:"normalizer"`
		PreTokenizer *typed          `json:"pre_tokenizer"`
		Model        json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(file, &described); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	t := &tokenizer{added: described.Added, divide: wholeText}
	var err error
	if t.normalize, err = normalizerOf(described.Normalizer); err != nil {
		return nil, err
	}
	switch p := described.PreTokenizer; {
	case p != nil && p.Type != "BertPreTokenizer":
		return nil, notSupported("pre_tokenizer", p.Type, "BertPreTokenizer, or none")
	case p != nil:
		t.divide = bertWords
	}
	if err := t.readModel(described.Model); err != nil {
		return nil, err
	}
	return t, t.checkAdded()
}

func notSupported(part, name, possible string) error {
	return fmt.Errorf("%s %q is not supported: %s is possible", part, name, possible)
}

func (t *tokenizer) readModel(text json.RawMessage) error {
	var kind typed
	if err := json.Unmarshal(text, &kind); err != nil {
		return fmt.Errorf("its model cannot be read: %w", err)
	}
	var v *vocabulary
	switch kind.Type {
	case "WordPiece":
		m, err := newWordPiece(text)
		if err != nil {
			return fmt.Errorf("model WordPiece: %w", err)
		}
		t.model, v = m, m.vocabulary
	case "BPE":
		m, err := newBPE(text)
		if err != nil {
			return fmt.Errorf("model BPE: %w", err)
		}
		t.model, v = m, m.vocabulary
		if m.joins != nil {
			words := t.divide
			t.divide = func(text []byte, word func([]byte)) {
				words(text, func(part []byte) { m.joins.divide(part, word) })
			}
		}
	default:
		return notSupported("model", kind.Type, "WordPiece or BPE")
	}
	t.unknown, t.size = v.unknown, v.size
	return nil
}

// checkAdded returns an error for added tokens that are not matched literally.
func (t *tokenizer) checkAdded() error {
	for _, a := range t.added {
		for _, flag := range []struct {
			name string
			set  bool
		}{
			{"single_word", a.SingleWord}, {"lstrip", a.LeftStrip}, {"rstrip", a.RightStrip},
			{"normalized", a.Normalized},
		} {
			if flag.set {
				return fmt.Errorf("added token %q: %s is not supported", a.Content, flag.name)
			}
		}
		switch {
		case a.Content == "":
			return fmt.Errorf("added token %d is empty", a.ID)
		case a.ID >= maxTokens:
			return fmt.Errorf("added token %q has the number %d: it must be less than %d", a.Content, a.ID, maxTokens)
		}
		t.firsts[a.Content[0]] = true
		t.size = max(t.size, int(a.ID)+1)
	}
	return nil
}

// tokens returns a number above all tokens.
func (t *tokenizer) tokens() int { return t.size }

// encode calls take with the tokens of a text, in order, some at a time.
func (t *tokenizer) encode(words *wordIDs, text []byte, take func(ids []uint32)) {
	for len(text) > 0 {
		before, id, rest := t.cutAdded(text)
		if len(before) > 0 {
			words.normal = t.normalize(words.normal[:0], before)
			t.divide(words.normal, func(word []byte) { take(words.of(t, word)) })
		}
		if id >= 0 && id != t.unknown {
			take([]uint32{uint32(id)})
		}
		text = rest
	}
	words.forgetLong()
}

// cutAdded cuts a text at its first added token, the longest that begins there. id is -1 if the
// text has no added token.
func (t *tokenizer) cutAdded(text []byte) (before []byte, id int64, rest []byte) {
	for i, c := range text {
		if !t.firsts[c] {
			continue
		}
		longest := -1
		for j, a := range t.added {
			longer := longest < 0 || len(a.Content) > len(t.added[longest].Content)
			if longer && bytes.HasPrefix(text[i:], []byte(a.Content)) {
				longest = j
			}
		}
		if longest >= 0 {
			a := t.added[longest]
			return text[:i], int64(a.ID), text[i+len(a.Content):]
		}
	}
	return text, -1, nil
}

// wholeText does not split.
func wholeText(text []byte, word func([]byte)) { word(text) }

// wordIDs caches the tokens of words.
type wordIDs struct {
	known  map[string][]uint32
	ids    []uint32 // scratch buffer
	normal []byte   // scratch: a normalized text
	scratch
}

// scratch is the memory a model needs to split a word.
type scratch struct {
	piece   []byte
	symbols []symbol
	open    candidates
}

// The maximum number, and length, of cached words.
const mostKnown, longestKnown = 1 << 15, 64

// of returns the tokens of a word, without those for unknown words. The slice is valid until the
// next call.
func (w *wordIDs) of(t *tokenizer, word []byte) []uint32 {
	if ids, ok := w.known[string(word)]; ok {
		return ids
	}
	w.ids = t.model.append(w.ids[:0], word, &w.scratch)
	known := w.ids[:0]
	for _, id := range w.ids {
		if int64(id) != t.unknown {
			known = append(known, id)
		}
	}
	if len(word) <= longestKnown {
		if len(w.known) >= mostKnown {
			clear(w.known)
		}
		w.known[string(word)] = append([]uint32(nil), known...)
	}
	return known
}

// maxScratch bounds the memory kept from one text to the next.
const maxScratch = 4 << 20

func (w *wordIDs) forgetLong() {
	if cap(w.normal) > maxScratch {
		w.normal = nil
	}
	if max(cap(w.ids), cap(w.symbols)) > maxScratch/8 {
		w.ids, w.scratch = nil, scratch{}
	}
}
