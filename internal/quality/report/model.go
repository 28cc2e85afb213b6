package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// Run is what a page says about a run.
type Run struct {
	Command    string // the command line
	Version    string
	Repeats    string // says which earlier run's verdicts were repeated; empty if none
	Seconds    float64
	Parameters []Parameter

	Verdict *Verdict // nil where nothing is removed by its likeness

	Records, Kept, Removed, Empty, Unreadable, CutOff uint64
	BytesIn                                           uint64

	Words   Words    // what the page is about
	Figures []Figure // beside the records; if there are none, how many were kept and removed
	Lists   []List

	Inputs  Table
	Fields  []Table
	Stream  []Bucket
	Similar Histogram
	Groups  Sizes
	Curve   []Point // how likely a pair is caught, by its similarity; empty if the rule has no curve
	// CurveNote says what becomes of a pair that is caught, if that is not that it is removed.
	CurveNote string
	Examples  []Example
	Counted   uint64   // of what the examples are some; 0: of the removed records
	Rule      string   // how the examples were chosen
	Notes     []string // what is not shown, and why
	// Threshold is the similarity from which records count as duplicates; 0 if that is not the
	// rule.
	Threshold float64
}

// A Verdict says at the top of a page whether the run looks right.
type Verdict struct{ Doubts []Doubt }

// A Doubt is a reason to look again: what was seen, and what to do.
type Doubt struct{ Says, Try string }

// Words say what a page is about. An empty field stands for the words of a run that removes
// duplicates.
type Words struct {
	Headline string
	Counted  string // how records are that Removed counts: "removed"
	Examples string // the title above them
	Left     string // above the text of an example
	Right    string // above the other text
	To       string // what similarity is measured to
	Alone    string // why examples have no other text
}

// words completes those of a run.
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
	Columns      []string // titles; the first column has the texts
	Rows         []ListRow
}

// A ListRow is a row: the text, and what stands in the other columns.
type ListRow struct {
	Text  string
	Cells []string
}

// A Parameter is a name and a value.
type Parameter struct{ Name, Value string }

// A Table is the counts of records by a value.
type Table struct {
	By    string // of what the values are
	Rows  []Row  // the most removed records first
	Other Row    // all other values together, if Others is not 0
	// Others is how many values Other stands for, as far as they were told apart; Untold says that
	// there may be more.
	Others int
	Untold bool
}

// A Row is the counts of one value.
type Row struct {
	Value            string
	Records, Removed uint64
}

// Share is the share of records that were removed, from 0 to 1.
func (r Row) Share() float64 {
	if r.Records == 0 {
		return 0
	}
	return float64(r.Removed) / float64(r.Records)
}

// A Bucket is the counts of some records in a row.
type Bucket struct{ First, Records, Removed uint64 }

// A Histogram counts removed records by their similarity to an earlier one.
type Histogram struct {
	Bins    []uint64 // of equal width, from 0 to 1; the last one includes 1
	Unknown uint64   // removed records of which no similarity is known
	Source  string   // what the similarities are from; empty if none is known
	About   string   // what these do not say; may be empty
}

// Sizes counts groups by how many records they have.
type Sizes struct {
	Rows    []Size
	Largest uint64
	Counted uint64 // removed records that were counted
	Limited bool   // there were more
}

// A Size is how many groups have From to To records.
type Size struct{ From, To, Groups, Records uint64 }

// A Point is one of a curve.
type Point struct{ Similarity, Probability float64 }

// An Example is a removed record beside the earlier one that it resembles.
type Example struct {
	Reason     string  // why it was chosen
	Name       string  // of the record
	Original   string  // what the earlier record is called; empty if that is not known
	Similarity float64 // 0 if it is not known
	Way        Way     // what that is
	Group      uint64  // records in the group, as far as it is known; else 0

	Text    []Span // of the record; what the original lacks is marked, or what it has, by the Way
	Earlier []Span // of the original; the same the other way. Empty if it cannot be shown
	// Rest and EarlierRest follow them and are not compared, since the other text goes on behind
	// what is shown of it.
	Rest, EarlierRest string
	Missing           string // why Earlier is empty
	Cut               bool   // the texts are longer than what is shown
	Caseless          bool   // case was not compared, since the texts have hardly anything in common with it
}

// Uncompared says what of the texts was not compared, if anything.
func (e Example) Uncompared() string {
	switch {
	case e.Rest+e.EarlierRest == "":
		return ""
	case len(e.Text)+len(e.Earlier) == 0:
		return "not compared: what is similar comes later than what is shown"
	}
	return "grey is not compared: the other text goes on"
}

// A Span is a part of a text.
type Span struct {
	Text   string
	Marked bool
}

// Shared reports whether what both texts of examples have is marked.
func (r *Run) Shared() bool {
	return slices.ContainsFunc(r.Examples, func(e Example) bool { return e.Way != Alike })
}

// Paired reports whether any example has the original beside it.
func (r *Run) Paired() bool {
	return slices.ContainsFunc(r.Examples, func(e Example) bool { return e.Original != "" })
}
