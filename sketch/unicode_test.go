package sketch

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// The files in unicode/ are of the same version as Go's tables. When this fails, they want
// replacing, and the keys of some texts have changed: docs/design/sketch.md names the version.
func TestUnicodeVersion(t *testing.T) {
	if UnicodeVersion != "15.0.0" {
		t.Errorf("this is Unicode %s, want 15.0.0", UnicodeVersion)
	}
}

// unicodeLines calls f with each line of a file of the Unicode Character Database that is not a
// comment.
func unicodeLines(t *testing.T, name string, f func(line string)) {
	file, err := os.Open("unicode/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		if line := lines.Text(); line[0] != '#' {
			f(line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func decodeCodes(t *testing.T, codes string) string {
	var b strings.Builder
	for _, code := range strings.Fields(codes) {
		r, err := strconv.ParseUint(code, 16, 21)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

func TestNormalization(t *testing.T) {
	normalizer := func(name string) func(string) string {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		return func(s string) string { return string(n.Append(nil, []byte(s))) }
	}
	nfc, nfkc, fold := normalizer("nfc"), normalizer("nfkc"), normalizer("nfkc-fold")
	check := func(form, in, got, want string) {
		if got != want {
			t.Errorf("%s of %+q: got %+q, want %+q", form, in, got, want)
		}
	}
	lines := 0
	unicodeLines(t, "NormalizationTest-15.0.txt.gz", func(line string) {
		if line[0] == '@' {
			return
		}
		lines++
		var c [5]string
		for i, codes := range strings.Split(line, ";")[:5] {
			c[i] = decodeCodes(t, codes)
		}
		for i, s := range c {
			check("nfkc", s, nfkc(s), c[3])
			check("nfkc-fold", s, fold(s), string(definedNFKCFold([]byte(c[3]))))
			if i < 3 {
				check("nfc", s, nfc(s), c[1])
			} else {
				check("nfc", s, nfc(s), c[3])
			}
		}
	})
	if lines != 19074 {
		t.Errorf("the file has %d tests, want 19074", lines)
	}
}

func TestCaseFolding(t *testing.T) {
	folds := make(map[rune]rune)
	unicodeLines(t, "CaseFolding-15.0.txt.gz", func(line string) {
		field := strings.Split(line, ";")
		if status := strings.TrimSpace(field[1]); status == "C" || status == "S" {
			folds[[]rune(decodeCodes(t, field[0]))[0]] = []rune(decodeCodes(t, field[2]))[0]
		}
	})
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want, ok := folds[r]
		if !ok {
			want = r
		}
		if foldRune(r) != want || definedFold(r) != want {
			t.Errorf("%U folds to %U and %U, want %U", r, foldRune(r), definedFold(r), want)
		}
	}
}

// checkBreaks holds a segmenter to a file of tests of the form "÷ 0061 × 0308 ÷ 0062 ÷". The tests
// that Unicode 17.0, which the library follows, decides otherwise are in changed.
func checkBreaks(t *testing.T, name string, tests int, segments func(string) []string, changed map[string][]string) {
	unicodeLines(t, name, func(line string) {
		tests--
		var want []string
		for _, codes := range strings.Split(strings.Trim(line, "÷ \t"), "÷") {
			want = append(want, decodeCodes(t, strings.ReplaceAll(codes, "×", " ")))
		}
		text := strings.Join(want, "")
		if later, ok := changed[text]; ok {
			want = later
		}
		if got := segments(text); !slices.Equal(got, want) {
			t.Errorf("%s: got %+q, want %+q", line, got, want)
		}
	})
	if tests != 0 {
		t.Errorf("%s has %d tests too few", name, tests)
	}
}

func TestWordBreak(t *testing.T) {
	checkBreaks(t, "WordBreakTest-15.0.txt.gz", 1823, func(text string) (list []string) {
		for w := words.FromString(text); w.Next(); {
			list = append(list, w.Value())
		}
		return list
	}, map[string][]string{
		"\u2701\u200d\u2701": {"\u2701\u200d", "\u2701"}, // U+2701 is not Extended_Pictographic any more
		"a\u200d\u2701":      {"a\u200d", "\u2701"},
	})
}

func TestGraphemeBreak(t *testing.T) {
	checkBreaks(t, "GraphemeBreakTest-15.0.txt.gz", 602, func(text string) (list []string) {
		for g := graphemes.FromString(text); g.Next(); {
			list = append(list, g.Value())
		}
		return list
	}, map[string][]string{
		"\u2701\u200d\u2701": {"\u2701\u200d", "\u2701"}, // U+2701 is not Extended_Pictographic any more
	})
}
