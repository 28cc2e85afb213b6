package markup

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// checkText checks what holds for every text.
func checkText(t *testing.T, name string, text []byte) {
	t.Helper()
	e, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	given := bytes.Clone(text)
	got := e(nil, text)
	if !bytes.Equal(text, given) {
		t.Errorf("%s changes its input", name)
	}
	if utf8.Valid(text) && !utf8.Valid(got) {
		t.Errorf("%s makes invalid UTF-8", name)
	}
	if len(got) > 3*len(text) {
		t.Errorf("%s makes %d bytes of %d", name, len(got), len(text))
	}
	if again := e(nil, text); !bytes.Equal(again, got) {
		t.Errorf("%s gives %.60q, then %.60q", name, got, again)
	}
	seen := text
	if kind := Guess(text); name == "html" || name == "auto" && kind == "html" {
		seen = visible{}.Append(nil, text)
	}
	if name != "html-text" && blank(got) && !blank(bytes.TrimPrefix(seen, bom)) {
		t.Errorf("%s is empty, but %.60q is seen", name, seen)
	}
}

func fuzz(f *testing.F, name string) {
	for _, text := range hostile(1 << 9) {
		f.Add([]byte(text))
	}
	f.Add([]byte(read(f, "testdata/page.html")))
	f.Add([]byte(read(f, "testdata/document.md")))
	f.Fuzz(func(t *testing.T, text []byte) { checkText(t, name, text) })
}

func FuzzHTML(f *testing.F)     { fuzz(f, "html") }
func FuzzHTMLText(f *testing.F) { fuzz(f, "html-text") }
func FuzzMarkdown(f *testing.F) { fuzz(f, "markdown") }
func FuzzAuto(f *testing.F)     { fuzz(f, "auto") }
