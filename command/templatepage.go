package command

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/memory/kinds"
	"github.com/mithril-stream/mithril-stream/quality/report"
)

// mostOnPage bounds the kinds that a page shows.
const mostOnPage = 1000

// page shows the kinds.
func (t *tallying) page(all []*kinds.Counted) *report.Run {
	n, s := t.Counts(), t.c.Filter.Similar
	page := &report.Run{
		Command: run.CommandLine(t.std.Args), Version: files.Version(), Seconds: t.elapsed.Seconds(),
		Records: n.Records, Kept: n.Records, Empty: n.Textless,
		Words: report.Words{Headline: fmt.Sprintf("%s records of %s kinds", units.Count(n.Records),
			units.Count(uint64(len(all))))},
		Figures: []report.Figure{
			{Value: units.Count(n.Records), Label: "records"}, {Value: units.Count(uint64(len(all))), Label: "kinds"},
		},
		Parameters: []report.Parameter{
			{Name: "normalize", Value: t.c.Filter.Text.Normalize},
			{Name: "shingle size", Value: strconv.Itoa(t.c.Filter.Text.ShingleSize)},
			{Name: "threshold", Value: fmt.Sprint(s.Threshold)}, {Name: "most kinds", Value: strconv.Itoa(t.c.Most)},
		},
	}
	list := report.List{
		Title: "Kinds", About: "What the records of each have in common; " + kinds.Varies + " where they differ.",
		Columns: []string{"Template", "Records", "Share"},
	}
	for _, k := range all[:min(len(all), mostOnPage)] {
		list.Rows = append(list.Rows, report.ListRow{Text: k.Template.String(), Cells: []string{
			units.Count(k.Records), fmt.Sprintf("%.2f %%", units.Percent(k.Records, n.Records)),
		}})
	}
	page.Lists = []report.List{list}
	if len(all) > mostOnPage {
		page.Notes = append(page.Notes, fmt.Sprintf("The page shows %s of %s kinds, those with the most records.",
			units.Count(mostOnPage), units.Count(uint64(len(all)))))
	}
	if n.Given > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%s records are in no count: they were of %s kinds that "+
			"were given up, since there were too many.", units.Count(n.Lost), units.Count(n.Given)))
	}
	return page
}
