package sketch

// A Tokenizer cuts a normalised text into tokens. It may own scratch memory: one for each goroutine.
type Tokenizer interface {
	// Append appends the tokens of text, which must be well-formed UTF-8, to dst. No token is empty, and their order
	// is that of the text. A dst is filled by one kind of Tokenizer only.
	Append(dst *Tokens, text []byte)
}

// tokenizers has a constructor for each value of Params.Tokenize.
var tokenizers = map[string]func() Tokenizer{
	"word":       func() Tokenizer { return newWord() },
	"whitespace": func() Tokenizer { return newWhitespace() },
	"char":       func() Tokenizer { return char{} },
}

// NewTokenizer returns the Tokenizer of that name.
func NewTokenizer(name string) (Tokenizer, error) {
	if err := known("tokenize", name, tokenizers); err != nil {
		return nil, err
	}
	return tokenizers[name](), nil
}
