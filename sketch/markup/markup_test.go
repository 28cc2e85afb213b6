package markup

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func extract(t testing.TB, name, text string) string {
	t.Helper()
	e, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(e(nil, []byte(text)))
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGolden(t *testing.T) {
	for _, c := range []struct{ markup, path string }{
		{"html", "testdata/page.html"},
		{"html-text", "testdata/page.html"},
		{"markdown", "testdata/document.md"},
	} {
		got := extract(t, c.markup, read(t, c.path)) + "\n"
		path := c.path + "." + c.markup + ".txt"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, path); got != want {
			t.Errorf("%s of %s is\n%s\nnot\n%s", c.markup, c.path, got, want)
		}
	}
}

func TestMainContentHasNoBoilerplate(t *testing.T) {
	page := read(t, "testdata/page.html")
	article, all := extract(t, "html", page), extract(t, "html-text", page)
	for _, boilerplate := range []string{"Plants", "Ten rare orchids", "Imprint"} {
		if strings.Contains(article, boilerplate) {
			t.Errorf("html keeps %q", boilerplate)
		}
		if !strings.Contains(all, boilerplate) {
			t.Errorf("html-text loses %q", boilerplate)
		}
	}
	for _, content := range []string{"How bees find their way\nA bee", "von Frisch & his students", "4 300",
		"angle = sun - flight\ndistance", "landmarks alone"} {
		if !strings.Contains(article, content) || !strings.Contains(all, content) {
			t.Errorf("%q is lost", content)
		}
	}
	for _, unseen := range []string{"from the script", "color", "a comment", "switch on", "track", "The Meadow",
		"dancing bee"} {
		if strings.Contains(article+all, unseen) {
			t.Errorf("%q is taken, which is not on the page", unseen)
		}
	}
}

