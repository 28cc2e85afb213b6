package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

// writeFormula writes the Homebrew formula, which takes the archives of the release page.
func writeFormula(out, version string) error {
	formula, err := template.New("formula").Parse(formulaText)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, t := range allTargets {
		sums[t.String()], err = sumOf(filepath.Join(out, name+"-"+version+"-"+t.String()+".tar.gz"))
		if err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(out, name+".rb"))
	if err != nil {
		return err
	}
	defer file.Close()
	err = formula.Execute(file, map[string]any{
		"Version": version, "Homepage": homepage, "Summary": summary, "License": license, "Sums": sums,
	})
	if err != nil {
		return err
	}
	return file.Close()
}
