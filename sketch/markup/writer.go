package markup

// A writer appends text, its runs of white space folded: to one space, or to one line end where a
// block begins or ends.
type writer struct {
	out   []byte
	start int  // of this text in out; nothing is set before its first word
	gap   byte // what to set before the next word: 0, a space or a line end
}

func newWriter(dst []byte) writer { return writer{out: dst, start: len(dst)} }

// space sets words apart.
func (w *writer) space() {
	if w.gap == 0 {
		w.gap = ' '
	}
}

// line ends the line.
func (w *writer) line() { w.gap = '\n' }

// text appends a text in which a line end is no more than white space.
func (w *writer) text(t []byte) { w.append(t, ' ') }

// code appends a text whose lines count.
func (w *writer) code(t []byte) { w.append(t, '\n') }

func (w *writer) append(t []byte, lineEnd byte) {
	for i := 0; i < len(t); {
		if space(t[i]) {
			if t[i] == '\n' && lineEnd == '\n' {
				w.line()
			} else {
				w.space()
			}
			i++
			continue
		}
		from := i
		for i < len(t) && !space(t[i]) {
			i++
		}
		if w.gap != 0 && len(w.out) > w.start {
			w.out = append(w.out, w.gap)
		}
		w.gap = 0
		w.out = append(w.out, t[from:i]...)
	}
}

// space tells the white space of HTML.
func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }
