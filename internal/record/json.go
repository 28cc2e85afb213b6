package record

import (
	"bytes"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// JSONLines are lines with one JSON object each. The text is the contents of the fields, joined by
// newlines, as are several values of a field. A string contributes its text, a number or a boolean
// its characters, and an object or a list all strings below it, in order; see Field. A field that
// is null or missing adds nothing. If all are, the record has no text.
func JSONLines(fields []Field) Format { return jsonLines{jsonRecords{fields: fields}} }

type jsonLines struct{ jsonRecords }

// jsonRecords are records that are JSON objects, wherever they stand.
type jsonRecords struct {
	fields []Field
	exact  bool // see Exact
	lists  bool // lists are, and nothing else that is no string; see Vectors
	isKey  bool // see Key
}

func (j jsonRecords) newText(names []string) *jsonText {
	t := newJSONText(j.fields, names...).of(j.exact, j.lists)
	t.isKey = j.isKey
	return t
}

func (j jsonRecords) newLiterals() literalFinder { return newJSONLiterals(j.fields) }
func (j jsonRecords) fieldNames() []string       { return namesOf(j.fields) }

// TextFields returns the fields that hold the texts of JSON records. Other formats have none.
func TextFields(f Format) []Field {
	switch f := f.(type) {
	case jsonLines:
		return f.fields
	case jsonArray:
		return f.fields
	case messages:
		return TextFields(f.Format)
	case listFormat:
		return TextFields(f.Format)
	}
	return nil
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

func (jsonLines) NewSplitter() Splitter              { return lineSplitter{newline: '\n'} }
func (f jsonLines) NewParser(names ...string) Parser { return f.newText(names) }
func (jsonLines) Unit() string                       { return "" }
func (jsonLines) Frame() Frame                       { return Frame{} }

func (jsonLines) NewConverter() func(dst, record []byte, t *Table) []byte { return nil }

// jsonText takes the text, and the values of named fields, out of JSON records. It owns scratch
// memory: one for each goroutine.
type jsonText struct {
	jsonScanner        // wants the fields with the text, and then the named ones
	texts       int    // fields with the text
	joined      []byte // the texts of several values,
	pieces      int    // number of pieces
	strings     stringsBelow
	exact       bool // see Exact
	lists       bool // see Vectors
	isKey       bool // see Key
	skipped     Omissions
	excluding   excluding // what fields leave out
}

func newJSONText(fields []Field, names ...string) *jsonText {
	j := &jsonText{texts: len(fields)}
	j.jsonScanner = newJSONScanner(append(slices.Clip(fields), namedFields(names)...), j.texts)
	j.strings.found = j.addBelow
	j.excluding.watch(j.paths[:j.unquotes])
	return j
}

// of says whether the texts are compared exactly, as of Exact, or are lists, as of Vectors.
func (j *jsonText) of(exact, lists bool) *jsonText {
	j.exact, j.lists = exact, lists
	return j
}

// A FieldText takes texts out of JSON objects, for formats whose records can be written as such. It
// owns scratch memory: one for each goroutine.
type FieldText struct{ of *jsonText }

// NewFieldText returns what takes out the texts that JSONLines would have for these fields; or if
// exact is true, those of Exact.
func NewFieldText(fields []Field, exact bool) *FieldText {
	return &FieldText{newJSONText(fields).of(exact, false)}
}

// NeedAll has the texts be keys, as those of Key.
func (t *FieldText) NeedAll() { t.of.isKey = true }

// Text returns the text of a record, unless that has a problem. It may be part of the record, and
// is good until the next call.
func (t *FieldText) Text(record []byte) ([]byte, Omissions, Problem) {
	t.of.Release()
	text, p := t.of.Text(record)
	return text, t.of.Omissions(), p
}

func (*jsonText) SetTable(*Table) {}

func (*jsonText) Next(buf []byte, at int) (start, body, end int) {
	body = at + bytes.IndexByte(buf[at:], '\n')
	return at, body, body + 1
}

// Text returns the text of a record. The whole of line must be one JSON object (RFC 8259): a record
// that is broken after its text is broken all the same.
func (j *jsonText) Text(line []byte) ([]byte, Problem) {
	j.skipped = Omissions{}
	if p := j.scan(line); p.kind != KindReadable {
		return nil, p
	}
	j.skipped.nonFinite = j.nonFinite
	w := j.wants[0]
	switch isAlone := j.texts == 1 && !w.several; {
	case j.lists && isAlone:
		return j.list(line)
	case isAlone && !j.exact && w.start >= 0 && line[w.start] == '"':
		return w.text, Problem{}
	case j.exact:
		return j.key(line)
	}
	return j.compose(line)
}

// list returns the list in the one field, or the text that is one.
func (j *jsonText) list(line []byte) ([]byte, Problem) {
	switch w := j.wants[0]; {
	case w.start < 0:
		return nil, Problem{kind: KindNoField}
	case line[w.start] == '"':
		return w.text, Problem{}
	case line[w.start] == '[':
		return line[w.start:w.end], Problem{}
	}
	return nil, Problem{kind: KindNotVector}
}

// compose joins the texts of all values.
func (j *jsonText) compose(line []byte) ([]byte, Problem) {
	j.joined, j.pieces = j.joined[:0], 0
	found := false
	for i := range j.texts {
		w := j.wants[i]
		values := 0
		for place := range w.found {
			if line[place] == 'n' {
				j.skipped.note(omittedNull, i, w)
				continue
			}
			j.addValue(line, place, i)
			values++
		}
		j.skipped.add(omittedPassed, i, w.passed)
		switch {
		case w.lacking > 0 && !w.optional:
			missing := j.skipped.missing
			j.skipped.add(omittedMissing, i, w.lacking)
			if values > 0 {
				j.skipped.missing = missing // it is there, though not everywhere
			}
		case values == 0 && w.start < 0:
			j.skipped.note(omittedMissing, i, w)
		}
		found = found || values > 0
	}
	if !found {
		return nil, j.absent(line)
	}
	return j.joined, Problem{}
}

// addValue adds the text of a value of field i.
func (j *jsonText) addValue(line []byte, place, i int) {
	w := j.wants[i]
	switch line[place] {
	case '"':
		text := w.text
		if w.several {
			text, _ = jsontext.Unquote(&w.scratch, line, place)
		}
		j.addPiece()
		j.joined = append(j.joined, text...)
	case '{', '[':
		j.strings.begin(line, w.below)
		j.strings.value(place)
		j.skipped.add(omittedBelow, i, j.strings.omitted)
	default:
		j.addPiece()
		j.joined = append(j.joined, line[place:j.value(place, 0, false)]...)
	}
}

// addPiece begins another text of those that are joined.
func (j *jsonText) addPiece() {
	if j.pieces++; j.pieces > 1 {
		j.joined = append(j.joined, '\n')
	}
}

// addBelow adds what was found in an object or a list.
func (j *jsonText) addBelow(start, end int, kind foundKind) {
	j.addPiece()
	j.joined = j.strings.appendText(j.joined, start, end, kind)
}

// missing is the problem of a record that has no value in field i.
func (j *jsonText) missing(i int) Problem {
	j.skipped = Omissions{nonFinite: j.skipped.nonFinite}
	if j.wants[i].start >= 0 {
		return Problem{KindNull, uint16(i)}
	}
	return Problem{KindNoField, uint16(i)}
}

// absent is the problem of a record in which no field has a value.
func (j *jsonText) absent(line []byte) Problem {
	defer func(nonFinite bool) { j.skipped = Omissions{nonFinite: nonFinite} }(j.skipped.nonFinite)
	for i := range j.texts {
		w := j.wants[i]
		for place := range w.found {
			if !w.optional && line[place] == 'n' {
				return Problem{KindNull, uint16(i)}
			}
		}
		if !w.optional {
			return Problem{KindNoField, uint16(i)}
		}
	}
	return NoText
}

// found yields where the values of the field stand.
func (w *want) found(yield func(place int) bool) {
	if !w.several {
		if w.start >= 0 {
			yield(w.start)
		}
		return
	}
	for _, place := range w.places {
		if !yield(int(place)) {
			return
		}
	}
}

// Find scans without decoding the text.
func (j *jsonText) Find(line []byte) {
	unquotes := j.unquotes
	j.unquotes = 0
	j.scan(line)
	j.unquotes = unquotes
}

func (j *jsonText) Value(i int, of View) []byte {
	w := j.wants[j.texts+i]
	if w.start < 0 {
		return nil
	}
	return nameOf(of.Body[w.start:w.end])
}

func (j *jsonText) Omissions() Omissions {
	o := j.skipped
	o.excluded = j.excluding.bits
	return o
}

func (j *jsonText) Release() {
	j.jsonScanner.release()
	j.joined = KeepScratch(j.joined)
	j.strings.release()
}
