package chinese_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/chinese"
)

func tokens(t testing.TB, text string) []string {
	d, err := chinese.Load()
	if err != nil {
		t.Fatal(err)
	}
	var tokens sketch.Tokens
	d.Tokenizer().Append(&tokens, []byte(text))
	return listOf(&tokens)
}

func listOf(tokens *sketch.Tokens) (list []string) {
	for i := range tokens.Len() {
		list = append(list, string(tokens.At(i)))
	}
	return list
}

func TestTokenizer(t *testing.T) {
	for text, want := range map[string]string{
		"我来到北京清华大学，研究生命的起源。":   "我 来到 北京 清华大学 研究 生命 的 起源",
		"我來到北京清華大學":            "我 來到 北京 清華大學",
		"用Go语言编写 3 个程序!":       "用 Go 语言 编写 3 个 程序",
		"データ処理を学ぶ":             "デ ー タ 処 理 を 学 ぶ",
		"\U0002a6d6\U0002a6d7": "\U0002a6d6 \U0002a6d7",
		"":                     "",
		"…，。":                  "",
	} {
		if got := strings.Join(tokens(t, text), " "); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A long run is cut into the words that its parts have, in bounded memory.
func TestLongRun(t *testing.T) {
	const unit = "我来到北京清华大学"
	got := tokens(t, strings.Repeat(unit, 5000))
	if n := 4 * 5000; len(got) < n || len(got) > n+5 {
		t.Errorf("got %d tokens, want %d or a few more", len(got), n)
	}
	if strings.Join(got, "") != strings.Repeat(unit, 5000) {
		t.Error("the tokens are not the text")
	}
}

// Cutting Han runs into words only ever joins tokens of the word tokeniser.
func FuzzTokenizer(f *testing.F) {
	f.Add("我来到北京清华大学, naïve データ処理 \U0002a6d6〇々")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		got := tokens(t, text)
		if slices.Contains(got, "") {
			t.Fatalf("%+q: empty token in %+q", text, got)
		}
		z, err := sketch.NewTokenizer("word")
		if err != nil {
			t.Fatal(err)
		}
		var words sketch.Tokens
		z.Append(&words, []byte(text))
		var want strings.Builder
		for i := range words.Len() {
			want.Write(words.At(i))
		}
		if strings.Join(got, "") != want.String() {
			t.Fatalf("%+q: got %+q, want the text of %+q", text, got, want.String())
		}
	})
}

// A text in pieces has the tokens of the text: what is certain early stays so.
func FuzzPieces(f *testing.F) {
	f.Add("我来到北京清华大学, naïve データ処理 \U0002a6d6〇々", 7)
	f.Fuzz(func(t *testing.T, text string, cut int) { checkPieces(t, strings.ToValidUTF8(text, "\ufffd"), cut) })
}

func TestLongRunInPieces(t *testing.T) {
	for _, cut := range []int{9, 32_760, 32_769, 40_000, 54_000, 54_002} {
		checkPieces(t, strings.Repeat("我来到北京清华大学", 2000)+"abc", cut)
		checkPieces(t, "学 "+strings.Repeat("wort", 15_000), cut)
	}
}

func checkPieces(t *testing.T, text string, cut int) {
	t.Helper()
	cut = max(0, min(cut, len(text)))
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	d, err := chinese.Load()
	if err != nil {
		t.Fatal(err)
	}
	z := d.Tokenizer()
	var pieces sketch.Tokens
	n := z.(interface {
		AppendSome(*sketch.Tokens, []byte) int
	}).AppendSome(&pieces, []byte(text[:cut]))
	z.Append(&pieces, []byte(text[n:]))
	if got, want := listOf(&pieces), tokens(t, text); !slices.Equal(got, want) {
		t.Fatalf("%.100q, cut at %d: got %.100q, want %.100q", text, cut, got, want)
	}
}

func ExampleLoad() {
	d, err := chinese.Load()
	if err != nil {
		panic(err)
	}
	p := sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "chinese", ShingleSize: 2,
		Sketch: "fss", NumPerm: 128, Bands: 14, Rows: 9, BandKey: "xxh3",
	}
	s, err := sketch.NewWith(p, d.Tokenizer)
	if err != nil {
		panic(err)
	}
	a := s.Shingles(nil, []byte("我来到北京清华大学。"))
	b := s.Shingles(nil, []byte("我来到了北京清华大学"))
	fmt.Printf("%.2f\n", sketch.Jaccard(a, b))
	// Output: 0.40
}

func BenchmarkTokenizer(b *testing.B) {
	d, err := chinese.Load()
	if err != nil {
		b.Fatal(err)
	}
	z := d.Tokenizer()
	text := []byte(strings.Repeat("我来到北京清华大学，研究生命的起源。他说的确实在理。", 27))
	var tokens sketch.Tokens
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tokens.Reset()
		z.Append(&tokens, text)
	}
}
