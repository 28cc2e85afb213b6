package sketch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
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

// everyCodePoint calls f with every code point that can be in a text, or with a sample of them if
// the test is to be short.
func everyCodePoint(f func(r rune)) {
	if testing.Short() {
		codePoints(f)
		return
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			f(r)
		}
	}
}

// codePoints calls f with code points of every kind: of the huge blocks that have the same
// properties throughout with every 64th only. With -short it is a quarter of those beyond Latin,
// Greek and Cyrillic.
func codePoints(f func(r rune)) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		uniform := 0x3400 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a0 || 0xe000 <= r && r < 0xf900 ||
			0x17000 <= r && r < 0x18d00 || 0x20000 <= r && r < 0x2f800 || r >= 0x2fa20
		left := testing.Short() && r > 0x52f && r/4%4 > 0
		if utf8.ValidRune(r) && !left && (!uniform || r%64 == 0) {
			f(r)
		}
	}
}

func TestNFKCFoldOfEveryCodePoint(t *testing.T) {
	n := newNFKCFold()
	everyCodePoint(func(r rune) {
		checkNormal(t, n, "nfkc-fold", []byte(string(r)))
		if foldRune(r) != definedFold(r) {
			t.Fatalf("%U folds to %U, want %U", r, foldRune(r), definedFold(r))
		}
	})
}

// The table is built from some spans of code points; all others must need no entry.
func TestFoldTableComplete(t *testing.T) {
	table, maker := newFoldTable(), new(foldMaker)
	everyCodePoint(func(r rune) {
		if want := maker.entry(r); table.at(r) != want {
			t.Fatalf("%U has entry %#x, want %#x", r, table.at(r), want)
		}
	})
}

// The fast way relies on it that nothing composes with an inert code point, nor with a mark, to its
// left.
func TestFirstHalvesAreNotInert(t *testing.T) {
	table := newFoldTable()
	codePoints(func(r rune) {
		d := []rune(norm.NFD.String(string(r)))
		if len(d) < 2 || norm.NFC.String(string(r)) != string(r) {
			return
		}
		first := []rune(norm.NFC.String(string(d[:len(d)-1])))
		for _, half := range []rune{first[0], foldRune(first[0])} {
			switch kind := table.at(half) & kindMask; kind {
			case kindInert, kindMark, kindMaybe:
				t.Errorf("%U, the first half of %U, is of kind %d", half, r, kind)
			}
		}
	})
}

// interesting has a few code points of each kind that normalisation knows.
var interesting = []rune{
	' ', 'a', 'A', 'J', 'k', '\n', 0xe9, 0xc9, 0xdf, 0x130, 0x131, 0x17f, 0x1c4, 0x1f0, 0x23a, 0x2126, 0x212a, 0x300,
	0x301, 0x307, 0x30c, 0x323, 0x327, 0x328, 0x338, 0x340, 0x344, 0x345, 0x34f, 0x35c, 0x391, 0x3a3, 0x3b1, 0x3b9,
	0x3c2, 0x413, 0x438, 0x5b0, 0x5b4, 0x5bc, 0x5d0, 0x61c, 0x627, 0x64b, 0x651, 0x653, 0x915, 0x93c, 0x94d, 0x958,
	0x9be, 0x9c7, 0xbc6, 0xbbe, 0xdd9, 0xdcf, 0xe33, 0xe34, 0xe48, 0xeb3, 0xf71, 0xf72, 0xf74, 0xf76, 0xf80, 0x1025,
	0x102e, 0x1100, 0x1161, 0x11a8, 0x13a0, 0xab70, 0x13f8, 0x1e9b, 0x1e9e, 0x1f80, 0x1f88, 0x1fb3, 0x1fbe, 0x200b,
	0x200d, 0x202e, 0x2000, 0x2003, 0x3042, 0x3099, 0x309a, 0x304b, 0x30a6, 0x30fc, 0x4e00, 0xac00, 0xac01, 0xf900,
	0xfb01, 0xfb1f, 0xfb2c, 0xfdfa, 0xfe00, 0xfeff, 0xff21, 0xff76, 0xff9e, 0xfffd, 0x10400, 0x1109a, 0x110ba, 0x1d15e,
	0x1d165, 0x1d400, 0x1f600, 0x2f800, 0xe0041, 0xe0100,
}

