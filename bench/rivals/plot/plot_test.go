package main

import (
	"strings"
	"testing"
)

func TestTablesAreDrawn(t *testing.T) {
	rows, err := parse(`# a title

|  | CPU, s | over the first | peak, MiB | removed | precision | recall |
|---|---|---|---|---|---|---|
| mithril-stream | 0.3 | 1.0 | 108 | 1363 | 0.7938 | 0.9635 |
| slow <one> (slow==1.0) | 27.4 | 103.9 | 150 | 1132 | 0.7739 | 0.7801 |
| absent | it needs a GPU | | | | | |
`)
	if err != nil || len(rows) != 2 || rows[1] != (row{"slow <one>", 103.9, .7739}) {
		t.Fatal(rows, err)
	}
	var b strings.Builder
	if err := drawAll(rows, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"slow &lt;one&gt;", ">103.9<", ">77<", `class="ours"`, "prefers-color-scheme: dark"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	if _, err := parse("no table"); err == nil {
		t.Error("a file without a table was drawn")
	}
}
