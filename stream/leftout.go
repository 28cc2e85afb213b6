package stream

// omittedOf describes what the text of a record of a batch leaves out.
type omittedOf struct {
	record int
	Omissions
	notURLs uint64 // values that were to be URLs
}

// LeftOut counts values that fields lead to but texts leave out: nulls, elements without the named
// member, numbers in an object or a list, and what the path itself leaves out.
type LeftOut struct {
	Records uint64 `json:"records"`
	Values  uint64 `json:"values"`
	First   *Place `json:"first,omitempty"`
}

// A FieldMember is a member that a field leaves out, as the user wrote the field.
type FieldMember struct {
	Field  string `json:"field"`
	Member string `json:"member"`
}

// countOmitted counts what record i of the batch leaves out. It must be the last one counted.
func (l *ledger) countOmitted(b *batch, i int) {
	if len(l.omitted) == 0 || l.omitted[0].record != i {
		return
	}
	o := l.omitted[0]
	l.omitted = l.omitted[1:]
	if o.HasNonFinite() {
		l.stats.NonFinite++
	}
	if n := o.Values(); n > 0 {
		l.countValues(&l.stats.LeftOut, b, i, n, o.Describe(l.opts.Format))
	}
	if o.notURLs > 0 {
		l.countValues(&l.stats.NotURLs, b, i, o.notURLs, "a value is not a URL")
	}
}

// countValues counts values of record i.
func (l *ledger) countValues(of *LeftOut, b *batch, i int, values uint64, problem string) {
	of.Records, of.Values = of.Records+1, of.Values+values
	if of.First == nil {
		name, number := l.whereIs(b, i)
		of.First = &Place{Input: name, Unit: l.opts.Format.Unit(), Record: number, Problem: problem}
	}
}