func TestNFKCFoldOfPairsAndTriples(t *testing.T) {
	n := newNFKCFold()
	for _, a := range interesting {
		for _, b := range interesting {
			checkNormal(t, n, "nfkc-fold", []byte(string([]rune{a, b})))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	triples := 300_000
	if testing.Short() {
		triples = 20_000
	}
	for range triples {
		text := string([]rune{some(rng), some(rng), some(rng)})
		if got, want := n.Append(nil, []byte(text)), definedNFKCFold([]byte(text)); !bytes.Equal(got, want) {
			t.Fatalf("%+q: got %+q, want %+q", text, got, want)
		}
	}
}

func some(rng *rand.Rand) rune { return interesting[rng.IntN(len(interesting))] }

// genText draws texts in which fast runs, slow spans, marks and broken bytes lie close together.
func genText() *rapid.Generator[[]byte] {
	piece := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(interesting), func(r rune) []byte { return []byte(string(r)) }),
		rapid.Map(rapid.Rune(), func(r rune) []byte { return []byte(string(r)) }),
		rapid.Map(rapid.StringMatching(`[ -~]{1,20}`), func(s string) []byte { return []byte(s) }),
		rapid.SliceOfN(rapid.ByteRange(0x80, 0xff), 1, 4),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]rune{0x301, 0x344, 0x94d, 0x1161, 0xff9e}), 1, 40),
			func(r []rune) []byte { return []byte(string(r)) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(p [][]byte) []byte { return slices.Concat(p...) })
}

// someNormalizers are the recipes, each step alone, all steps, and lists that are likely or were
// hard to get right.
func someNormalizers() []string {
	return append(NormalizerNames(),
		"strip-format,nfc", "nfkc,fold", "nfkc,confusables", "fold,confusables", "nfkc,fold,confusables",
		"nfkc-fold,log-variables",
		"nfkc-fold,variables", "fold,variables,strip-punctuation", "variables,digits", "variables,squash-space",
		"nfkc-fold,strip-accents,variables,strip-punctuation,numbers,confusables,squash-space",
		"nfkc-fold,strip-accents", "nfkc-fold,digits,confusables,squash-space",
		"strip-format,strip-controls,nfc,fold,strip-accents,strip-punctuation,digits,confusables,squash-space",
		"strip-format,strip-controls,nfkc,fold,strip-accents,strip-punctuation,numbers,confusables,squash-space")
}

