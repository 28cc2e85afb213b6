package stream

// A finding is a record of which a text was found.
type finding struct {
	reading
	line             []byte // the body without a byte order mark
	start, body, end int
}

// find finds the record at buf[at:]. If there is none it starts at the end of buf.
func (w *worker) find(b *batch, at, turn int) (f finding) {
	parser := w.parsers[turn]
	if f.start, f.body, f.end = parser.next(b.buf, at); f.start == len(b.buf) {
		return f
	}
	f.line = b.buf[f.start:f.body]
	if b.atStart && f.start == 0 {
		f.line = withoutMark(f.line)
	}
	f.reading = w.read(parser, f.line)
	return f
}

// A reading is what a parser has found in a record.
type reading struct {
	parser  parser
	text    []byte // good until the parser is released
	problem Problem
	known   question // whether the text is
	done    bool     // the record was read
}

// read finds the text of a record, unless that is not asked for.
func (w *worker) read(parser parser, body []byte) reading {
	r := reading{parser: parser}
	if w.unread {
		return r
	}
	if len(body) > w.maxRecord {
		r.problem = TooLong
		return r
	}
	r.done = true
	if r.text, r.problem = parser.text(body); r.problem.kind == readable && w.sketcher != nil {
		r.known = w.known.ask(r.text)
	}
	return r
}
