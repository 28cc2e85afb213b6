package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Excerpt is how many bytes of a text are worth handing over in Record.Text.
const Excerpt = 4000

// A Record is what a Collector is told of one. It keeps none of it.
type Record struct {
	Number  uint64   // in the life of the memory that judges, from 1, without gaps in a run
	Input   string   // the name of its input
	At      uint64   // its number there
	ID      []byte   // what it is called, as JSON; may be empty
	Fields  [][]byte // the values of Collector.Fields, as JSON; empty ones are missing
	Text    []byte   // the first bytes of its text
	Removed bool

	Original   uint64  // the number of the record that a removed one resembles; 0 if not known
	Similarity float64 // how much; 0 if not known
	Way        Way     // what that is
}

// A Collector makes what a page says of the records of a run. Its memory is bounded, at some 60 MB
// with originals. Set the fields before the first record.
type Collector struct {
	Fields    []string // whose values records are counted by
	Threshold float64  // the similarity from which records count as duplicates; 0 if there is none
	Originals bool     // that records have originals, whose texts are among those handed over

	// NameOriginal says what an original is called as soon as it is shown, or is nil: it may not be
	// known any more when Fill asks.
	NameOriginal func(original uint64) string

	inputs  tally
	fields  []tally
	stream  buckets
	similar Histogram
	links   links
	samples samples
	recent  recent
}

// Take counts a record. They come in the order of the input.
func (c *Collector) Take(r *Record) {
	c.inputs.add([]byte(r.Input), r.Removed)
	for i, value := range r.Fields {
		if len(c.fields) == i {
			c.fields = append(c.fields, tally{})
		}
		c.fields[i].add(value, r.Removed)
	}
	c.stream.add(r.Removed)
	if r.Removed {
		c.takeRemoved(r)
	}
	if c.Originals {
		c.recent.add(r.Number, r.Text)
	}
}

func (c *Collector) takeRemoved(r *Record) {
	c.similar.addSimilarity(r.Similarity)
	var root, size uint64
	if r.Original > 0 && c.Originals {
		root, size = c.links.add(r.Number, r.Original)
	}
	c.samples.threshold = c.Threshold
	p, chosen := c.samples.choose(r.Similarity, root, size)
	if !chosen {
		return
	}
	of := sample{
		number: r.Number, original: r.Original, root: root, size: size, similarity: r.Similarity,
		way: r.Way, name: nameOf(r), text: excerptOf(r.Text, r.Way.Excerpt()),
	}
	switch text, found := c.recent.find(r.Original); {
	case r.Original == 0:
		of.missing = "It is not known which record this one resembles."
	case !found:
		of.missing = "It is too far back, or of an earlier run: its text was not kept."
	default:
		of.earlier = excerptOf(text, r.Way.Excerpt())
	}
	if r.Original > 0 && c.NameOriginal != nil {
		of.originalName = c.NameOriginal(r.Original)
	}
	c.samples.put(p, of)
}

// Counted is how many of the records were Removed.
func (c *Collector) Counted() (count uint64) {
	for _, b := range c.stream.list {
		count += b.Removed
	}
	return count
}

// Fill sets what the records were like. nameOf says what an original is called; it may be nil.
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

// nameOf is what a record is called.
func nameOf(r *Record) string {
	if len(r.ID) > 0 {
		return valueOf(string(r.ID))
	}
	return fmt.Sprintf("%s:%d", r.Input, r.At)
}

// valueOf is what a JSON string or number says. One that was cut off keeps its escapes.
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

// Wanted returns the numbers of originals whose texts the page lacks: those of this run, which are
// after the number first.
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

// SetText sets the text of an original that was wanted.
func (c *Collector) SetText(original uint64, text []byte) {
	for of := range c.samples.all() {
		if of.missing != "" && of.original == original {
			of.earlier, of.missing = excerptOf(text, of.way.Excerpt()), ""
		}
	}
}
