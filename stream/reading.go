package stream

import (
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream/internal/known"
)

// A reading is a record whose text and named values have been found.
type reading struct {
	parser           record.Parser
	start, body, end int          // of the record
	view             record.View  // without a byte order mark, as `cat` leaves it between files
	done             bool         // the text has been found
	text             []byte       // good until the reading is released
	problem          Problem      // why there is no text
	known            known.Lookup // whether the text is
	copied           uint64       // hash of the sketch of a text that is known
	omitted          Omissions
	notURLs          uint64 // values that are not URLs, by the sketcher
}

// find finds the record at buf[at:]. If no record follows, it starts at the end of buf.
func (w *worker) find(b *batch, at int, r *reading) {
	if r.start, r.body, r.end = r.parser.Next(b.buf, at); r.start == len(b.buf) {
		return
	}
	r.view = record.View{Body: record.TrimBOM(b.buf[r.start:r.body])}
	w.read(r)
	if r.done && (r.problem.IsReadable() || r.problem.IsTextProblem()) {
		if p := w.check.Check(r.view.Body); !p.IsReadable() {
			r.problem, r.known = p, known.Lookup{}
		}
	}
}

// read finds the text of a record if it is needed.
func (w *worker) read(r *reading) {
	r.done, r.problem, r.known, r.copied, r.notURLs = false, Problem{}, known.Lookup{}, 0, 0
	if w.unread {
		return
	}
	if len(r.view.Body) > w.maxRecord {
		r.problem = TooLong
		return
	}
	r.done = true
	r.text, r.problem = r.parser.Text(r.view.Body)
	r.omitted = r.parser.Omissions()
	if r.problem.IsReadable() && w.sketcher != nil {
		r.known = w.known.LookUp(r.text)
	}
}

// value returns a named value of the record by its index, or nothing for notNamed.
func (r *reading) value(name int) []byte {
	if name == notNamed {
		return nil
	}
	return r.parser.Value(name, r.view)
}

// release frees the memory of the text.
func (r *reading) release() {
	r.text = nil
	r.parser.Release()
}
