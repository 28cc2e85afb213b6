// Concurrent prints the packages in which, or in whose tests, several goroutines may run: those
// that start some or serve HTTP, and those that import such a package of the module. In others a
// race detector has nothing to find.
//
//	concurrent [-dir DIR] PATTERN...
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", ".", "the `directory` of the module")
	flag.Parse()
	paths, err := concurrent(*dir, flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range paths {
		fmt.Println(path)
	}
}

// concurrent returns the paths of the concurrent packages of a module, in order.
func concurrent(dir string, patterns []string) (paths []string, err error) {
	list, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedForTest | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			err = errors.Join(err, e) // a package that cannot be read would be left out
		}
	})
	f := finder{map[*packages.Package]bool{}}
	for _, p := range list {
		if isTestMain := p.Name == "main" && p.ForTest == "" && strings.HasSuffix(p.PkgPath, ".test"); !isTestMain &&
			f.isConcurrent(p) {
			paths = append(paths, cmp.Or(p.ForTest, p.PkgPath))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// A finder remembers which packages are concurrent.
type finder struct{ known map[*packages.Package]bool }

func (f finder) isConcurrent(p *packages.Package) bool {
	if p.Module == nil || !p.Module.Main {
		return p.PkgPath == "net/http"
	}
	is, ok := f.known[p]
	if !ok {
		is = startsGoroutines(p)
		for _, imported := range p.Imports {
			is = is || f.isConcurrent(imported)
		}
		f.known[p] = is
	}
	return is
}

// starters are functions and methods that start goroutines, or have the runtime call something from
// one of its own.
var starters = []string{"Go", "Parallel", "RunParallel", "AfterFunc", "AddCleanup", "SetFinalizer"}

// startsGoroutines reports whether a package has a go statement, or calls one of starters.
func startsGoroutines(p *packages.Package) (starts bool) {
	for _, path := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.SelectorExpr:
				starts = starts || slices.Contains(starters, node.Sel.Name)
			}
			return !starts
		})
	}
	return starts
}
