package substr

// WholeLines returns the spans of a text as they are to be cut, so that no blank line is left where
// whole lines were, and no line is joined to another one. Where a span has all of one or more
// lines, it takes the newlines before or behind them with it: the fewer ones, so that paragraphs
// stay apart; at the beginning of a text those behind them, and at its end those before. Other
// spans stay as they are.
func WholeLines(text []byte, spans []Span) []Span {
	var cut []Span
	last := lines{after: -1} // in cut already; after is -1 if it was no whole line
	for _, s := range spans {
		of, ok := linesOf(text, s)
		switch {
		case !ok && of.start == of.end && s.End <= last.after:
			continue // newlines behind whole lines, which say what happens to them
		case !ok:
			of.after = -1
		case last.after == of.start: // nothing but newlines are between them
			of.before, of.start = last.before, last.start
			s.First = cut[len(cut)-1].First
			cut = cut[:len(cut)-1]
			fallthrough
		default:
			s.Start, s.End = of.cut(len(text))
		}
		last = of
		if n := len(cut); n > 0 {
			s.Start = max(s.Start, cut[n-1].End)
		}
		if s.Start >= s.End {
			last.after = -1
			continue
		}
		cut = append(cut, s)
	}
	return cut
}

// lines are whole lines of a text: its bytes start … end-1, and newlines from before on and up to
// after.
type lines struct{ before, start, end, after int }

// linesOf are the lines of a span, without the newlines at its ends. ok is false if it begins or
// ends within a line, or is newlines alone.
func linesOf(text []byte, s Span) (l lines, ok bool) {
	l = lines{start: s.Start, end: s.End}
	for l.start < l.end && isNewline(text[l.start]) {
		l.start++
	}
	for l.end > l.start && isNewline(text[l.end-1]) {
		l.end--
	}
	l.before, l.after = l.start, l.end
	for l.before > 0 && isNewline(text[l.before-1]) {
		l.before--
	}
	for l.after < len(text) && isNewline(text[l.after]) {
		l.after++
	}
	begins, ends := l.before < l.start || l.start == 0, l.after > l.end || l.end == len(text)
	return l, begins && ends && l.start < l.end
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

// cut is what of a text of that length is to be cut.
func (l lines) cut(length int) (start, end int) {
	switch {
	case l.before == 0 && l.after == length:
		return 0, length
	case l.before == 0:
		return l.start, l.after
	case l.after == length || l.after-l.end > l.start-l.before:
		return l.before, l.end
	}
	return l.start, l.after
}
