package kinds

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTemplate(t *testing.T) {
	for _, c := range []struct{ texts, want string }{
		{"", ""},
		{"one line", "one line"},
		{"got  7 blocks\t| got 9 blocks", "got <*> blocks"},
		{"pid=17, up | pid=4, up", "pid=<*>, up"},
		{"at 10.0.0.1:80 | at 10.0.9.7:80", "at 10.0.<*>:80"},
		{"[a] x | [b] x | [a] x", "[<*>] x"},
		{"user anna is in | user bo peep is in", "user <*> is in"},
		{"user anna is in | user bo peep is in | user is in", "user <*> is in"},
		{"a b c d | c d", "<*> c d"},
		{"a b | a b c d", "a b <*>"},
		{"aa-bb | aa-b-bb", "aa-<*>"},
		{"x-x | x-", "x-<*>"},
		{"a b | c d | e", "<*> <*>"},
		{"10:01 worker 1 is up | 10:02 worker 22 is up (pid=7)", "10:<*> worker <*> is up <*>"},
		{"é1 é | é2 é", "<*> é"},
		{"利用者12がログイン | 利用者7がログイン", "利用者<*>がログイン"},
		{"利用者田中がログイン | 利用者鈴木一がログイン", "利用者<*>がログイン"},
		{"用户张三登录成功，来自10.0.0.1 | 用户李四登录成功，来自10.0.0.2", "用户<*>登录成功，来自10.0.0.<*>"},
		{"ผู้ใช้ 1 | ผู้ใช้ 2", "ผู้ใช้ <*>"},
		{"了 a了 b | 了 c了 b", "了 <*>了 b"},
		{"again: [ a b c d | a b c d e | a b c f e", "<*> a b c <*>"},
	} {
		var of Template
		for text := range strings.SplitSeq(c.texts, "|") {
			of.Add([]byte(text))
		}
		if got := of.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.texts, got, c.want)
		}
	}
}

// All texts are of their template, whatever came after them, and it does not grow.
func TestTemplateFitsItsTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "p=1", "p=22", "(x)", "(y)", "(p=1)"})
		texts := rapid.SliceOfN(rapid.SliceOfN(word, 0, 8), 1, 8).Draw(t, "texts")
		var of Template
		for _, text := range texts {
			of.Add([]byte(strings.Join(text, " ")))
		}
		for _, text := range texts {
			if !fits(&of, strings.Join(text, " ")) {
				t.Fatalf("%q is not of %q", text, of.String())
			}
		}
		if len(of.words) > 2*8+1 {
			t.Fatalf("%d words", len(of.words))
		}
	})
}

// Long texts are cut, and what is cut varies.
func TestTemplateOfLongTexts(t *testing.T) {
	var of Template
	of.Add([]byte(strings.Repeat("word ", 10_000)))
	of.Add([]byte(strings.Repeat("word ", 9_000)))
	if got := of.String(); got != strings.Repeat("word ", mostWords)+Varies {
		t.Errorf("%q", got)
	}
	of = Template{}
	of.Add([]byte(strings.Repeat("x", 1<<20)))
	if got := of.String(); len(got) != mostTemplate+1+len(Varies) {
		t.Errorf("%d bytes", len(got))
	}
}

// fits reports whether a text is of a template.
func fits(of *Template, text string) bool {
	var p pieces
	p.split([]byte(text))
	if !of.varied {
		return of.first == text
	}
	return of.fits(p.words)
}

func FuzzTemplate(f *testing.F) {
	f.Add("a b c", "a c", "a=1 \xff")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var of Template
		for _, text := range []string{a, b, c, a} {
			of.Add([]byte(text))
		}
		if len(a) < mostTemplate && !fits(&of, a) && len(strings.Fields(a)) <= mostWords {
			t.Errorf("%q is not of %q", a, of.String())
		}
	})
}
