package run

import (
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/quality/report"
)

// Parameters are those that decide what is removed.
func (f *Run) Parameters() (list []report.Parameter) {
	add := func(name, format string, values ...any) {
		list = append(list, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	c := f.Config
	add("format", "%s", f.Source.Dialect)
	add("field", "%s", strings.Join(f.Source.TextFields(), ", "))
	shown, isShown := f.Task.(shownTask)
	var own []report.Parameter
	ofRecords, ofMemory := false, false
	if isShown {
		ofRecords, ofMemory = shown.Parameters(func(name, format string, values ...any) {
			own = append(own, report.Parameter{Name: name, Value: fmt.Sprintf(format, values...)})
		})
	}
	if ofRecords {
		return append(list, own...)
	}
	page := method.For(c).Page(c, f.Keys)
	addAll := func(parameters []bloomlsh.Parameter) {
		for _, p := range parameters {
			add(p.Name, "%s", p.Value)
		}
	}
	addAll(page.Parameters)
	add("markup", "%s", c.Text.Markup)
	add("memory", "%s", c.Memory)
	if ofMemory {
		return append(list, own...)
	}
	if planned := f.Judging.Planned(); planned > 0 {
		add("capacity", "%s", units.Count(planned))
	}
	addAll(page.Memory)
	if c.Index.Index != "" {
		add("index", "%s", f.indexes.name(c.Index.Index))
	}
	for _, dir := range c.Index.Against {
		add("against", "%s", f.indexes.name(dir))
	}
	add("remember", "%s", c.Index.Remember)
	return list
}
