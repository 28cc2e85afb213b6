package sketch

import "fmt"

// A Tokenizer splits a normalized text into tokens. It may own scratch memory, so each goroutine
// needs its own.
type Tokenizer interface {
	// Append appends the tokens of text, which must be well-formed UTF-8, to dst. Tokens are not
	// empty, and are in text order. All tokens in dst must come from the same kind of Tokenizer.
	Append(dst *Tokens, text []byte)
}

// tokenizers has an entry for each value of Params.Tokenize.
var tokenizers = map[string]tokenizerKind{
	"word":       {make: func() Tokenizer { return newWord() }, edge: afterSpace},
	"whitespace": {make: func() Tokenizer { return newWhitespace() }, edge: afterSpace},
	"word-grams": {make: func() Tokenizer { return newWordGrams() }, edge: afterSpace},
	"char":       {make: func() Tokenizer { return char{} }, edge: afterSpace},
	"grapheme":   {make: func() Tokenizer { return newGrapheme() }, edge: afterSpace},
	"uax29":      {make: func() Tokenizer { return newUAX29() }, edge: afterSpace},
	"lines":      {make: func() Tokenizer { return lines{} }, edge: afterLine, byLine: true},
	"chinese":    {edge: afterSpace}, // in package sketch/chinese, see NewWith
	"paragraphs": {make: func() Tokenizer { return paragraphs{} }, edge: afterParagraph, byLine: true},
}

type tokenizerKind struct {
	make func() Tokenizer // nil if the tokenizer is in another package
	// reports whether no token spans the boundary before text[i], a letter or digit
	edge   func(text []byte, i int) bool
	byLine bool // it depends on line ends
}

// NewTokenizer returns the Tokenizer with a name.
func NewTokenizer(name string) (Tokenizer, error) {
	if err := known("tokenize", name, tokenizers); err != nil {
		return nil, err
	}
	if tokenizers[name].make == nil {
		return nil, fmt.Errorf("tokenize: %s has a package of its own, sketch/%s", name, name)
	}
	return tokenizers[name].make(), nil
}
