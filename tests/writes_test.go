package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What lasts is written through package store alone, where tests see it, fail it, and lose the
// power between any two operations. These are the exceptions, with what they may call of package
// os: nothing of theirs has to survive a crash.
var writesElsewhere = map[string]string{
	"internal/store": strings.Join(changing, " "),
	// files without a name
	"internal/private": "CreateTemp Remove",
	// a cache, of which nothing is trusted
	"internal/indexbucket": "Link Mkdir MkdirAll MkdirTemp OpenFile Remove RemoveAll Rename",
	// standard input, to be read twice
	"internal/command/files": "CreateTemp Remove",
	// /dev/null
	"internal/command/run": "OpenFile",
	// sockets
	"internal/command/judge": "Remove",
	// what plan prints, for a program
	"internal/command": "Create",
	// the files of a release
	"deploy/release": "Create Mkdir MkdirTemp RemoveAll WriteFile",
	// a module of its own
	"sketch/onnx/mithril-onnx": "CreateTemp Remove WriteFile",
}

// changing are the functions of package os that change what a directory holds, or a file by its
// path.
var changing = strings.Fields("Create CreateTemp Link Mkdir MkdirAll MkdirTemp OpenFile Remove " +
	"RemoveAll Rename Symlink Truncate WriteFile")

func TestWritesGoThroughStore(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "bench" || entry.Name() == "python" || entry.Name() == "testdata" ||
			strings.HasPrefix(entry.Name(), ".") && path != "." || strings.HasSuffix(entry.Name(), "test") ||
			path == "internal/tools" || path == "tests"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return checkWrites(t, path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkWrites(t *testing.T, path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	may := strings.Fields(writesElsewhere[filepath.Dir(path)])
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, ok := call.X.(*ast.Ident)
		if ok && of.Name == "os" && slices.Contains(changing, call.Sel.Name) && !slices.Contains(may, call.Sel.Name) {
			t.Errorf("%s calls os.%s: what lasts is written through package internal/store", files.Position(n.Pos()),
				call.Sel.Name)
		}
		return true
	})
	return nil
}
