package stream

import (
	"bytes"
	"strings"
)

// JSONLines are lines that are a JSON object each. The text is what the fields hold, with a newline
// between two of them, and between several strings of a field; of those, what is no string counts
// for nothing.
func JSONLines(fields []Field) Format { return jsonLines{jsonRecords{fields: fields}} }

type jsonLines struct{ jsonRecords }

// jsonRecords are records that are JSON objects, wherever they stand.
type jsonRecords struct {
	fields []Field
	keys   bool // numbers and booleans are texts too
	lists  bool // lists are, and nothing else that is no string; see Vectors
}

func (j jsonRecords) newText() *jsonText         { return newJSONText(j.fields).of(j.keys, j.lists) }
func (j jsonRecords) newLiterals() literalFinder { return newJSONLiterals(j.fields) }
func (j jsonRecords) fieldNames() []string       { return namesOf(j.fields) }

// Keyed is a JSON format whose fields may hold numbers and booleans too: their texts are what
// stands in the record. Other formats are returned as they are.
func Keyed(f Format) Format {
	return ofJSON(f, func(of *jsonRecords) { of.keys = true })
}

// ofJSON is a format with a change of what it takes from JSON records; other formats stay as they
// are.
func ofJSON(f Format, change func(*jsonRecords)) Format {
	switch of := f.(type) {
	case jsonLines:
		change(&of.jsonRecords)
		f = of
	case jsonArray:
		change(&of.jsonRecords)
		f = of
	}
	return f
}

func (jsonLines) newCutter() cutter   { return lineCutter{newline: '\n'} }
func (f jsonLines) newParser() parser { return f.newText() }
func (jsonLines) unit() string        { return "" }
func (jsonLines) frame() frame        { return frame{} }

func (jsonLines) convert() func(dst, record []byte, t *table) []byte { return nil }

// jsonText takes the text out of JSON records. It owns scratch memory: one for each goroutine.
type jsonText struct {
	jsonScanner
	joined []byte // the texts of several fields
	keys   bool   // see Keyed
	lists  bool   // see Vectors
}

func newJSONText(fields []Field) *jsonText {
	return &jsonText{jsonScanner: newJSONScanner(fields, true)}
}

// of says whether the texts are keys, as of Keyed, or lists, as of Vectors.
func (j *jsonText) of(keys, lists bool) *jsonText {
	j.keys, j.lists = keys, lists
	return j
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
	for i := range j.wants {
		w := &j.wants[i]
		switch {
		case len(w.strings) > 0:
		case w.start < 0:
			return nil, Problem{noField, uint16(i)}
		case line[w.start] == '"':
		case j.lists && line[w.start] == '[':
			w.text = line[w.start:w.end]
		case j.lists:
			return nil, Problem{kind: notVector}
		case j.keys && strings.IndexByte("-0123456789tf", line[w.start]) >= 0:
			w.text = line[w.start:w.end]
		default:
			return nil, Problem{notString, uint16(i)}
		}
	}
	if len(j.wants) == 1 && !j.wants[0].several {
		return j.wants[0].text, Problem{}
	}
	j.joined = j.joined[:0]
	for i := range j.wants {
		if i > 0 {
			j.joined = append(j.joined, '\n')
		}
		j.joined = j.wants[i].appendTo(j.joined, line)
	}
	return j.joined, Problem{}
}

// appendTo appends the text of the field. Of several strings each is a line, too.
func (w *want) appendTo(dst, line []byte) []byte {
	if !w.several {
		return append(dst, w.text...)
	}
	for i, start := range w.strings {
		if i > 0 {
			dst = append(dst, '\n')
		}
		text, _ := unquote(&w.scratch, line, int(start))
		dst = append(dst, text...)
	}
	return dst
}

func (j *jsonText) release() {
	j.jsonScanner.release()
	j.joined = keep(j.joined)
}