func TestVisibleText(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"", ""},
		{"plain words", "plain words"},
		{"\ufeff<p>a</p>", "a"},
		{"<p>a<p>b", "a\nb"},
		{"a<br>b<br/>c", "a\nb\nc"},
		{"one <b>wo</b>rd", "one word"},
		{"<td>a</td><td>b</td><tr><td>c", "a b\nc"},
		{"  a \n\t b  ", "a b"},
		{"<pre>a\n  b</pre>c\nd", "a\nb\nc d"},
		{"&lt;b&gt; &amp; &eacute;&#x4e2d;&nosuch;", "<b> & é中&nosuch;"},
		{"a<script>x<b>y</script>b", "ab"},
		{"a<SCRIPT>x</ScRiPt >b", "ab"},
		{"a<script>x", "a"},
		{"a<style>x</style><noscript>y<p></noscript><iframe>z</iframe>b", "ab"},
		{"<head><title>x</title></head><body>a", "a"},
		{"a<template>x<template>y</template>z</template>b", "ab"},
		{"a</template>b", "ab"},
		{"a<!-- x -->b<!-->c<!-- y", "abc"},
		{`a<img alt="x" title="y">b<input value="z">`, "ab"},
		{"<svg><title>x</title><text>a</text></svg>b", "ab"},
		{"<svg><style/><title/></svg>a", "a"},
		{"<svg><title>x</svg>a", "a"},
		{"<svg><p>a<script>x<y</script>b", "ab"},
		{"<textarea>a\nb</textarea>", "a\nb"},
		{"a < b <c", "a < b"}, // an unfinished tag is none of the text
		{"a\x00b\xffc", "a\x00b\xffc"},
		{`<p class="`, ""},
	} {
		if got := extract(t, "html-text", c.page); got != c.want {
			t.Errorf("%q gives %q, not %q", c.page, got, c.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ document, want string }{
		{"", ""},
		{"plain words", "plain words"},
		{"\ufeff# a", "a"},
		{"a\n=\nb\n\nc", "a\nb\nc"},
		{"*a* __b__ ~~c~~ `d`", "a b c d"},
		{"sn*a*ke_case_name", "snake_case_name"},
		{"[a](b \"c\") [d][e] ![f](g)\n\n[e]: h", "a d"},
		{"<http://a.b> http://c.d", "http://a.b http://c.d"},
		{"a\\*b\\_c &copy; \\&amp; &nosuch; &", "a*b_c © &amp; &nosuch; &"},
		{"    code *a*\n\n~~~\n[b](c)\n~~~", "code *a*\n[b](c)"},
		{"- a\n- b\n  1. c", "a\nb\nc"},
		{"> > a\n> b", "a b"},
		{"|a|b|\n|-|-|\n|c|d\\|e|", "a b\nc d|e"},
		{"a <b>c</b> <!-- d --> e", "a c e"},
		{"<div>\n<p>a<script>b</script>\n</div>\n\n*c*", "a\nc"},
		{"a\n<!-- b\n\nc -->\nd", "a\nd"},
		{"---\nx: y\n---\na", "a"},
		{"+++\nx = 1\n+++\r\na", "a"},
		{"---\na\n", "a"},
		{"---\nx: y\n---\n", "---\nx: y\n---\n"}, // nothing else: as it stands
		{"![a](b)", "![a](b)"},
		{"***", "***"},
		{"a\x00b\xffc", "a\x00b\xffc"},
	} {
		if got := extract(t, "markdown", c.document); got != c.want {
			t.Errorf("%q gives %q, not %q", c.document, got, c.want)
		}
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "none"},
		{"Plain words.\n\n- a list\n- of things\n\n> a quote", "none"},
		{"<!doctype HTML>", "html"},
		{"<!DOCTYPE note>", "none"},
		{" \ufeff\n<html>", "none"}, // a byte order mark stands first
		{"\ufeff\n <?xml version='1.0'?><!-- a --> <HTML lang=en>\n# a\n\n**b**", "html"},
		{"<body\nclass=a>", "html"},
		{"<p>words", "html"},
		{"<p align=center>a</p>\n\n# Title\n\nwords", "markdown"},
		{"<T> is a type", "none"},
		{"<p", "none"},
		{"< p >", "none"},
		{"<!-- never closed <p>", "none"},
		{"<channel><item>", "none"},
		{"# Title\n\nwords", "markdown"},
		{"# Title", "markdown"},
		{"---\na: b\n---\n# Title", "markdown"},
		{"# a comment\nx = 1", "none"},
		{"x = 1\n# a comment\n\ny", "none"},
		{"#tag\n\n#!/bin/sh\n\n####### seven", "none"},
		{"a [link](https://example.com) b", "markdown"},
		{"a [link](b \"title\") b", "markdown"},
		{"[](int x) { return a[i](x); }", "none"},
		{"```\ncode\n```", "markdown"},
		{"```\ncode", "none"},
		{"a | b\n--|--\nc | d", "markdown"},
		{"a\n|--|--|\n", "none"},
		{"a **bold** word", "markdown"},
		{"f(**args, **more) 2**3 and 4**5 /** doc **/ ***", "none"},
		{strings.Repeat("word\n", guessed/5+1) + "# Title\n\n**a**", "none"},
	} {
		if got := Guess([]byte(c.text)); got != c.want {
			t.Errorf("%.60q is %s, not %s", c.text, got, c.want)
		}
		want := c.text
		if c.want != "none" {
			want = extract(t, c.want, c.text)
		}
		if got := extract(t, "auto", c.text); got != want {
			t.Errorf("auto gives %.60q of %.60q, not %.60q", got, c.text, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range Names {
		if e, err := New(name); err != nil || string(e([]byte("before "), []byte("text"))) != "before text" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New("xml"); err == nil || err.Error() != `unknown markup "xml": choose one of none, html, html-text, markdown, auto` {
		t.Error(err)
	}
}

// TestDeterministic takes each text many times over, in many goroutines, by extractors that have
// read other texts before.
func TestDeterministic(t *testing.T) {
	var texts []string
	for _, text := range hostile(1 << 10) {
		texts = append(texts, text)
	}
	texts = append(texts, read(t, "testdata/page.html"), read(t, "testdata/document.md"))
	times := 100
	if testing.Short() {
		times = 10
	}
	for _, name := range Names {
		want := make([]string, len(texts))
		for i, text := range texts {
			want[i] = extract(t, name, text)
		}
		var wait sync.WaitGroup
		for g := range 8 {
			wait.Go(func() {
				e, _ := New(name)
				for i := range texts[:len(texts)-2] {
					i = (i + g*7) % len(texts)
					if got := string(e(nil, []byte(texts[i]))); got != want[i] {
						t.Errorf("%s differs on %.40q", name, texts[i])
					}
				}
				for range times / 8 * 2 {
					for i := len(texts) - 2; i < len(texts); i++ {
						if got := string(e(nil, []byte(texts[i]))); got != want[i] {
							t.Errorf("%s differs on %.40q", name, texts[i])
						}
					}
				}
			})
		}
		wait.Wait()
	}
}

// TestVisibleAllocatesLittle counts what the tokeniser allocates: itself, and the names of
// attributes.
func TestVisibleAllocatesLittle(t *testing.T) {
	page := []byte(strings.Repeat("<p>words &amp; <b>words</b> in a row</p>\n", 1000))
	e, _ := New("html-text")
	dst := make([]byte, 0, len(page))
	if n := testing.AllocsPerRun(20, func() { dst = e(dst[:0], page) }); n > 6 {
		t.Errorf("%v allocations for a page of 4,000 tags", n)
	}
}

func TestAppendLeavesWhatIsThere(t *testing.T) {
	for _, name := range Names {
		for _, text := range []string{"", "<p>a</p>", "# a\n\nb", "<script>", "![a](b)"} {
			e, _ := New(name)
			got := e([]byte("before"), []byte(text))
			if want := "before" + extract(t, name, text); !bytes.Equal(got, []byte(want)) {
				t.Errorf("%s of %q is %q, not %q", name, text, got, want)
			}
		}
	}
}
