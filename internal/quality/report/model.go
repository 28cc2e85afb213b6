package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Run is the contents of a page about a run.
type Run struct {
	Origin
	Repeats    string // the earlier run whose verdicts were repeated, in words; or empty
	Parameters []Parameter

	Verdict *Verdict // nil if records are not removed for similarity

	Records, Kept, Removed, Empty, Unreadable, CutOff uint64
	BytesIn                                           uint64

	Words   Words    // vocabulary of the page
	Figures []Figure // shown with the number of records; by default, how many were kept and removed
	Lists   []List

	Inputs  Table
	Fields  []Table
	Stream  []Bucket
	Similar Histogram
	Groups  Sizes
	// probability that a pair is found, by similarity; empty if the rule has no curve
	Curve []Point
	// CurveNote says what happens to a pair that is found, if that is not a removal.
	CurveNote string
	Examples  []Example
	// number of records that the examples were chosen from; 0 means the removed records
	Counted uint64
	Rule    string   // how the examples were chosen
	Notes   []string // what the page leaves out, and why
	// Threshold is the similarity from which records count as duplicates; 0 if the rule has none.
	Threshold float64
}

// Origin says where a page is from.
type Origin struct {
	Command string // the command line
	Version string
	Ended   time.Time // when the run was complete; zero if that is not shown
	Seconds float64   // how long it took
}

// When returns the time at the end of the run in words.
func (o Origin) When() string {
	if o.Ended.IsZero() {
		return ""
	}
	return o.Ended.Format("2 January 2006, 15:04 MST")
}

// A Verdict says at the top of a page whether the run looks right, and what to do.
type Verdict struct {
	Doubts []Doubt
	Fine   string   // why nothing looks wrong, if there are no doubts
	Next   []string // what to do if nothing looks wrong
}

// A Doubt is a reason to check a run: an observation, and advice.
type Doubt struct{ Says, Try string }

// Words is the vocabulary of a page. Empty fields use the words for a run that removes duplicates.
type Words struct {
	Headline string
	Counted  string // participle for the records that Removed counts: "removed"
	Examples string // title above the examples
	Left     string // title of the text of an example
	Right    string // title of the other text
	To       string // what similarity is measured to
	Alone    string // why examples have no other text
}

// words fills in the defaults.
func (r *Run) words() Words {
	w := r.Words
	for of, word := range map[*string]string{
		&w.Headline: fmt.Sprintf("%s of %s records were removed", percent(r.Removed, r.Records),
			units.Count(r.Records)),
		&w.Counted: "removed", &w.Examples: "Removed records", &w.Left: "Removed", &w.Right: "Earlier",
		&w.To:    "an earlier record",
		&w.Alone: "The memory of this run does not know which records they resemble; --memory exact does.",
	} {
		*of = cmp.Or(*of, word)
	}
	return w
}

// A Figure is a number at the top of the page.
type Figure struct {
	Value, Label string
	Class        string // kept or removed for its colour, or empty
}

// A List is a table of texts with numbers.
type List struct {
	Title, About string
	Columns      []string // titles; the first column contains the texts
	Rows         []ListRow
}

// A ListRow is a row: the text, and the other columns.
type ListRow struct {
	Text  string
	Cells []string
}

// A Parameter is a name and a value.
type Parameter struct{ Name, Value string }

// A Table counts records by value.
type Table struct {
	By    string // what the values are
	Rows  []Row  // in descending order of removed records
	Other Row    // all other values together, if Others is not 0
	// Others is the number of values in Other, as far as they were distinguished; Untold means that
	// there may be more.
	Others int
	Untold bool
}

// A Row counts the records of one value.
type Row struct {
	Value            string
	Records, Removed uint64
}

// Share returns the share of removed records, from 0 to 1.
func (r Row) Share() float64 {
	if r.Records == 0 {
		return 0
	}
	return float64(r.Removed) / float64(r.Records)
}

// A Bucket counts consecutive records.
type Bucket struct{ First, Records, Removed uint64 }

// A Histogram counts removed records by similarity to their original.
type Histogram struct {
	Bins    []uint64 // of equal width, from 0 to 1; the last one includes 1
	Unknown uint64   // removed records with unknown similarity
	Source  string   // where the similarities come from; empty if none is known
	About   string   // a caveat; may be empty
}

// Close returns how many removed records have a similarity within that much above the threshold,
// and how many have a known similarity of less than 1.
func (h Histogram) Close(threshold, within float64) (close, unequal uint64) {
	for i, n := range h.Bins {
		at := float64(i) / float64(len(h.Bins))
		if i == len(h.Bins)-1 {
			break // nearly equal
		}
		unequal += n
		if at < threshold+within-1e-9 {
			close += n
		}
	}
	return close, unequal
}

// Sizes counts groups by size.
type Sizes struct {
	Rows    []Size
	Largest uint64
	Counted uint64 // removed records that were counted
	Limited bool   // there were more
}

// A Size counts the groups of From to To records.
type Size struct{ From, To, Groups, Records uint64 }

// A Point is a point of a curve.
type Point struct{ Similarity, Probability float64 }

// An Example is a removed record next to its original.
type Example struct {
	Reason     string  // why it was chosen
	Name       string  // of the record
	Source     string  // its input, or its value of the first field that records are counted by
	Original   string  // name of the original; empty if unknown
	Similarity float64 // 0 if unknown
	Measure    Measure // what Similarity measures
	Group      uint64  // size of the group, or 0 if unknown

	Texts
}

// Texts are a record and its original side by side.
type Texts struct {
	Text    []Span // of the record; marked is what the original lacks, or has, depending on Measure
	Earlier []Span // of the original, marked likewise; empty if it cannot be shown
	// Rest and EarlierRest follow them without being compared, since the other text continues after
	// its excerpt.
	Rest, EarlierRest string
	Missing           string  // why Earlier is empty
	Beside            *Beside // what a reader sees of the records, if that differs; otherwise nil
	Cut               bool    // the texts are longer than shown
	Caseless          bool    // case was ignored, since the texts hardly match otherwise
}

// Uncompared says which parts were not compared, if any.
func (e Example) Uncompared() string {
	switch {
	case e.Rest+e.EarlierRest == "":
		return ""
	case len(e.Text)+len(e.Earlier) == 0:
		return "What makes these texts similar comes after what is shown here."
	}
	return "Grey text was not compared, because only the beginning of the other text is shown."
}

// A Span is a part of a text.
type Span struct {
	Text   string
	Marked bool
}

// Shared reports whether examples mark what both texts have.
func (r *Run) Shared() bool {
	return slices.ContainsFunc(r.Examples, func(e Example) bool { return e.Measure != Alike })
}

// Paired reports whether any example has its original next to it.
func (r *Run) Paired() bool {
	return slices.ContainsFunc(r.Examples, func(e Example) bool { return e.Original != "" })
}
