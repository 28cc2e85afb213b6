package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	verb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z%]`)
	// What follows is a plural, perhaps with an adjective, but no rate such as records/s.
	plural = regexp.MustCompile(`^ ([a-z]+ed )?[a-z]+[^aiosu\W]s(\W|$)`)
	rate   = regexp.MustCompile(`^ [a-z]+/s`)
)

// TestCountsAreWorded looks for messages that would say "1 records": a number of units.Count before
// a plural. units.Of says "1 record" and "2 records".
func TestCountsAreWorded(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, after := range afterCounts(n) {
				checked++
				if plural.MatchString(after) && !rate.MatchString(after) {
					t.Errorf("%s: 1%s: use units.Of", files.Position(n.Pos()), after)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 50 {
		t.Errorf("only %d numbers were looked at", checked)
	}
}

// afterCounts returns what an expression has after each number of units.Count: in the format of a
// call, or joined to it.
func afterCounts(n ast.Node) (after []string) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if text, ok := literal(n.Y); ok && isCount(n.X) {
			return []string{text}
		}
	case *ast.CallExpr:
		for i, arg := range n.Args {
			format, ok := literal(arg)
			if !ok {
				continue
			}
			for k, at := range verb.FindAllStringIndex(strings.ReplaceAll(format, "%%", "##"), -1) {
				isPart := strings.HasSuffix(format[:at[0]], " of ") // 1 of 1 records is right
				if i+1+k < len(n.Args) && isCount(n.Args[i+1+k]) && !isPart {
					after = append(after, format[at[1]:])
				}
			}
			break
		}
	}
	return after
}

func isCount(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	of, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := of.X.(*ast.Ident)
	return ok && pkg.Name == "units" && of.Sel.Name == "Count"
}

// literal returns the value of a string literal, or of several that are concatenated.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, okX := literal(e.X)
		y, okY := literal(e.Y)
		return x + y, okX && okY
	}
	return "", false
}
