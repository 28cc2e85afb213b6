package hub

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

const someCommit = "0123456789abcdef0123456789abcdef01234567"

func TestParse(t *testing.T) {
	for address, want := range map[string]Address{
		"hf://datasets/a/b":                         {"a/b", "main", ""},
		"hf://datasets/a/b/":                        {"a/b", "main", ""},
		"hf://datasets/a/b@v1":                      {"a/b", "v1", ""},
		"hf://datasets/a/b/c/d@e.parquet":           {"a/b", "main", "c/d@e.parquet"},
		"hf://datasets/a/b@x%2Fy%25/c/":             {"a/b", "x/y%", "c/"},
		"hf://datasets/a/b@refs/convert/parquet":    {"a/b", "refs/convert/parquet", ""},
		"hf://datasets/a/b@refs/convert/duckdb/c":   {"a/b", "refs/convert/duckdb", "c"},
		"hf://datasets/a/b@refs/pr/12/c":            {"a/b", "refs/pr/12", "c"},
		"hf://datasets/a/b@refs/pr/12a/c":           {"a/b", "refs", "pr/12a/c"},
		"hf://datasets/a/b@refs%2Fpr%2F12/c":        {"a/b", "refs/pr/12", "c"},
		"hf://datasets/a/b@~parquet/c/d":            {"a/b", "refs/convert/parquet", "c/d"},
		"hf://datasets/a/b@" + someCommit + "/a b?": {"a/b", someCommit, "a b?"},
	} {
		got, err := Parse(address)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"hf://", "hf://datasets", "hf://datasets/a", "hf://datasets//b", "hf://datasets/a/", "hf://datasets/a/@main",
		"hf://datasets/../b", "hf://datasets/a/..", "hf://datasets/a/*", "hf://datasets/a/b@", "hf://datasets/a/b@/c",
		"hf://datasets/a/b@%zz/c", "hf://datasets/a/b//c", "hf://datasets/a/b//", "hf://datasets/a/b@v1//",
		"datasets/a/b",
		"hf://datasets/a/b/../c", "hf://datasets/a/b/./c",
		"hf://a/b/c", "hf://models/a/b", "hf://user:secret@datasets/a/b", "hf://datasets/a b/c",
	} {
		if got, err := Parse(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

// FuzzParse: what is an address is written as it can be read again, and asks for nothing outside of
// its dataset.
func FuzzParse(f *testing.F) {
	for _, address := range []string{
		"hf://datasets/a/b@x%2Fy/c*", "hf://datasets/a/b@refs/pr/1", "hf://datasets/a/b/c/",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		a, err := Parse(address)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		if err != nil || again != a {
			t.Errorf("%q is %+v, written as %q: %+v, %v", address, a, a, again, err)
		}
		for _, part := range []string{escaped(a.Path), a.Dataset} {
			if clean := path.Clean("/x/" + part); clean != strings.TrimSuffix("/x/"+part, "/") {
				t.Errorf("%q leads to %q", address, clean)
			}
		}
	})
}

func TestMatch(t *testing.T) {
	for pattern, matches := range map[string]struct{ yes, no string }{
		"*.parquet":           {"a.parquet", "d/a.parquet a.json"},
		"d/*":                 {"d/a d/b.c", "d d/e/f a"},
		"**/*.parquet":        {"a.parquet d/a.parquet d/e/a.parquet", "d/a.json"},
		"d/**":                {"d/a d/e/f d", "a e/d"},
		"**":                  {"a d/e/f", ""},
		"d/**/e/**/f":         {"d/e/f d/x/e/y/z/f", "d/f e/f d/e"},
		"**/train-?????-of-*": {"data/train-00000-of-2 train-11111-of-9", "data/train-0-of-2"},
		"[ab]/x":              {"a/x b/x", "c/x"},
	} {
		for _, path := range strings.Fields(matches.yes) {
			if !Match(pattern, path) {
				t.Errorf("%s does not match %s", pattern, path)
			}
		}
		for _, path := range strings.Fields(matches.no) {
			if Match(pattern, path) {
				t.Errorf("%s matches %s", pattern, path)
			}
		}
	}
}

// matchesPlainly is Match as its definition has it.
func matchesPlainly(pattern, of []string) bool {
	switch {
	case len(pattern) == 0:
		return len(of) == 0
	case pattern[0] == anyDirectories:
		return matchesPlainly(pattern[1:], of) || len(of) > 0 && matchesPlainly(pattern, of[1:])
	}
	matches := false
	if len(of) > 0 {
		matches, _ = path.Match(pattern[0], of[0])
	}
	return matches && matchesPlainly(pattern[1:], of[1:])
}

// TestMatchIsThePlainOne, and what is found below a pattern's directory is all that it matches.
func TestMatchIsThePlainOne(t *testing.T) {
	part, star := rapid.SampledFrom([]string{"a", "b", "ab"}), rapid.SampledFrom([]string{"**", "*", "a", "?b", "[ab]"})
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(part, 1, 5).Draw(t, "path")
		pattern := rapid.SliceOfN(star, 1, 5).Draw(t, "pattern")
		joined, name := strings.Join(pattern, "/"), strings.Join(of, "/")
		matches := Match(joined, name)
		if want := matchesPlainly(pattern, of); matches != want {
			t.Fatalf("%s matches %s: %t, want %t", joined, name, matches, want)
		}
		if !matches || !IsPattern(joined) {
			return
		}
		dir, deep := Below(joined)
		rest, isBelow := strings.CutPrefix(name, dir+"/")
		if dir == "" {
			rest, isBelow = name, true
		}
		if name != dir && (!isBelow || !deep && strings.Contains(rest, "/")) {
			t.Fatalf("%s matches %s, which is not looked for in %q, %t", joined, name, dir, deep)
		}
	})
}

func TestNextLink(t *testing.T) {
	for header, want := range map[string]string{
		"":                                     "",
		`<http://h/x?cursor=a%3D>; rel="next"`: "http://h/x?cursor=a%3D",
		`<http://h/p>; rel="prev", <http://h/n,;>; title="x"; REL=next`: "http://h/n,;",
		`<http://h/p>; rel="prev"`:                                      "",
		`<http://h`:                                                     "",
		`>; rel="next"`:                                                 "",
		`<a>; rel="prev" <b>; rel="next"`:                               "b",
	} {
		if got := nextLink(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

// FuzzNextLink: it comes to an end, with a part of the header.
func FuzzNextLink(f *testing.F) {
	f.Add(`<http://h/p>; rel="prev", <http://h/n>; rel="next"`)
	f.Fuzz(func(t *testing.T, header string) {
		if next := nextLink(header); next != "" && !strings.Contains(header, "<"+next+">") {
			t.Errorf("%q: %q", header, next)
		}
	})
}
