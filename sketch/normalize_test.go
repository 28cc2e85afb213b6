package sketch

import (
	"bytes"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// checkNormal holds the normaliser of that name to its definition and its promises, for one text.
func checkNormal(t interface{ Fatalf(string, ...any) }, n Normalizer, name string, text []byte) {
	got := n.Append(nil, text)
	if want := definedNormalize(name, text); !bytes.Equal(got, want) {
		t.Fatalf("%s of %+q\n got %+q\nwant %+q", name, text, got, want)
	}
	if !utf8.Valid(got) {
		t.Fatalf("%s of %+q is not well-formed: %+q", name, text, got)
	}
	if twice := n.Append(nil, got); !bytes.Equal(twice, got) {
		t.Fatalf("%s is not idempotent on %+q:\n once %+q\ntwice %+q", name, text, got, twice)
	}
}

func TestNFKCFoldOfEveryCodePoint(t *testing.T) {
	n := newNFKCFold()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		c := string(r)
		checkNormal(t, n, "nfkc-fold", []byte(c))
		if foldRune(r) != definedFold(r) {
			t.Fatalf("%U folds to %U, want %U", r, foldRune(r), definedFold(r))
		}
	}
}

// The table is built from some spans of code points; all others must need no entry.
func TestFoldTableComplete(t *testing.T) {
	table := loadFoldTable()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) && table.at(r) != foldEntry(r) {
			t.Fatalf("%U has entry %#x, want %#x", r, table.at(r), foldEntry(r))
		}
	}
}

// interesting has a few code points of each kind that normalisation knows.
var interesting = []rune{
	' ', 'a', 'A', 'J', 'k', '\n', 0xe9, 0xc9, 0xdf, 0x130, 0x131, 0x17f, 0x1c4, 0x1f0, 0x23a, 0x2126, 0x212a, 0x300,
	0x301, 0x307, 0x30c, 0x323, 0x327, 0x328, 0x338, 0x340, 0x344, 0x345, 0x34f, 0x35c, 0x391, 0x3a3, 0x3b1, 0x3b9, 0x3c2,
	0x413, 0x438, 0x5b0, 0x5b4, 0x5bc, 0x5d0, 0x61c, 0x627, 0x64b, 0x651, 0x653, 0x915, 0x93c, 0x94d, 0x958, 0x9be,
	0x9c7, 0xbc6, 0xbbe, 0xdd9, 0xdcf, 0xe33, 0xe34, 0xe48, 0xeb3, 0xf71, 0xf72, 0xf74, 0xf76, 0xf80, 0x1025, 0x102e, 0x1100,
	0x1161, 0x11a8, 0x13a0, 0xab70, 0x13f8, 0x1e9b, 0x1e9e, 0x1f80, 0x1f88, 0x1fb3, 0x1fbe, 0x200b, 0x200d, 0x202e,
	0x2000, 0x2003, 0x3042, 0x3099, 0x309a, 0x304b, 0x30a6, 0x30fc, 0x4e00, 0xac00, 0xac01, 0xf900, 0xfb01, 0xfb1f,
	0xfb2c, 0xfdfa, 0xfe00, 0xfeff, 0xff21, 0xff76, 0xff9e, 0xfffd, 0x10400, 0x1109a, 0x110ba, 0x1d15e, 0x1d165,
	0x1d400, 0x1f600, 0x2f800, 0xe0041, 0xe0100,
}

func TestNFKCFoldOfPairsAndTriples(t *testing.T) {
	n := newNFKCFold()
	var text []byte
	for _, a := range interesting {
		for _, b := range interesting {
			checkNormal(t, n, "nfkc-fold", []byte(string([]rune{a, b})))
			if testing.Short() {
				continue
			}
			for _, c := range interesting {
				text = append(text[:0], string([]rune{a, b, c})...)
				if got, want := n.Append(nil, text), definedNFKCFold(text); !bytes.Equal(got, want) {
					t.Fatalf("%+q: got %+q, want %+q", text, got, want)
				}
			}
		}
	}
}

// genText draws texts in which fast runs, slow spans, marks and broken bytes lie close together.
func genText() *rapid.Generator[[]byte] {
	piece := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(interesting), func(r rune) []byte { return []byte(string(r)) }),
		rapid.Map(rapid.Rune(), func(r rune) []byte { return []byte(string(r)) }),
		rapid.Map(rapid.StringMatching(`[ -~]{1,20}`), func(s string) []byte { return []byte(s) }),
		rapid.SliceOfN(rapid.ByteRange(0x80, 0xff), 1, 4),
		rapid.Map(rapid.IntRange(1, 40), func(n int) []byte { return bytes.Repeat([]byte("\u0301"), n) }),
		rapid.Map(rapid.IntRange(1, 40), func(n int) []byte { return bytes.Repeat([]byte("\u094d"), n) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(p [][]byte) []byte { return slices.Concat(p...) })
}

func TestNormalizersKeepTheirPromises(t *testing.T) {
	for _, name := range NormalizerNames() {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			text := genText().Draw(t, "text")
			checkNormal(t, n, name, text)
		})
	}
}

// The order of marks, compositions over the edge between ASCII and the rest, and the limit of Stream-Safe text.
func TestNFKCFoldExamples(t *testing.T) {
	marks := func(n int) string { return string(bytes.Repeat([]byte("\u0316"), n)) }
	for _, c := range []struct{ in, want string }{
		{"Cafe\u0301 CAFÉ", "café café"},
		{"e\u200d\u0301", "é"},
		{"J\u030c", "ǰ"},
		{"a\u0301\u0323", "ạ\u0301"},
		{"ﬁn de ⅷ", "fin de viii"},
		{"ＡＢＣ１２３", "abc123"},
		{"Straße İstanbul", "straße İstanbul"}, // İ has a Turkic and a full folding only
		{"soft\u00adhyphen", "softhyphen"},
		{"\u202eevil\u202c", "evil"},
		{"\xff\xe2\x82x", "\ufffd\ufffd\ufffdx"},
		{"x" + marks(31), "x" + marks(30) + "\u034f" + marks(1)},
		{"ｶﾞ", "ガ"},
	} {
		if got := string(newNFKCFold().Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%+q: got %+q, want %+q", c.in, got, c.want)
		}
	}
}

// The Stream-Safe limit as docs/sketch.md words it, against what norm does.
func TestStreamSafeIsAsDocumented(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom(interesting), 0, 100).Draw(t, "text")
		var limited []rune
		count := 0
		for _, r := range text {
			lead, trail := nonStarters(r)
			switch {
			case lead == 0:
				count = trail
			case count+lead > 30:
				limited = append(limited, 0x34f)
				count = lead
			default:
				count += lead
			}
			limited = append(limited, r)
		}
		if got, want := norm.NFKC.String(string(text)), norm.NFKC.String(string(limited)); got != want {
			t.Fatalf("%+q\n got %+q\nwant %+q", string(text), got, want)
		}
	})
}

func nonStarters(r rune) (lead, trail int) {
	d := []rune(norm.NFKD.String(string(r)))
	is := func(r rune) bool { return !norm.NFKC.PropertiesString(string(r)).BoundaryBefore() }
	for lead < len(d) && is(d[lead]) {
		lead++
	}
	for trail < len(d) && is(d[len(d)-1-trail]) {
		trail++
	}
	return lead, trail
}

func FuzzNormalize(f *testing.F) {
	f.Add([]byte("Cafe\u0301 \u202eﬁ \xff\u1100\u1161\u11a8"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for name, make := range normalizers {
			checkNormal(t, make(), name, text)
		}
	})
}
