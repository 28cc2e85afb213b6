package substr

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whole lines go with a newline, and paragraphs stay apart. Brackets are around what is cut.
func TestWholeLines(t *testing.T) {
	for text, want := range map[string]string{
		"A\n[X]\nB":                  "A\nB",
		"A\n[X\n]B":                  "A\nB",
		"A[\nX\n]B":                  "A\nB",
		"A[\nX]\nB":                  "A\nB",
		"A\n[X\nY]\nB\n":             "A\nB\n",
		"A\n\n[X]\n\nB":              "A\n\nB",
		"A\n\n[X]\nB":                "A\n\nB",
		"A\n[X]\n\nB":                "A\n\nB",
		"A[\n\nX\n\n]B":              "A\n\nB",
		"[X]\nB":                     "B",
		"A\n[X]":                     "A",
		"A\n[X]\n":                   "A\n",
		"A\n\n[X]\n":                 "A\n",
		"[X]\n":                      "",
		"[X]":                        "",
		"A\r\n[X]\r\nB":              "A\r\nB",
		"A\n[X]\n[Y]\nB":             "A\nB",
		"A\n[X]\nB\n[Y]\nC":          "A\nB\nC",
		"A\n[X]\n\n[Y]\n\nB":         "A\n\nB",
		"A b[ c]\nB":                 "A b\nB",
		"A\n[b ]c\nB":                "A\nc\nB",
		"A b[ c\nX\n]B":              "A bB",
		"A\n[X]\n  B":                "A\n  B",
		"[X]\nA[ c]":                 "A",
		"A[\n]B":                     "AB",
		"A\n[one X\n\nanother Y]\nB": "A\nB",
	} {
		plain, spans := bracketed(text)
		if got := Cut(nil, plain, WholeLines(plain, spans)); string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// bracketed is a text without its brackets, and the spans that they were around.
func bracketed(text string) (plain []byte, spans []Span) {
	for _, c := range []byte(text) {
		switch c {
		case '[':
			spans = append(spans, Span{Start: len(plain)})
		case ']':
			spans[len(spans)-1].End = len(plain)
		default:
			plain = append(plain, c)
		}
	}
	return plain, spans
}

// Whatever is cut, spans stay in order; what stays of the text, but for newlines, is what was in no
// span; and where all spans were whole lines, no two lines are joined and no blank line is new.
func TestWholeLinesOfAnyText(t *testing.T) {
	runs := regexp.MustCompile(`\n+`)
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOfN(rapid.RuneFrom([]rune("ab \n")), 0, 30, -1).Draw(t, "text"))
		var spans []Span
		for at := 0; at < len(text); {
			start := rapid.IntRange(at, len(text)-1).Draw(t, "start")
			end := rapid.IntRange(start+1, len(text)).Draw(t, "end")
			spans = append(spans, Span{Start: start, End: end})
			at = end + 1
		}
		cut := WholeLines(text, spans)
		for i, s := range cut {
			if s.Start >= s.End || s.End > len(text) || i > 0 && s.Start < cut[i-1].End {
				t.Fatalf("%q, %v: %v", text, spans, cut)
			}
		}
		got, all := Cut(nil, text, cut), Cut(nil, text, spans)
		if strip := strings.NewReplacer("\n", ""); strip.Replace(string(got)) != strip.Replace(string(all)) {
			t.Fatalf("%q, %v: %q stays, and was %q", text, spans, got, all)
		}
		whole := !slices.ContainsFunc(spans, func(s Span) bool { _, ok := linesOf(text, s); return !ok })
		if before, after := runs.FindAll(text, -1), runs.FindAll(got, -1); whole && longest(after) > longest(before) {
			t.Fatalf("%q, %v: %q has more newlines in a row", text, spans, got)
		}
		for _, line := range bytes.Split(got, []byte("\n")) {
			if whole && len(got) > 0 && !slices.ContainsFunc(bytes.Split(text, []byte("\n")), func(of []byte) bool {
				return bytes.Equal(line, of)
			}) {
				t.Fatalf("%q, %v: the line %q was none before", text, spans, line)
			}
		}
	})
}

func longest(runs [][]byte) (length int) {
	for _, r := range runs {
		length = max(length, len(r))
	}
	return length
}
