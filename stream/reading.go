package stream

// A reading is a record whose text was found.
type reading struct {
	parser           parser
	start, body, end int      // of the record
	line             []byte   // the body without a byte order mark, as `cat` leaves it between files
	done             bool     // the text was asked for
	text             []byte   // good until the reading is released
	problem          Problem  // why there is no text
	known            question // whether the text is
	omitted          Omissions
}

// find finds the record at buf[at:]. If no record follows it starts at the end of buf.
func (w *worker) find(b *batch, at int, r *reading) {
	if r.start, r.body, r.end = r.parser.next(b.buf, at); r.start == len(b.buf) {
		return
	}
	r.line = withoutMark(b.buf[r.start:r.body])
	w.read(r, r.line)
	if r.done && (r.problem.kind == readable || r.problem.isOfText()) {
		if p := w.check.look(r.line); p.kind != readable {
			r.problem, r.known = p, question{}
		}
	}
}

// read finds the text of a record, unless that is not asked for.
func (w *worker) read(r *reading, body []byte) {
	r.done, r.problem, r.known = false, Problem{}, question{}
	if w.unread {
		return
	}
	if len(body) > w.maxRecord {
		r.problem = TooLong
		return
	}
	r.done = true
	r.text, r.problem = r.parser.text(body)
	r.omitted = r.parser.omitted()
	if r.problem.kind == readable && w.sketcher != nil {
		r.known = w.known.ask(r.text)
	}
}

// release gives back what the text took.
func (r *reading) release() {
	r.text = nil
	r.parser.release()
}
