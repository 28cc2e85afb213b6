package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/zeebo/xxh3"
)

// A change is what is done to a file.
type change int

const (
	licence change = iota
	comments
	names
	cut
	changes
	none change = -1
)

const apache = `// Copyright 2026 The Authors.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

`

// edit returns the text after the change.
func (c change) edit(text string) (string, error) {
	switch c {
	case licence:
		if _, rest, ok := strings.Cut(text, "\n\n"); ok && strings.HasPrefix(text, "// Copyright") {
			text = rest
		}
		return apache + text, nil
	case comments:
		return withoutComments(text)
	case names:
		return renamed(text)
	}
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:len(lines)*7/10], ""), nil
}

func withoutComments(text string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&out, files, file)
	return out.String(), err
}

// renamed gives variables that are not the package's, parameters among them, other names.
func renamed(text string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	number := map[token.Pos]int{} // of each variable, by the place where it is declared
	var out strings.Builder
	at := 0
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Obj == nil || id.Obj.Kind != ast.Var || id.Name == "_" || file.Scope.Objects[id.Name] == id.Obj {
			return true
		}
		declared := id.Obj.Pos()
		if _, ok := number[declared]; !ok {
			number[declared] = len(number)
		}
		place := files.Position(id.Pos()).Offset
		if place < at { // an expression that is walked through twice
			return true
		}
		out.WriteString(text[at:place])
		fmt.Fprint(&out, "v", number[declared])
		at = place + len(id.Name)
		return true
	})
	out.WriteString(text[at:])
	return out.String(), nil
}

// shinglesOf are the shingles of five words of a text.
func shinglesOf(text string) []uint64 {
	words := strings.Fields(text)
	var shingles []uint64
	for i := 0; i+5 <= len(words); i++ {
		shingles = append(shingles, xxh3.HashString(strings.Join(words[i:i+5], " ")))
	}
	return sets.Of(shingles)
}
