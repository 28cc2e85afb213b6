package tests

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// platforms are those for which modules are linked that others do without.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64"}

// phrases tell what kind a licence is. All of these may be linked; one of another kind is to be
// looked at.
var phrases = map[string]string{
	"Permission is hereby granted, free of charge":       "MIT",
	"Redistribution and use in source and binary forms":  "BSD",
	"Permission to use, copy, modify, and/or distribute": "ISC",
}

const apache = "Apache"

// restricting licences ask for more than that their text is handed on.
var restricting = []string{"GNU GENERAL PUBLIC", "GNU LESSER", "GNU AFFERO", "Mozilla Public License",
	"Server Side Public", "Eclipse Public", "Business Source"}

// TestNotice holds NOTICE to what is linked: each module with its licence and its notices. To
// write it again: go test ./tests -run TestNotice -update.
func TestNotice(t *testing.T) {
	if *update {
		if err := os.WriteFile("NOTICE", []byte(noticeOf(t)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	notice, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for path := range linkedModules(t) {
		if !strings.Contains(string(notice), "\n  "+path+"\n") {
			t.Errorf("%s is linked, and not in NOTICE: go test ./tests -run TestNotice -update", path)
		}
	}
	if string(notice) != noticeOf(t) {
		t.Error("NOTICE is not that of what is linked: go test ./tests -run TestNotice -update")
	}
}

// linkedModules returns the directory of each module that the program is linked with.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[path] = dir
			}
		}
	}
	return dirs
}

// A part of NOTICE is a text and what it is about.
type part struct {
	about []string
	text  string
}

// noticeOf makes NOTICE of the licences that stand in the modules.
func noticeOf(t *testing.T) string {
	t.Helper()
	var parts []part
	add := func(about, text string) {
		text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
		for i := range parts {
			if parts[i].text == text {
				parts[i].about = append(parts[i].about, about)
				return
			}
		}
		parts = append(parts, part{[]string{about}, text})
	}
	dirs := linkedModules(t)
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		licence := textOf(t, dirs[path], "LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")
		if kindOf(t, path, licence) == apache {
			licence = "The Apache License 2.0, which stands in LICENSE."
		}
		add(path, licence+"\n\n"+textOf(t, dirs[path], "NOTICE"))
		if path == "golang.org/x/sys" { // of the same authors, under the same text
			add("the standard library of Go", licence)
		}
	}
	add("the dictionary of sketch/chinese", textOf(t, "sketch/chinese", "NOTICE"))
	add("uPlot, in internal/quality/report/uplot", textOf(t, "internal/quality/report/uplot", "LICENSE"))
	add("data of sketch/unicode", textOf(t, "sketch/unicode", "LICENSE"))

	var b strings.Builder
	b.WriteString("mithril-stream is under the Apache License 2.0, which stands in LICENSE.\n\n" +
		"The program holds the works of others that are named below, under the terms that follow their names.\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n\n  %s\n\n%s\n", strings.Repeat("-", 80), strings.Join(p.about, "\n  "), p.text)
	}
	return b.String()
}

// textOf returns the first file of such a name, or "" where there need not be one.
func textOf(t *testing.T, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return string(text)
		}
	}
	if names[0] == "LICENSE" {
		t.Fatalf("no licence is in %s", dir)
	}
	return ""
}

func kindOf(t *testing.T, path, licence string) string {
	t.Helper()
	for _, phrase := range restricting {
		if strings.Contains(licence, phrase) {
			t.Errorf("%s: the licence asks for more than others: %q", path, phrase)
		}
	}
	if strings.Contains(licence, "Version 2.0, January 2004") && !strings.Contains(licence, "Redistribution and use") {
		return apache // and nothing else
	}
	for phrase, kind := range phrases {
		if strings.Contains(licence, phrase) {
			return kind
		}
	}
	t.Errorf("%s: the licence is of no kind that is known: look at it, and add a phrase of it here", path)
	return ""
}
