package command

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A suite is one of several files of an evaluation set.
type suite struct {
	name    string
	items   int
	found   int    // items
	records uint64 // in which some of its items were found
	last    uint64 // the last of these records
}

// suites holds the files of an evaluation set. A single file needs no table of what was found.
type suites struct {
	list  []suite
	of    []int   // the suite of each item
	equal [][]int // for the first of equal items, the suites that have one of them
}

// suitesOf returns the suites of items. same returns the first item that equals a given one.
func suitesOf(read *itemReader, same func(item int) int) suites {
	s := suites{list: make([]suite, len(read.files)), of: read.from, equal: make([][]int, len(read.from))}
	for i, name := range read.files {
		s.list[i].name = name
	}
	for item, number := range s.of {
		s.list[number].items++
		if first := same(item); !slices.Contains(s.equal[first], number) {
			s.equal[first] = append(s.equal[first], number)
		}
	}
	return s
}

// count counts a record, given by its number, in which items were found.
func (s *suites) count(record uint64, found []int) {
	for _, item := range found {
		for _, number := range s.equal[item] {
			if of := &s.list[number]; of.last != record {
				of.last, of.records = record, of.records+1
			}
		}
	}
}

// take counts the items that were found. records returns how many records have an item.
func (s *suites) take(records func(item int) uint64) {
	for item, number := range s.of {
		if records(item) > 0 {
			s.list[number].found++
		}
	}
}

// append appends to a finding the name of the file that its item is from.
func (s *suites) append(line []byte, item int) []byte {
	if len(s.list) == 1 {
		return line
	}
	return jsontext.AppendQuoted(append(line, `,"items":`...), []byte(s.list[s.of[item]].name))
}

// found returns the suites with items that were found. Those with the largest share of such items
// come first.
func (s *suites) found() (list []suite) {
	if len(s.list) == 1 {
		return nil
	}
	for _, each := range s.list {
		if each.found > 0 {
			list = append(list, each)
		}
	}
	slices.SortStableFunc(list, func(a, b suite) int {
		return cmp.Compare(float64(b.found)/float64(b.items), float64(a.found)/float64(a.items))
	})
	return list
}

// mostSuites is how many suites are listed on standard error.
const mostSuites = 20

// announce reports how much of each suite was found.
func (s *suites) announce(quiet bool, std files.Streams) {
	found := s.found()
	if quiet {
		return
	}
	for _, each := range found[:min(len(found), mostSuites)] {
		shown.Notice(std.Err, "%s: %s of %s found, in %s", each.name, units.Count(uint64(each.found)),
			units.Of(uint64(each.items), "item"), units.Of(each.records, "record"))
	}
	if rest := len(found) - mostSuites; rest > 0 {
		shown.Notice(std.Err, "items of %s more were found", units.Of(uint64(rest), "file"))
	}
}

// page returns a list of the suites for the page of a run.
func (s *suites) page() (lists []report.List) {
	found := s.found()
	if len(found) == 0 {
		return nil
	}
	list := report.List{
		Title: "Evaluation sets", About: "The files of which items were found.",
		Columns: []string{"File", "Items", "Found", "Records"},
	}
	for _, each := range found {
		list.Rows = append(list.Rows, report.ListRow{Text: each.name, Cells: []string{
			units.Count(uint64(each.items)), units.Count(uint64(each.found)), units.Count(each.records),
		}})
	}
	return []report.List{list}
}
