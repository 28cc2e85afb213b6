package record

// An Opening looks at the beginning of an input as it comes, until one record shows that the input
// belongs to its format, or enough of them show that it does not. It is for one goroutine.
type Opening struct {
	cut    Splitter
	parser Parser
	limit  int
	begun  bool // what stands before the first record was read
	start  int  // of what was not looked at; everything before it are whole records
	seen   int  // bytes from there on that cut has seen

	decided, admitted bool
	records           uint64 // all so far
	unfit             Unfit
	err               error // of what stands before the first record
}

// Unfit describes the first records of an input if none of them could be read.
type Unfit struct {
	Records int     // that were looked at, without blank ones
	First   uint64  // the number of the first of them in the input, from 1
	Problem Problem // of that one
}

// NewOpening returns what looks at an input of a format. limit is how many records are enough to
// tell that it has none, if none of them can be read.
func NewOpening(f Format, limit int) *Opening {
	return &Opening{cut: f.NewSplitter(), parser: f.NewParser(), limit: limit}
}

// Look looks at the first bytes of an input: those of the last call, and more. It reports whether
// they are enough.
func (o *Opening) Look(head []byte) (enough bool) {
	for !o.decided {
		rest := head[o.start:]
		end, err := o.cut.FindEnd(rest, o.seen, false)
		if end > 0 {
			o.take(rest[:end], false)
			o.start, o.seen = o.start+end, 0
			o.cut.Restart()
		}
		if err != nil {
			o.decided = true // whoever reads the input is told
		}
		if end == 0 {
			o.seen = len(rest)
			break
		}
	}
	return o.decided
}

// End is called after Look, if that asks for more. whole says that the input ends with head; else
// no more of it is looked at.
func (o *Opening) End(head []byte, whole bool) {
	if rest := head[o.start:]; !o.decided && len(rest) > 0 {
		if whole {
			o.takeLast(rest)
		} else if o.cut.Terminator() != nil { // else it may begin in the middle of what is around records
			o.judge(rest, true)
		}
	}
	o.decided = true
}

// Refused reports whether none of the records can be read, and says which they are.
func (o *Opening) Refused() (Unfit, bool) { return o.unfit, !o.admitted && o.unfit.Records > 0 }

// Err is why records cannot be told from what stands before the first one: its header has no column
// with the text, for example.
func (o *Opening) Err() error { return o.err }

// takeLast looks at the record that the input ends with.
func (o *Opening) takeLast(rest []byte) {
	missing, err := o.cut.Finish(rest)
	if err != nil {
		return // whoever reads the input is told
	}
	o.take(append(rest[:len(rest):len(rest)], missing...), len(missing) > 0)
}

// take looks at whole records. isCut says that nothing terminates the last one.
func (o *Opening) take(block []byte, isCut bool) {
	at := 0
	if !o.begun {
		lead, table, err := o.cut.Head(block)
		if err != nil {
			o.err, o.decided = err, true
			return
		}
		o.begun, at = true, lead
		o.parser.SetTable(table)
	}
	for !o.decided {
		start, body, end := o.parser.Next(block, at)
		if start == len(block) {
			return
		}
		o.judge(block[start:body], isCut && end == len(block))
		at = end
	}
}

// judge looks at a record. isCut says that its end may be missing: then it shows nothing, if that
// is why it cannot be read.
func (o *Opening) judge(body []byte, isCut bool) {
	body = TrimBOM(body)
	o.records++
	_, p := o.parser.Text(body)
	if isCut {
		p = CutOff(o.parser, body, p)
	}
	o.parser.Release()
	switch {
	case p.kind == KindBlankLine, p.kind == KindCutOff:
	case p.kind == KindNull || !p.IsFormatProblem():
		o.admitted, o.decided = true, true
	default:
		if o.unfit.Records++; o.unfit.Records == 1 {
			o.unfit.First, o.unfit.Problem = o.records, p
		}
		o.decided = o.unfit.Records >= o.limit
	}
}
