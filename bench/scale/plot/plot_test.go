package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const printed = `1000 records of 40 words, every 10th a copy

| way | removed wrongly | missed, J = 1 | 35/37 | 34/38 | CPU, s | of the first | seconds | index | peak, MB | disk |
|---|---|---|---|---|---|---|---|---|---|---|
| planned | 0 | 0 of 5 (0) | 0 of 2 (3) | 1 of 2 (4) | 2.5 | 1.00 | 3 | 40.1 | 77 | 0.0 |
`

func TestParse(t *testing.T) {
	rows, err := parse(printed)
	if err != nil || len(rows) != 1 || rows[0] != (row{1000, "planned", 2.5, 77}) {
		t.Errorf("%v, %v", rows, err)
	}
	for name, broken := range map[string]string{
		"no table":      "nothing",
		"no number":     strings.Replace(printed, "1000", "many", 1),
		"no CPU time":   strings.Replace(printed, "2.5", "?", 1),
		"no peak at it": strings.Replace(printed, "77", "?", 1),
	} {
		if rows, err := parse(broken); err == nil {
			t.Errorf("%s: %v", name, rows)
		}
	}
}

// The plot of docs/design/scale.md is of the raw file that the page names.
func TestPlotIsOfTheRawFile(t *testing.T) {
	page, err := os.ReadFile("../../../docs/design/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "go run ./scale/plot")
	words := strings.Fields(after)
	if !found || len(words) == 0 {
		t.Fatal("docs/design/scale.md does not say how its plot is drawn")
	}
	raw := words[0]
	var drawn bytes.Buffer
	if err := run("../../"+raw, &drawn); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../../../docs/design/scale.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, drawn.Bytes()) {
		t.Errorf("docs/design/scale.svg is not what go run ./scale/plot %s draws", raw)
	}
}
