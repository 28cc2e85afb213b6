package boilerplate

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/urlkey"
)

// A Sketcher makes the sketches of pages for a Counter: the hash of the site, and those of the
// different parts. It is a stream.Confiner, told the site before each text. It owns scratch memory,
// so each goroutine needs its own.
type Sketcher struct {
	unit  Unit
	sites *Sites
	site  uint64
}

// NewSketcher returns a Sketcher for parts of this kind, and sites that are named by values in this
// form.
func NewSketcher(unit Unit, form urlkey.Form) *Sketcher {
	return &Sketcher{unit: unit, sites: NewSites(form), site: siteOf(nil, false)}
}

// Within says which site the next page belongs to.
func (s *Sketcher) Within(value []byte, isText bool) {
	if isText {
		value = s.sites.Name(value)
	}
	s.site = siteOf(value, isText)
}

// NotURLs returns how many values were no URLs, where they should be, since it was called last.
func (s *Sketcher) NotURLs() (n int) {
	n, s.sites.notURLs = s.sites.notURLs, 0
	return n
}

// Sites says what sites are called by the values of a field: by these, or by a part of the URLs
// that these are. It owns scratch memory, so each goroutine needs its own.
type Sites struct {
	writer  *urlkey.Writer // nil: by the values as they are
	name    []byte
	notURLs int
}

// NewSites returns Sites for values in this form.
func NewSites(form urlkey.Form) *Sites {
	if form == urlkey.AsItIs {
		return &Sites{}
	}
	return &Sites{writer: urlkey.NewWriter(form)}
}

// Name returns what the site is called that a page with this value belongs to. A value that is no
// URL is its own name. It is valid until the next call.
func (s *Sites) Name(value []byte) []byte {
	if s.writer == nil {
		return value
	}
	isURL := false
	if s.name, isURL = s.writer.Append(s.name[:0], value); !isURL {
		s.notURLs++
	}
	return s.name
}

// Append appends the sketch of a page. ok is false if it consists of white space.
func (s *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	before := len(dst)
	dst = append(dst, s.site)
	for p := range s.unit.parts(text) {
		ok = ok || !p.isBlank
		if p.hash != 0 {
			dst = append(dst, p.hash)
		}
	}
	if !ok {
		return dst[:before], false
	}
	hashes := dst[before+1:]
	slices.Sort(hashes)
	return dst[:before+1+len(slices.Compact(hashes))], true
}

// SpotWords is the number of words in the sketches of a Spotter.
const SpotWords = 3

// What the second word of a sketch of a Spotter says.
const (
	SpottedNone  = iota // nothing is in the table
	SpottedSome         // something is, and other parts have letters or digits
	SpottedWhole        // the page consists of what is in the table
	SpottedOne          // nothing is, and the page is a single part of some length
)

// leastDivided is the length, in bytes, from which a text should have more than one part: several
// sentences.
const leastDivided = 500

// A Spotter makes the sketches of pages for a second pass: the hash of the site, how much of the
// page is in the table, and the length of the text in bytes. It is a stream.Confiner like a
// Sketcher.
type Spotter struct {
	Sketcher
	table *Table
}

// NewSpotter returns a Spotter of what is in the table, which may be shared. Sites are named by
// values in this form.
func NewSpotter(table *Table, form urlkey.Form) *Spotter {
	return &Spotter{*NewSketcher(table.unit, form), table}
}

// Append appends the sketch of a page. ok is false if it consists of white space.
func (s *Spotter) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	any, others, parts := false, false, 0
	for p := range s.unit.parts(text) {
		ok = ok || !p.isBlank
		if !p.isBlank {
			parts++
		}
		if p.hash == 0 {
			continue
		}
		found := s.table.find(keyOf(s.site, p.hash)) >= 0
		any, others = any || found, others || !found
		if any && others {
			break
		}
	}
	if !ok {
		return dst, false
	}
	spotted := SpottedNone
	switch {
	case !any && parts == 1 && len(text) >= leastDivided:
		spotted = SpottedOne
	case any && others:
		spotted = SpottedSome
	case any:
		spotted = SpottedWhole
	}
	return append(dst, s.site, uint64(spotted), uint64(len(text))), true
}
