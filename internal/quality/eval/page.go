package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// A Page is what is shown of a comparison.
type Page struct {
	Findings
	Truth            string // what the duplicates are known by
	Command, Version string
	Notes            []string
}

// Write writes the page of HTML. It needs nothing beside it.
func (p Page) Write(w io.Writer) error {
	body, err := template.New("page").Funcs(template.FuncMap{
		"count": func(n int) string { return units.Count(uint64(n)) }, "three": three, "micros": micros,
		"part": part, "each": each, "about": About,
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return report.Document{Title: "Methods to find duplicates", Body: body, Data: p, Style: pageStyle,
		Script: pageScript}.Write(w)
}

func three(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// micros is the time of a record.
func micros(r Result) string {
	return strconv.FormatFloat(1e6*r.Seconds()/float64(max(1, r.Records)), 'f', 1, 64)
}

// each is the memory of a record.
func each(r Result) string {
	return units.Count(r.Bytes / uint64(max(1, r.Records)))
}

// part is the length of a bar, of 100.
func part(seconds, slowest float64) string {
	if slowest == 0 {
		return "0"
	}
	return strconv.FormatFloat(100*seconds/slowest, 'f', 2, 64)
}

// A bestTable is the results of the best settings.
type bestTable struct {
	Title, About string
	Rows         []Result
	Slowest      float64
}

func tableOf(title, about string, rows []Result) *bestTable {
	t := &bestTable{Title: title, About: about, Rows: rows}
	for _, r := range rows {
		t.Slowest = max(t.Slowest, r.Seconds())
	}
	return t
}

// Winner is the best setting of all, as its test says if there was one.
func (p Page) Winner() *Result {
	results := p.Findings.Tested
	if len(results) == 0 {
		results = p.Findings.Best
	}
	if len(results) == 0 {
		return nil
	}
	winner := slices.MaxFunc(results, func(a, b Result) int {
		if better(a, b) {
			return 1
		}
		return -1
	})
	return &winner
}

// Records is the number of records of the grid.
func (p Page) Records() int { return first(p.Grid).Records }

// Duplicates is how many of them are duplicates.
func (p Page) Duplicates() int { return first(p.Grid).Duplicates }

// TestRecords is the number of records of the test.
func (p Page) TestRecords() int { return first(p.Findings.Tested).Records }

func first(results []Result) (r Result) {
	if len(results) > 0 {
		return results[0]
	}
	return r
}

// Best is the table of the best settings in the grid.
func (p Page) Best() *bestTable {
	return tableOf("The best setting of each method",
		"Those with the highest F1 = TP/(TP+½(FP+FN)). The time is of one core, for sketches and for the memory "+
			"of what was seen.", p.Findings.Best)
}

// Tested is the same on the test set; nil without one.
func (p Page) Tested() *bestTable {
	if len(p.Findings.Tested) == 0 {
		return nil
	}
	return tableOf("The same settings on the test set", "Records by which nothing was chosen: "+
		fmt.Sprintf("%s, of which %s are duplicates.", units.Count(uint64(p.TestRecords())),
			units.Count(uint64(first(p.Findings.Tested).Duplicates))), p.Findings.Tested)
}
