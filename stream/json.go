package stream

import "bytes"

// JSONLines are lines that are a JSON object each. The text is what the fields hold, with a newline
// between two of them.
func JSONLines(fields []Field) Format { return jsonLines{fields} }

type jsonLines struct{ fields []Field }

func (jsonLines) newCutter() cutter      { return lineCutter{newline: '\n'} }
func (f jsonLines) newParser() parser    { return newJSONText(f.fields) }
func (f jsonLines) fieldNames() []string { return namesOf(f.fields) }
func (jsonLines) unit() string           { return "" }
func (jsonLines) frame() frame           { return frame{} }

func (jsonLines) convert() func(dst, record []byte, t *table) []byte { return nil }

// jsonText takes the text out of JSON records. It owns scratch memory: one for each goroutine.
type jsonText struct {
	jsonScanner
	joined []byte // the texts of several fields
}

func newJSONText(fields []Field) *jsonText {
	return &jsonText{jsonScanner: newJSONScanner(fields, true)}
}

func (*jsonText) enter(*table) {}

func (*jsonText) next(buf []byte, at int) (start, body, end int) {
	body = at + bytes.IndexByte(buf[at:], '\n')
	return at, body, body + 1
}

// text returns the values of the fields, with a newline between two of them. The whole of line must
// be one JSON object (RFC 8259): a record that is broken after its text is broken all the same.
func (j *jsonText) text(line []byte) ([]byte, Problem) {
	if p := j.scan(line); p.kind != readable {
		return nil, p
	}
	for i, w := range j.wants {
		switch {
		case w.start < 0:
			return nil, Problem{noField, uint16(i)}
		case line[w.start] != '"':
			return nil, Problem{notString, uint16(i)}
		}
	}
	if len(j.wants) == 1 {
		return j.wants[0].text, Problem{}
	}
	j.joined = j.joined[:0]
	for i, w := range j.wants {
		if i > 0 {
			j.joined = append(j.joined, '\n')
		}
		j.joined = append(j.joined, w.text...)
	}
	return j.joined, Problem{}
}

func (j *jsonText) release() {
	j.jsonScanner.release()
	j.joined = keep(j.joined)
}
