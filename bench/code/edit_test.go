package main

import (
	"go/format"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
)

// Each change leaves code, changes what it is about, and nothing else.
func TestEdits(t *testing.T) {
	const text = `// Copyright 2009 Somebody.

// Package p is one.
package p

var total int // of all

func add(count int) int {
	for i := range count {
		total += i // one by one
	}
	return total
}
`
	for c, want := range map[change]string{
		licence:  apache + "// Package p is one.\npackage p\n\nvar total int // of all\n",
		comments: "package p\n\nvar total int\n\nfunc add(count int) int {\n\tfor i := range count {\n\t\ttotal += i\n",
		names:    "func add(v0 int) int {\n\tfor v1 := range v0 {\n\t\ttotal += v1 // one by one\n\t}\n\treturn total",
		cut:      "var total int // of all\n\nfunc add(count int) int {\n",
	} {
		got, err := c.edit(text)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("change %d makes %q, want %q in it", c, got, want)
		}
		if _, err := format.Source([]byte(got)); err != nil && c != cut {
			t.Errorf("change %d: %v", c, err)
		}
	}
}

// A text that has half of the shingles of another one is left out.
func TestOriginalsDiffer(t *testing.T) {
	var x sets.Earlier
	add := func(text string) bool { return x.AddUnlike(shinglesOf(text), .5) }
	if !add("a b c d e f g h i j") {
		t.Error("the first text is not taken")
	}
	if add("a b c d e f g h i z") || !add("a b c d e z y x w v") {
		t.Error("five of seven shingles are not half, or one of eleven is")
	}
}
