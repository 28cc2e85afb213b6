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

// A Page shows a comparison.
type Page struct {
	Findings
	report.Origin
	Truth string // how duplicates are known
	Notes []string
}

// Write writes a self-contained HTML page.
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

// micros formats the time for a record.
func micros(r Result) string {
	return strconv.FormatFloat(1e6*r.Seconds()/float64(max(1, r.Records)), 'f', 1, 64)
}

// each formats the memory of a record.
func each(r Result) string {
	return units.Count(r.Bytes / uint64(max(1, r.Records)))
}

// part returns the length of a bar, out of 100.
func part(seconds, slowest float64) string {
	if slowest == 0 {
		return "0"
	}
	return strconv.FormatFloat(100*seconds/slowest, 'f', 2, 64)
}

// A bestTable shows the results of the best settings.
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

// Winner returns the best setting, by the test results if there are any.
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

// Records returns the number of records in the grid's corpus.
func (p Page) Records() int { return first(p.Grid).Records }

// Duplicates returns how many of them are duplicates.
func (p Page) Duplicates() int { return first(p.Grid).Duplicates }

// TestRecords returns the number of records in the test corpus.
func (p Page) TestRecords() int { return first(p.Findings.Tested).Records }

func first(results []Result) (r Result) {
	if len(results) > 0 {
		return results[0]
	}
	return r
}

// Best returns the best settings in the grid.
func (p Page) Best() *bestTable {
	return tableOf("The best setting of each method",
		"Those with the highest F1 = TP/(TP+½(FP+FN)). The time is of one core, for sketches and for the memory "+
			"of what was seen.", p.Findings.Best)
}

// Tested returns their results on the test corpus, or nil without one.
func (p Page) Tested() *bestTable {
	if len(p.Findings.Tested) == 0 {
		return nil
	}
	return tableOf("The same settings on the test set", "Records by which nothing was chosen: "+
		fmt.Sprintf("%s, of which %s are duplicates.", units.Count(uint64(p.TestRecords())),
			units.Count(uint64(first(p.Findings.Tested).Duplicates))), p.Findings.Tested)
}
