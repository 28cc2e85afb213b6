// Typecheck checks the types of packages and of everything they import, for any system. It reads
// only sources, which takes seconds, where compiling for another system takes minutes.
//
//	typecheck [-dir DIR] [-fails IMPORT] GOOS/GOARCH PATTERN...
//
// With -fails it expects that the packages do not compile, because of an error in the package with
// that import path.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir := flag.String("dir", ".", "the `directory` of the module")
	fails := flag.String("fails", "", "the import `path` of a package that must not compile")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: typecheck [-dir DIR] [-fails IMPORT] GOOS/GOARCH PATTERN...")
		os.Exit(2)
	}
	errors, err := check(*dir, flag.Arg(0), flag.Args()[1:], *fails == "")
	if err != nil {
		errors = append(errors, err.Error())
	}
	isExpected := func(text string) bool { return strings.Contains(text, *fails) }
	switch {
	case *fails == "" && len(errors) == 0, *fails != "" && slices.ContainsFunc(errors, isExpected):
		return
	case len(errors) == 0:
		errors = []string{*fails + " compiles"}
	}
	for _, text := range errors {
		fmt.Fprintf(os.Stderr, "%s: %s\n", flag.Arg(0), text)
	}
	os.Exit(1)
}

// check returns the errors of the packages and of those that they import.
func check(dir, system string, patterns []string, tests bool) (errors []string, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	list, err := packages.Load(&packages.Config{
		Dir:  dir,
		Mode: packages.LoadAllSyntax | packages.NeedModule, Tests: tests,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}, patterns...)
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			errors = append(errors, e.Error())
		}
		errors = append(errors, withoutBody(p)...)
	})
	slices.Sort(errors) // what tests are compiled with has the same errors once more
	return slices.Compact(errors), err
}

// withoutBody returns an error for each function that only assembly can define, in a package that
// has no assembly for the system.
func withoutBody(p *packages.Package) (errors []string) {
	isAssembly := func(path string) bool { return strings.HasSuffix(path, ".s") }
	if p.Module == nil || !p.Module.Main || slices.ContainsFunc(p.OtherFiles, isAssembly) {
		return nil
	}
	for _, file := range p.Syntax {
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Body == nil {
				errors = append(errors, fmt.Sprintf("%s: %s has no body", p.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return errors
}
