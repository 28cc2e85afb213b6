// Package markdown writes the tables of the benchmarks.
package markdown

import (
	"fmt"
	"io"
	"strings"
)

// A Table is rows of cells under a head.
type Table struct {
	head []string
	rows [][]string
}

// New starts a table.
func New(head ...string) *Table { return &Table{head: head} }

// Add appends a row. A float64 is shown with three significant digits or so, anything else as
// fmt.Sprint does.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if x, ok := cell.(float64); ok {
			row[i] = number(x)
		} else {
			row[i] = fmt.Sprint(cell)
		}
	}
	t.rows = append(t.rows, row)
}

// Write writes the table and an empty line.
func (t *Table) Write(w io.Writer) {
	line := func(cells []string) {
		for _, cell := range cells {
			fmt.Fprint(w, "| "+strings.ReplaceAll(cell, "|", `\|`)+" ")
		}
		fmt.Fprintln(w, "|")
	}
	line(t.head)
	fmt.Fprintln(w, "|"+strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		line(row)
	}
	fmt.Fprintln(w)
}

// number keeps small and large values readable.
func number(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x >= 1000 || x <= -1000:
		return fmt.Sprintf("%.0f", x)
	case x >= 10 || x <= -10:
		return fmt.Sprintf("%.1f", x)
	case x > -0.001 && x < 0.001:
		return fmt.Sprintf("%.1e", x)
	}
	return fmt.Sprintf("%.3f", x)
}
