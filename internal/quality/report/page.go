package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.js
var pageScript string

// body returns the template of the page's body. It is parsed on demand, since few runs write a
// page.
func body() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"count": units.Count, "percent": percent, "bar": bar, "bytes": units.Bytes, "size": sizeOf,
		"title": title, "table": func(counted string, t Table) countedTable { return countedTable{counted, t} },
	}).Parse(pageText)
}

// Write writes the page.
func (r *Run) Write(w io.Writer) error {
	body, err := body()
	if err != nil {
		return err
	}
	of := *r
	of.Words = r.words()
	if of.Figures == nil {
		of.Figures = []Figure{{units.Count(r.Kept), "kept", "kept"}, {units.Count(r.Removed), "removed", "removed"}}
	}
	return Document{"Report of mithril-stream", body, &of, "", pageScript}.Write(w)
}

// Plots returns the numbers that the script plots. They contain no text from records.
func (r *Run) Plots() map[string]any {
	plots := map[string]any{}
	if len(r.Stream) > 1 {
		first, share := []uint64{}, []float64{}
		for _, b := range r.Stream {
			first, share = append(first, b.First), append(share, 100*float64(b.Removed)/float64(b.Records))
		}
		last := r.Stream[len(r.Stream)-1]
		plots["stream"] = map[string]any{
			"first": append(first, last.First+last.Records), "share": append(share, share[len(share)-1]),
		}
	}
	if r.Similar.Bins != nil {
		plots["similar"] = map[string]any{"bins": r.Similar.Bins, "threshold": r.Threshold}
	}
	if len(r.Curve) > 0 {
		x, y := []float64{}, []float64{}
		for _, p := range r.Curve {
			x, y = append(x, p.Similarity), append(y, 100*p.Probability)
		}
		plots["curve"] = map[string]any{"x": x, "y": y, "threshold": r.Threshold}
	}
	return plots
}

// A countedTable is a table with the word for what it counts.
type countedTable struct {
	Counted string
	Table   Table
}

// title capitalizes a column title.
func title(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func percent(part, whole uint64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// bar returns the length of a bar for a share, out of 100.
func bar(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }

func similarity(s float64) string { return strconv.FormatFloat(100*s, 'f', 1, 64) + " %" }

func sizeOf(s Size) string {
	if s.From == s.To {
		return units.Count(s.From)
	}
	return units.Count(s.From) + "–" + units.Count(s.To)
}
