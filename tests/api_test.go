package tests

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mithril-stream/mithril-stream"

// notAPI are the packages that other modules should not import.
var notAPI = []string{
	"", "config", "config/cmdline", "config/values", "config/words",
	"tests", "tests/chaos", "tests/compat", "tests/power", "tests/stats",
}

var update = flag.Bool("update", false, "write what the tests find into the files that they compare with")

// TestAPI holds what each library package exports against testdata/api, so that a change of it is
// seen. A change that is meant is written there by `go test ./tests -run TestAPI -update`.
func TestAPI(t *testing.T) {
	known := map[string]bool{}
	for _, path := range libraries(t) {
		golden := filepath.Join("testdata", "api", strings.ReplaceAll(path, "/", ".")+".txt")
		known[golden] = true
		got := exported(t, path)
		if *update {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("the API of %s is not what %s says; if that is meant: go test ./tests -run TestAPI -update\n%s",
				path, golden, difference(string(want), string(got)))
		}
	}
	goldens, err := filepath.Glob("testdata/api/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, golden := range goldens {
		if known[golden] {
			continue
		}
		if !*update {
			t.Errorf("%s is of no package: remove it", golden)
		} else if err := os.Remove(golden); err != nil {
			t.Fatal(err)
		}
	}
}

// libraries are the paths inside of the module of all packages that are API.
func libraries(t *testing.T) (paths []string) {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		path = strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if !slices.Contains(notAPI, path) && !slices.Contains(strings.Split(path, "/"), "internal") {
			paths = append(paths, path)
		}
	}
	return paths
}

// exported is what a package exports on 64-bit Linux, a declaration after the other, without
// comments.
func exported(t *testing.T, path string) []byte {
	t.Helper()
	linux := build.Default
	linux.GOOS, linux.GOARCH, linux.BuildTags = "linux", "amd64", nil
	found, err := linux.ImportDir(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(path, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	p, err := doc.NewFromFiles(files, parsed, module+"/"+path)
	if err != nil {
		t.Fatal(err)
	}
	w := &apiWriter{t: t, files: files}
	w.values(p.Consts, p.Vars)
	w.functions(p.Funcs)
	for _, kind := range p.Types {
		w.declaration(kind.Decl)
		w.values(kind.Consts, kind.Vars)
		w.functions(kind.Funcs, kind.Methods)
	}
	return w.out.Bytes()
}

// An apiWriter writes declarations.
type apiWriter struct {
	t     *testing.T
	files *token.FileSet
	out   bytes.Buffer
}

func (w *apiWriter) values(groups ...[]*doc.Value) {
	for _, v := range slices.Concat(groups...) {
		w.declaration(v.Decl)
	}
}

func (w *apiWriter) functions(groups ...[]*doc.Func) {
	for _, f := range slices.Concat(groups...) {
		w.declaration(f.Decl)
	}
}

// declaration writes one, which package doc has already freed of what is not exported.
func (w *apiWriter) declaration(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.FuncDecl:
			n.Doc, n.Body = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	if err := format.Node(&w.out, w.files, d); err != nil {
		w.t.Fatal(err)
	}
	w.out.WriteString("\n")
}

// difference lists the lines that only one of two texts has.
func difference(want, got string) string {
	var b strings.Builder
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wants {
		if !slices.Contains(gots, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range gots {
		if !slices.Contains(wants, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}
