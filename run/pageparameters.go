package run

import (
	"fmt"
	"strings"

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
	switch {
	case c.Method != "":
		add("method", "%s", c.Method)
		add("overlap", "%g", c.Overlap)
	case c.Fingerprint != nil && c.Fingerprint.TLSH:
		add("sketch", "%s", c.Similar.Sketch)
		add("distance", "%d", c.Fingerprint.Distance)
		add("normalize", "%s", c.Text.Normalize)
	case c.Fingerprint != nil:
		add("sketch", "%s of %d bits", c.Similar.Sketch, c.Fingerprint.Bits)
		add("distance", "%d", c.Fingerprint.Distance)
		add("weight", "%s", c.Fingerprint.Weight)
		add("normalize", "%s", c.Text.Normalize)
		add("tokenize", "%s", c.Text.Tokenize)
		add("shingle size", "%d", c.Text.ShingleSize)
	case c.Similar.ByVectors():
		add("threshold", "%g", c.Similar.Threshold)
		add("sketch", "%s", c.Similar.Sketch)
		add("model", "%s", c.Model)
		add("hash of the model", "%s", f.Keys.Model.Hash())
	default:
		p := f.Keys.Params
		add("threshold", "%g", c.Similar.Threshold)
		add("a duplicate has", "%s", f.Keys.Rule)
		add("permutations", "%d", p.NumPerm)
		add("sketch", "%s", p.Sketch)
		add("normalize", "%s", p.Normalize)
		add("tokenize", "%s", p.Tokenize)
		add("shingle size", "%d", p.ShingleSize)
	}
	add("markup", "%s", c.Text.Markup)
	add("memory", "%s", c.Memory)
	if ofMemory {
		return append(list, own...)
	}
	switch {
	case c.Fingerprint != nil, c.Similar.ByVectors(): // all of them are compared
	case c.IsExact():
		add("verify", "%s", c.Verify)
	default:
		add("capacity", "%s", report.Count(uint64(c.Index.Capacity)))
		add("fp rate", "%g", c.Index.FPRate)
	}
	if c.Index.Index != "" {
		add("index", "%s", f.indexes.name(c.Index.Index))
	}
	for _, dir := range c.Index.Against {
		add("against", "%s", f.indexes.name(dir))
	}
	add("remember", "%s", c.Index.Remember)
	return list
}
