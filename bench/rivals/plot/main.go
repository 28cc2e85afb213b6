// Command plot draws what rivals.py has printed: the CPU time and the precision of each program, as
// a picture for light and dark pages.
//
//	cd bench && go run ./rivals/plot runs/DATE/rivals.md > ../docs/images/rivals.svg
package main

import (
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("give the file that rivals.py has printed")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	rows, err := parse(string(text))
	if err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	if err := drawAll(rows, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A row is one program.
type row struct {
	name      string
	ratio     float64 // its CPU time over that of the first program
	precision float64
}

// parse returns the rows of the first table that has all columns. Programs that did not finish are
// left out.
func parse(text string) (rows []row, err error) {
	ratio, precision := -1, -1
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			switch cells[i] {
			case "over the first":
				ratio = i
			case "precision":
				precision = i
			}
		}
		if len(cells) <= max(ratio, precision) || ratio < 0 || precision < 0 {
			continue
		}
		r := row{name: cells[0]}
		var wrong [2]error
		r.ratio, wrong[0] = strconv.ParseFloat(cells[ratio], 64)
		r.precision, wrong[1] = strconv.ParseFloat(cells[precision], 64)
		if errors.Join(wrong[:]...) == nil && r.ratio > 0 {
			r.name, _, _ = strings.Cut(r.name, " (")
			rows = append(rows, r)
		}
	}
	if len(rows) < 2 {
		return nil, errors.New("no table has the columns \"over the first\" and \"precision\"")
	}
	return rows, nil
}

const (
	width   = 780
	barRoom = 250 // of each of two bars
	names   = 290 // the place of the names, left of the bars
	step    = 26  // from row to row
	top     = 46
)

const style = `text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}
rect{fill:#8c959f}rect.ours{fill:#0969da}
@media (prefers-color-scheme: dark){text{fill:#e6edf3}rect{fill:#6e7681}rect.ours{fill:#4493f8}}`

// drawAll writes the picture. CPU time has a logarithmic scale.
func drawAll(rows []row, to io.Writer) error {
	most := 1.
	for _, r := range rows {
		most = max(most, r.ratio)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img">`+"\n<style>%s</style>\n",
		width, top+step*len(rows)+4, style)
	b.WriteString("<title>CPU time and precision of programs that remove near-duplicates</title>\n")
	b.WriteString("<desc>A bar for each program: its CPU time over that of mithril-stream, on a logarithmic scale, " +
		"and the percentage of its removals that are right.</desc>\n")
	second := names + barRoom + 10
	fmt.Fprintf(&b, `<text class="head" x="%d" y="24">CPU time, as a multiple (log scale)</text>`+"\n", names)
	fmt.Fprintf(&b, `<text class="head" x="%d" y="24">right removals, %%</text>`+"\n", second)
	for i, r := range rows {
		y, class := top+step*i, ""
		if strings.HasPrefix(r.name, "mithril-stream") {
			class = "ours"
		}
		length := (barRoom - 60) * (.02 + .98*math.Log(max(1, r.ratio))/math.Log(max(2, most)))
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, names-10, y+13, html.EscapeString(r.name))
		bar(&b, class, names, y, length, strconv.FormatFloat(r.ratio, 'f', -1, 64))
		bar(&b, class, second, y, (barRoom-60)*r.precision, fmt.Sprintf("%.0f", 100*r.precision))
		b.WriteString("\n")
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(to, b.String())
	return err
}

func bar(b *strings.Builder, class string, x, y int, length float64, says string) {
	fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="18" rx="2"/>`, class, x, y, length)
	fmt.Fprintf(b, `<text x="%.1f" y="%d">%s</text>`, float64(x)+length+6, y+13, says)
}
