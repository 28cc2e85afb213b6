package values

import (
	"fmt"
	"slices"
	"strings"
)

// Keep says which record of a group to keep: the best by the first criterion; among equals, the
// best by the next, and so on.
type Keep []Criterion

// A Criterion ranks the records of a group.
type Criterion struct {
	Rule  string // one of the rules below
	Field string // field for KeepMax and KeepMin
}

// The rules of a Criterion.
const (
	KeepFirst    = "first"
	KeepLast     = "last"
	KeepLongest  = "longest"
	KeepShortest = "shortest"
	KeepFullest  = "fullest" // compares the words of texts, not only their lengths
	KeepMax      = "max"
	KeepMin      = "min"
	KeepNone     = "none" // keep no record; cannot be combined
)

// isOfText reports whether the rule compares texts.
func (c Criterion) isOfText() bool {
	return c.Rule == KeepLongest || c.Rule == KeepShortest || c.Rule == KeepFullest
}

// String returns the criterion as written on the command line.
func (c Criterion) String() string {
	if c.Field == "" {
		return c.Rule
	}
	return c.Rule + ":" + c.Field
}

// String returns the criteria as written on the command line.
func (k Keep) String() string {
	written := make([]string, len(k))
	for i, c := range k {
		written[i] = c.String()
	}
	return strings.Join(written, ",")
}

// Fields returns the fields of the criteria, in order.
func (k Keep) Fields() (fields []string) {
	for _, c := range k {
		if c.Field != "" {
			fields = append(fields, c.Field)
		}
	}
	return fields
}

// OfText returns the rule that compares texts, or "" if there is none.
func (k Keep) OfText() string {
	for _, c := range k {
		if c.isOfText() {
			return c.Rule
		}
	}
	return ""
}

// IsNone reports whether no record of a group is kept.
func (k Keep) IsNone() bool { return slices.Contains(k, Criterion{Rule: KeepNone}) }

// IsFirst reports whether the first record of a group is kept.
func (k Keep) IsFirst() bool { return k[0].Rule == KeepFirst }

// ReadsRecords returns the first criterion that needs the records and not only their sketches.
func (k Keep) ReadsRecords() (c Criterion, ok bool) {
	i := slices.IndexFunc(k, func(c Criterion) bool { return c.Field != "" || c.Rule == KeepFullest })
	if i < 0 {
		return c, false
	}
	return k[i], true
}

// UnmarshalText parses criteria separated by commas. A comma not followed by a rule is part of a
// field name.
func (k *Keep) UnmarshalText(text []byte) error {
	var list Keep
	for part := range strings.SplitSeq(string(text), ",") {
		c, ok := parseCriterion(part)
		switch last := len(list) - 1; {
		case ok:
			list = append(list, c)
		case last >= 0 && list[last].Field != "":
			list[last].Field += "," + part
		default:
			return fmt.Errorf("%q is not a rule: write first, last, longest, shortest, fullest, max:FIELD, min:FIELD, "+
				"several of them with commas between them, or none", part)
		}
	}
	if err := list.check(); err != nil {
		return err
	}
	*k = list
	return nil
}

// check rejects combinations in which a criterion has no effect.
func (k Keep) check() error {
	ofText := 0
	for i, c := range k {
		if c.isOfText() {
			ofText++
		}
		switch {
		case len(k) > 1 && c.Rule == KeepNone:
			return fmt.Errorf("%s: none keeps no records, so it must stand alone", k)
		case i+1 < len(k) && (c.Rule == KeepFirst || c.Rule == KeepLast):
			return fmt.Errorf("%s: no two records are equal by %s, so nothing can follow it", k, c.Rule)
		case c.Field != "" && slices.Contains(k[:i].Fields(), c.Field):
			return fmt.Errorf("%s: records that are equal by %s stay equal when it is compared again: name it once", k,
				c.Field)
		case ofText > 1:
			return fmt.Errorf("%s: only one of longest, shortest and fullest can be given", k)
		}
	}
	return nil
}

// parseCriterion parses a rule, with a field after max: and min:.
func parseCriterion(text string) (c Criterion, ok bool) {
	rule, field, ofField := strings.Cut(text, ":")
	switch rule {
	case KeepFirst, KeepLast, KeepLongest, KeepShortest, KeepFullest, KeepNone:
		return Criterion{Rule: rule}, !ofField
	case KeepMax, KeepMin:
		return Criterion{rule, field}, field != ""
	}
	return c, false
}
