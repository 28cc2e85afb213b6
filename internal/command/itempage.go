package command

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// What a page shows of an evaluation set: items in the table, and examples below it.
const shownItems, shownPlaces = 50, 20

// collect makes the page count records in which items were found.
func (c *contamination) collect(p *run.Page) { p.Threshold, p.Counts = 0, c.isFoundIn }

// parameters adds the parameters of the items. Records have no others.
func (c *contamination) parameters(add func(name, format string, values ...any)) (ofRecords, ofMemory bool) {
	add("items", "%s", c.of.Items)
	add("n-gram", "%d", c.of.NGram)
	add("changes", "%d", c.of.Changes)
	add("min share", "%v", c.of.MinShare)
	add("action", "%s", c.of.Action)
	return true, true
}

// isFoundIn reports whether an item was found in the record that the sink has just taken.
func (c *contamination) isFoundIn(*stream.Decided) bool {
	return len(c.findings.Seen(c.findings.Index(c.taken))) > 0
}

// describe makes a page say which items were found.
func (c *contamination) describe(run *report.Run, page *run.Page, filled bool) {
	if !filled {
		return
	}
	var found []foundItem
	for i := range c.items.Len() {
		if passages, records, _ := c.findings.Found(i); records > 0 {
			all := c.items.At(i).Passages()
			found = append(found, foundItem{i, c.findings.Share(i), passages, all, records})
		}
	}
	slices.SortStableFunc(found, func(a, b foundItem) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.records, a.records))
	})
	with := page.Counted()
	run.Words = report.Words{
		Headline: fmt.Sprintf("%s of %s items were found, in %s of %s records", units.Count(uint64(len(found))),
			units.Count(uint64(c.items.Len())), units.Count(with), units.Count(run.Records)),
		Counted: "with an item", Examples: "Passages of items", Left: "Item", Right: "Record",
	}
	run.Figures = []report.Figure{
		{Value: units.Count(with), Label: "records with an item", Class: "removed"},
		{Value: units.Count(uint64(len(found))), Label: "items found, of " + units.Count(uint64(c.items.Len()))},
	}
	run.Lists = append(c.suites.page(), c.listOf(found))
	run.Examples, run.Rule = c.examples(found), "the first place of each of the items of which the most was found"
	run.Counted = uint64(len(found))
}

// A foundItem is an item with how much of it was found.
type foundItem struct {
	item          int
	share         float64
	passages, all int
	records       uint64
}

func (c *contamination) listOf(found []foundItem) report.List {
	list := report.List{
		Title: "Items found", About: "Those of which the most was found: the share of it that one record has.",
		Columns: []string{"Item", "Share", "Passages", "Records"},
	}
	if len(found) > shownItems {
		list.About += fmt.Sprintf(" The first %d of %s.", shownItems, units.Count(uint64(len(found))))
	}
	for _, f := range found[:min(len(found), shownItems)] {
		list.Rows = append(list.Rows, report.ListRow{Text: c.nameOf(f.item), Cells: []string{
			fmt.Sprintf("%.1f %%", 100*f.share),
			units.Count(uint64(f.passages)) + " of " + units.Count(uint64(f.all)), units.Count(f.records),
		}})
	}
	return list
}

// nameOf returns the name of an item.
func (c *contamination) nameOf(item int) string { return shown.Plain(c.names[item]) }

func (c *contamination) examples(found []foundItem) (list []report.Example) {
	for _, f := range found[:min(len(found), shownPlaces)] {
		_, _, places := c.findings.Found(f.item)
		place := places[0]
		e := report.Example{
			Reason: fmt.Sprintf("%.1f %% of the item, in %s", 100*f.share, units.Of(f.records, "record")),
			Name:   c.nameOf(f.item), Original: shown.Plain(place.Record),
		}
		e.Compare(place.Item, place.Passage)
		list = append(list, e)
	}
	return list
}
