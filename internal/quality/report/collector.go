package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Excerpt is the number of bytes of a text that Record.Text needs.
const Excerpt = 4000

// A Record describes a record to a Collector, which keeps no references to it.
type Record struct {
	Number  uint64   // over the life of the memory, from 1, without gaps in a run
	Input   string   // name of its input
	At      uint64   // its number in the input
	ID      []byte   // its id, as JSON; may be empty
	Fields  [][]byte // values of Collector.Fields, as JSON; empty if missing
	Text    []byte   // the first bytes of its text
	Removed bool

	Original   uint64  // number of the original of a removed record; 0 if unknown
	Similarity float64 // to the original; 0 if unknown
	Measure    Measure // what Similarity measures
}

// A Collector collects what a page shows about the records of a run. Its memory is bounded, to some
// 60 MB with originals. Set the fields before the first record.
type Collector struct {
	Fields    []string // fields by whose values records are counted
	Threshold float64  // similarity from which records count as duplicates; 0 means none
	Originals bool     // records have originals, whose texts are among those passed

	Transformed *Transformation // what happens to texts before they are compared; nil if nothing
	Unordered   bool            // texts are compared as sets of words, whose order does not count

	// NameOriginal, if not nil, is called for an original as soon as it is selected, since its name
	// may be unknown by the time of Fill.
	NameOriginal func(original uint64) string

	gathered
}

// gathered is what a Collector has counted and kept so far.
type gathered struct {
	inputs  tally
	fields  []tally
	stream  buckets
	similar Histogram
	links   links
	samples samples
	recent  recent
}

// Add counts a record. Call it in input order.
func (c *Collector) Add(r *Record) {
	c.inputs.add([]byte(r.Input), r.Removed)
	for i, value := range r.Fields {
		if len(c.fields) == i {
			c.fields = append(c.fields, tally{})
		}
		c.fields[i].add(value, r.Removed)
	}
	c.stream.add(r.Removed)
	if r.Removed {
		c.addRemoved(r)
	}
	if c.Originals {
		c.recent.add(r.Number, r.Text)
	}
}

func (c *Collector) addRemoved(r *Record) {
	c.similar.addSimilarity(r.Similarity)
	var root, size uint64
	if r.Original > 0 && c.Originals {
		root, size = c.links.add(r.Number, r.Original)
	}
	c.samples.threshold, c.samples.unordered = c.Threshold, c.Unordered
	if c.Transformed != nil {
		c.samples.seen = c.Transformed.Seen
	}
	source := c.sourceOf(r)
	p, chosen := c.samples.choose(r.Similarity, root, size, source)
	if !chosen {
		return
	}
	of := sample{
		number: r.Number, original: r.Original, root: root, size: size, similarity: r.Similarity,
		measure: r.Measure, name: nameOf(r), source: source, text: c.shownOf(r.Text, r.Measure),
	}
	switch text, found := c.recent.find(r.Original); {
	case r.Original == 0:
		of.missing = "It is not known which record this one resembles."
	case !found:
		of.missing = "It is too far back, or of an earlier run: its text was not kept."
	default:
		of.earlier = c.shownOf(text, r.Measure)
	}
	if r.Original > 0 && c.NameOriginal != nil {
		of.originalName = c.NameOriginal(r.Original)
	}
	c.samples.put(p, of)
}

// sourceOf returns the value of the first field that records are counted by, or else the input.
func (c *Collector) sourceOf(r *Record) string {
	if len(r.Fields) == 0 {
		return r.Input
	}
	return valueOf(string(r.Fields[0][:min(len(r.Fields[0]), maxValue)]))
}

// Counted returns how many records were removed.
func (c *Collector) Counted() (count uint64) {
	for _, b := range c.stream.list {
		count += b.Removed
	}
	return count
}

// Fill sets the part of the page about records. nameOf, which may be nil, returns the name of an
// original.
func (c *Collector) Fill(to *Run, nameOf func(original uint64) string) {
	to.Threshold = c.Threshold
	to.Inputs = c.inputs.table("input", func(name string) string { return name })
	for i, name := range c.Fields {
		if i < len(c.fields) {
			to.Fields = append(to.Fields, c.fields[i].table(name, valueOf))
		}
	}
	source, about := to.Similar.Source, to.Similar.About
	to.Stream, to.Similar, to.Groups = c.stream.list, c.similar, c.links.summary()
	to.Similar.Source, to.Similar.About = source, about
	to.Examples, to.Rule = c.samples.examples(nameOf), c.samples.rule()
	lost := 0
	for _, e := range to.Examples {
		if e.Missing != "" && e.Original != "" {
			lost++
		}
	}
	if lost > 0 {
		to.Notes = append(to.Notes, fmt.Sprintf("Of %d of the records that are shown the earlier one is known by "+
			"its name only: texts are kept of the last %d MiB, and read again from files of this run.",
			lost, recentBytes>>20))
	}
	if to.Groups.Limited {
		to.Notes = append(to.Notes, fmt.Sprintf("Groups have the first %d removed records.", maxLinks))
	}
}

// nameOf returns the name of a record.
func nameOf(r *Record) string {
	if len(r.ID) > 0 {
		return valueOf(string(r.ID))
	}
	return fmt.Sprintf("%s:%d", r.Input, r.At)
}

// valueOf returns the text of a JSON string or number. A truncated one keeps its escapes.
func valueOf(text string) string {
	var s string
	switch {
	case text == "":
		return "(none)"
	case json.Unmarshal([]byte(text), &s) == nil:
		return s
	case strings.HasPrefix(text, `"`):
		return text[1:] + "…"
	}
	return text
}

// Wanted returns the numbers of originals after first, that is, of this run, whose texts the page
// lacks.
func (c *Collector) Wanted(first uint64) map[uint64]bool {
	wanted := map[uint64]bool{}
	if !c.Originals {
		return wanted
	}
	for of := range c.samples.all() {
		if of.missing != "" && of.original > first {
			wanted[of.original] = true
		}
	}
	return wanted
}

// SetText sets the text of a wanted original.
func (c *Collector) SetText(original uint64, text []byte) {
	for of := range c.samples.all() {
		if of.missing != "" && of.original == original {
			of.earlier, of.missing = c.shownOf(text, of.measure), ""
		}
	}
}
