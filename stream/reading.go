package stream

import "github.com/mithril-stream/mithril-stream/internal/record"

// A reading is a record whose text was found.
type reading struct {
	parser           record.Parser
	start, body, end int     // of the record
	line             []byte  // the body without a byte order mark, as `cat` leaves it between files
	done             bool    // the text was asked for
	text             []byte  // good until the reading is released
	problem          Problem // why there is no text
	known            lookup  // whether the text is
	omitted          Omissions
	notURLs          uint64 // values that were to be URLs, as the sketcher says
}

// find finds the record at buf[at:]. If no record follows it starts at the end of buf.
func (w *worker) find(b *batch, at int, r *reading) {
	if r.start, r.body, r.end = r.parser.Next(b.buf, at); r.start == len(b.buf) {
		return
	}
	r.line = record.TrimBOM(b.buf[r.start:r.body])
	w.read(r, r.line)
	if r.done && (r.problem.IsReadable() || r.problem.IsTextProblem()) {
		if p := w.check.Check(r.line); !p.IsReadable() {
			r.problem, r.known = p, lookup{}
		}
	}
}

// read finds the text of a record, unless that is not asked for.
func (w *worker) read(r *reading, body []byte) {
	r.done, r.problem, r.known, r.notURLs = false, Problem{}, lookup{}, 0
	if w.unread {
		return
	}
	if len(body) > w.maxRecord {
		r.problem = TooLong
		return
	}
	r.done = true
	r.text, r.problem = r.parser.Text(body)
	r.omitted = r.parser.Omissions()
	if r.problem.IsReadable() && w.sketcher != nil {
		r.known = w.known.lookUp(r.text)
	}
}

// release gives back what the text took.
func (r *reading) release() {
	r.text = nil
	r.parser.Release()
}