func TestNormalizersKeepTheirPromises(t *testing.T) {
	for _, name := range someNormalizers() {
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

// The order of marks, compositions over the edge between ASCII and the rest, and the limit of
// Stream-Safe text.
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

// Capitals that compose with a mark only when they are small are composed before the next step: so
// a digit and such a letter are no run of ASCII.
func TestStepsAfterNFKCFoldExamples(t *testing.T) {
	for _, name := range []string{"nfkc-fold,variables", "strip-format,nfkc,fold,variables"} {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		for in, want := range map[string]string{"0T\u0344": "0ẗ\u0301", "7H\u0331 x": "0ẖ x", "0T 1": "0 0"} {
			if got := string(n.Append(nil, []byte(in))); got != want {
				t.Errorf("%s of %+q: got %+q, want %+q", name, in, got, want)
			}
			checkNormal(t, n, name, []byte(in))
		}
	}
}

// Runs of marks about as long as the Stream-Safe limit, with and without compositions and
// reordering in them.
func TestNFKCFoldOfManyMarks(t *testing.T) {
	n := newNFKCFold()
	for _, base := range []string{"", "A", "é", "漢", "ﬁ"} {
		for first := range 36 {
			for second := range 36 {
				text := base + strings.Repeat("\u0301", first) + strings.Repeat("\u094d", second) + "x"
				checkNormal(t, n, "nfkc-fold", []byte(text))
			}
		}
	}
}

// A pipeline that does not settle within its rounds is not idempotent.
func TestPipelinesSettle(t *testing.T) {
	for _, name := range []string{
		"nfkc,confusables", "fold,confusables",
		"strip-format,strip-controls,nfkc,fold,strip-accents,strip-punctuation,digits,confusables,squash-space",
	} {
		n, err := NewNormalizer(name)
		if err != nil {
			t.Fatal(err)
		}
		var once, twice []byte
		codePoints(func(r rune) {
			once = n.Append(once[:0], []byte(string(r)))
			if twice = n.Append(twice[:0], once); !bytes.Equal(once, twice) {
				t.Errorf("%s: %U becomes %+q, then %+q", name, r, once, twice)
			}
		})
	}
}

func TestNormalizeLists(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"none,fold", `normalize: "none" stands alone`},
		{"", `normalize: unknown name ""`},
		{"fold,", `normalize: unknown name ""`},
		{"fold,nfkc", `normalize: "nfkc" must come before "fold"`},
		{"fold,fold", `normalize: "fold" is there twice`},
		{"nfc,nfkc", `normalize: want one of "nfc" and "nfkc", not both`},
		{"ccnet,numbers", `normalize: want one of "digits" and "numbers", not both`},
		{"lower", `normalize: unknown name "lower" (want some of: ccnet, fineweb, nfkc-fold, none, strip-format, `},
	} {
		_, err := NewNormalizer(c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct{ name, in, want string }{
		{"none", "Ab\xff", "Ab\ufffd"},
		{"strip-controls", "a\x00b\tc\x7f\n", "ab\tc\n"},
		{"strip-accents", "Ångström naïve e\u0301 한글", "Angstrom naive e 한글"},
		{"confusables", "раураl l0O1I|", "paypal lOOlll"},
		{"fold,confusables", "РАYРАL", "paypal"},
		{"digits", "12.5 and ٣٤", "00.0 and 00"},
		{"numbers", "12.5 and ٣٤", "0.0 and 0"},
		{"ids", "toolu_01A09q90qw90lq917835lq9 (call_abc123) chatcmpl-9xKz0 call_1 run_2024 call_abcdef",
			"0 (0) chatcmpl-9xKz0 call_1 run_2024 call_abcdef"},
		{"ids", "recall_abc123 msg_01XF_dv-4 sha256 v2 5", "recall_abc123 0 sha256 v2 5"},
		{"ids", "550E8400-e29b-41d4-a716-446655440000, session-550e8400-e29b-41d4-a716-446655440000", "0, 0"},
		{"ids", "550e8400-e29b-41d4-a716-44665544000 550e8400-e29b-41d4-a716-446655440000a",
			"550e8400-e29b-41d4-a716-44665544000 550e8400-e29b-41d4-a716-446655440000a"},
		{"ids", "x550e8400-e29b-41d4-a716-446655440000", "x550e8400-e29b-41d4-a716-446655440000"},
		{"ids,strip-punctuation", "[call-a1b2c3]. req_a+1b2c3d4", "0 reqa1b2c3d4"},
		{"variables", "blk_-38865 at 10.251.73.220:50010 (pid=17, 0x1F) /var/log/a.log /tmp/x1/b é2 v",
			"0 at 0 (pid=0, 0) /var/log/a.log 0 é0 v"},
		{"variables", "2015-07-29T19:25:50.615+02:00 [ab:cd:ef:00:11:22] 550e8400-e29b-41d4-a716-446655440000",
			"0+0 [0] 0"},
		{"variables,strip-punctuation", "[a]1 b", "0 b"},
		{"log-variables", "GET /a HTTP/1.1 500, https://h/ root@h and/or http 404 http 1404 status=503 exit code 1 " +
			"rc: -1 src 7",
			"GET /0 http/0 500, 0 0 and/or http 404 http 0 status=503 exit code 1 rc: -1 src 0"},
		{"log-variables", "Thu, 29 Jul 10:00:01 may 5 the sun 3\nJul\n7 status:200 status\n200 Sun x",
			"0, 0 0 0 0 0 the 0 0\nJul\n0 status:200 status\n0 0 x"},
		{"strip-punctuation", "“Don’t” – $5,000 (a+b)", "Dont  5000 ab"},
		{"squash-space", " a \n\u3000b\u00a0", " a b "},
		{"fineweb", "Café №12:\t3 000 “Stück”!", "cafe 0 0 0 stuck"},
		{"fineweb", "İstanbul'da yaşıyor", "istanbulda yasıyor"},
		{"ccnet", "Café №12:\t3 000 “Stück”!", "café 00\t0 000 stück"},
	} {
		n, err := NewNormalizer(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(n.Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// The Stream-Safe limit as docs/design/sketch.md words it, against what norm does.
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
		for _, name := range someNormalizers() {
			n, err := NewNormalizer(name)
			if err != nil {
				t.Fatal(err)
			}
			checkNormal(t, n, name, text)
		}
	})
}
