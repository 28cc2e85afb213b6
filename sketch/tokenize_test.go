package sketch

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// builtIn are the names of the tokenisers that are in this package.
func builtIn() []string {
	return slices.DeleteFunc(TokenizerNames(), func(name string) bool { return tokenizers[name].make == nil })
}

func tokensOf(t *Tokens) []string {
	var list []string
	for i := range t.Len() {
		list = append(list, string(t.At(i)))
	}
	return list
}

func TestTokenizersAreAsDefined(t *testing.T) {
	for _, name := range builtIn() {
		z, err := NewTokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			var tokens Tokens
			var want []string
			for range rapid.IntRange(1, 3).Draw(t, "texts") {
				text := definedNormalize("none", genText().Draw(t, "text"))
				z.Append(&tokens, text)
				want = append(want, definedTokens(name, text)...)
			}
			if got := tokensOf(&tokens); !slices.Equal(got, want) {
				t.Fatalf("%s\n got %+q\nwant %+q", name, got, want)
			}
			keep := rapid.IntRange(0, 3).Draw(t, "keep")
			tokens.keepLast(keep)
			if got, want := tokensOf(&tokens), want[max(0, len(want)-keep):]; !slices.Equal(got, want) {
				t.Fatalf("%s: last %d\n got %+q\nwant %+q", name, keep, got, want)
			}
		})
	}
}

// Whatever meets at an edge of a block or straddles it.
func TestTokensAtBlockEdges(t *testing.T) {
	parts := []string{"a", " ", ", ", "é", "“", "漢", "\u0e01", "𐐀", "𠀀", "😀", "a\u0301", strings.Repeat("b", 70),
		strings.Repeat(" ", 70)}
	for _, name := range []string{"word", "whitespace"} {
		z, err := NewTokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, lead := range []string{"x", " ", "x ", "я", "漢"} {
			for n := blockSize / 2; n <= blockSize+8; n += len(lead) {
				for i := range len(parts) * len(parts) {
					text := strings.Repeat(lead, n/len(lead)) + parts[i%len(parts)] + parts[i/len(parts)] + "z"
					var tokens Tokens
					z.Append(&tokens, []byte(text))
					if got, want := tokensOf(&tokens), definedTokens(name, []byte(text)); !slices.Equal(got, want) {
						t.Fatalf("%s of %+q\n got %+q\nwant %+q", name, text, got, want)
					}
				}
			}
		}
	}
}

func TestWordClassesOfEveryCodePoint(t *testing.T) {
	c := loadWordClasses()
	for r := rune(0x80); r <= 0x10ffff; r++ {
		want := uint8(classOut)
		if isAlone(r) {
			want = classAlone
		} else if isWord(r) {
			want = classIn
		}
		if c.at(r) != want || r < 0x800 && c.low[r] != want {
			t.Fatalf("%U: class %d, want %d", r, c.at(r), want)
		}
		if r < 0x800 && want == classAlone {
			t.Fatalf("%U, of two bytes, is a token: classTable.complete does not expect that", r)
		}
	}
}

func TestTokenizeExamples(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"word", "it's 3.14, don't_stop – naïve", "it|s|3|14|don|t|stop|naïve"},
		{"word", "我爱Go语言。", "我|爱|Go|语|言"},
		{"word", "データ12件", "デ|ー|タ|12|件"},
		{"word", "한국어 문장", "한국어|문장"},
		{"word", "ภาษา", "ภ|า|ษ|า"},
		{"word", "नमस्ते दुनिया", "नमस्ते|दुनिया"},
		{"word-grams", "我爱Go语言。データ12件", "我爱|Go|语言|データ|12|件"},
		{"word-grams", "it's ภาษา ไทย", "it|s|ภาษ|าษา|ไทย"},
		{"whitespace", " a\tb,c\u3000d\u00a0e\n", "a|b,c|d|e"},
		{"char", "a é", "a| |é"},
		{"uax29", "it's 3.14, can't_stop – naïve!", "it's|3.14|can't_stop|naïve"},
		{"uax29", "我爱Go", "我|爱|Go"},
		{"grapheme", "e\u0301🇩🇪👩‍🚀\r\n", "e\u0301|🇩🇪|👩‍🚀|\r\n"},
		{"lines", " a b \n\n\tc\r\n", "a b|c"},
		{"paragraphs", "a\nb \n \t\n\nc\n", "a b|c"},
	} {
		z, err := NewTokenizer(c.name)
		if err != nil {
			t.Fatal(err)
		}
		var tokens Tokens
		z.Append(&tokens, []byte(c.text))
		if got := strings.Join(tokensOf(&tokens), "|"); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

func FuzzTokenize(f *testing.F) {
	f.Add("it's 我爱Go. naïve " + strings.Repeat("x", 70) + "ภาษา")
	f.Fuzz(func(t *testing.T, text string) {
		text = string(definedRepair([]byte(text)))
		for _, name := range builtIn() {
			var tokens Tokens
			z, err := NewTokenizer(name)
			if err != nil {
				t.Fatal(err)
			}
			z.Append(&tokens, []byte(text))
			got := tokensOf(&tokens)
			if want := definedTokens(name, []byte(text)); !slices.Equal(got, want) {
				t.Fatalf("%s of %+q\n got %+q\nwant %+q", name, text, got, want)
			}
		}
	})
}
