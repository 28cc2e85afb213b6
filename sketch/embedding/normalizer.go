package embedding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normalizer appends the normal form of a non-empty text.
type normalizer func(dst, text []byte) []byte

// normalizerOf parses the description of a normalizer; null means one that changes nothing.
func normalizerOf(text json.RawMessage) (normalizer, error) {
	if len(text) == 0 || string(text) == "null" {
		return appendValid, nil
	}
	var described struct {
		typed
		Normalizers []json.RawMessage `json:"normalizers"`
		Prepend     string            `json:"prepend"`
		Pattern     struct {
			String *string `json:"String"`
		} `json:"pattern"`
		Content string `json:"content"`
		bertNormalizer
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return nil, fmt.Errorf("its normalizer cannot be read: %w", err)
	}
	switch described.Type {
	case "BertNormalizer":
		b := described.bertNormalizer
		if b.StripAccents == nil {
			b.StripAccents = &b.Lowercase
		}
		return b.append, nil
	case "Prepend":
		return prepend(described.Prepend).append, nil
	case "Replace":
		if old := described.Pattern.String; old != nil && *old != "" {
			return replace{[]byte(*old), []byte(described.Content)}.append, nil
		}
		return nil, notSupported("normalizer", "Replace of a regular expression", "Replace of a String")
	case "Sequence":
		var all inTurn
		for _, text := range described.Normalizers {
			n, err := normalizerOf(text)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return all.append, nil
	}
	return nil, notSupported("normalizer", described.Type, "BertNormalizer, Prepend, Replace or Sequence")
}

// inTurn applies several normalizers in order.
type inTurn []normalizer

func (all inTurn) append(dst, text []byte) []byte {
	if len(all) == 0 {
		return appendValid(dst, text)
	}
	for i, n := range all {
		if i == len(all)-1 {
			return n(dst, text)
		}
		text = n(nil, text)
	}
	return dst
}

// appendValid appends a text, replacing each byte of invalid UTF-8 by U+FFFD.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst, text = utf8.AppendRune(dst, r), text[size:]
	}
	return dst
}

type prepend string

func (p prepend) append(dst, text []byte) []byte { return appendValid(append(dst, p...), text) }

type replace struct{ old, new []byte }

func (r replace) append(dst, text []byte) []byte {
	for {
		i := bytes.Index(text, r.old)
		if i < 0 {
			return appendValid(dst, text)
		}
		dst = append(appendValid(dst, text[:i]), r.new...)
		text = text[i+len(r.old):]
	}
}

// A bertNormalizer normalizes as BERT does: it removes control characters, turns white space into
// spaces, puts spaces around ideographs, strips accents, and converts to lower case. Hugging Face
// tokenizers uses tables of older Unicode releases: some hundred characters newer than Unicode 8
// are not marks, punctuation or capitals there.
type bertNormalizer struct {
	CleanText    bool  `json:"clean_text"`
	Chinese      bool  `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"` // if it is null, Lowercase decides
	Lowercase    bool  `json:"lowercase"`
}

func (b bertNormalizer) append(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			dst = b.appendOthers(dst, text, &i)
			continue
		}
		i++
		switch {
		case c >= 'A' && c <= 'Z' && b.Lowercase:
			dst = append(dst, c|0x20)
		case c >= ' ' && c != 0x7f || !b.CleanText:
			dst = append(dst, c)
		case c == '\t' || c == '\n' || c == '\r':
			dst = append(dst, ' ')
		}
	}
	return dst
}

// appendOthers processes a run of non-ASCII characters. The character before it does not matter,
// since it could only attract marks, which stay in order or are stripped.
func (b bertNormalizer) appendOthers(dst, text []byte, i *int) []byte {
	var run [256]byte
	plain := run[:0]
	for *i < len(text) && text[*i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(text[*i:])
		*i += size
		switch {
		case b.CleanText && (r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)):
		case b.CleanText && unicode.IsSpace(r):
			plain = append(plain, ' ')
		case b.Chinese && isChinese(r):
			plain = append(utf8.AppendRune(append(plain, ' '), r), ' ')
		default:
			plain = utf8.AppendRune(plain, r)
		}
	}
	if *b.StripAccents {
		plain = norm.NFD.Bytes(plain)
	}
	for _, r := range string(plain) {
		switch {
		case *b.StripAccents && unicode.Is(unicode.Mn, r):
		case !b.Lowercase:
			dst = utf8.AppendRune(dst, r)
		case r == 'İ':
			dst = append(dst, "i̇"...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

// isChinese reports whether Hugging Face tokenizers considers r an ideograph.
func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}

// bertWords calls word with the words of a text: what is between white space, and each punctuation
// mark by itself.
func bertWords(text []byte, word func([]byte)) {
	start := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		space, mark := unicode.IsSpace(r), isBertPunctuation(r)
		if (space || mark) && i > start {
			word(text[start:i])
		}
		if mark {
			word(text[i : i+size])
		}
		i += size
		if space || mark {
			start = i
		}
	}
	if start < len(text) {
		word(text[start:])
	}
}

func isBertPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}
