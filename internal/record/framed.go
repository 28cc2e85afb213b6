package record

// Messages is the format of records that stand alone, in something that calls them so.
func Messages(f Format) Format { return messages{f} }

type messages struct{ Format }

func (messages) Unit() string { return "message" }

// Confluent is the format of records with five bytes before what f reads: a zero and the number of
// a schema in a registry, as the serializers of Confluent write them. Records leave as they came.
func Confluent(f Format) Format { return confluent{f} }

type confluent struct{ Format }

// confluentHead is how many bytes stand before a value.
const confluentHead = 5

func (f confluent) NewParser(names ...string) Parser {
	return confluentParser{f.Format.NewParser(names...)}
}

type confluentParser struct{ Parser }

func (p confluentParser) Text(message []byte) ([]byte, Problem) {
	if len(message) == 0 { // a tombstone
		return p.Parser.Text(message)
	}
	if len(message) < confluentHead || message[0] != 0 {
		return nil, Problem{kind: KindNotFramed}
	}
	return p.Parser.Text(message[confluentHead:])
}

func (p confluentParser) Find(message []byte) {
	p.Parser.Find(message[min(len(message), confluentHead):])
}

func (p confluentParser) Value(i int, of View) []byte {
	if len(of.Body) < confluentHead || of.Body[0] != 0 {
		return nil
	}
	of.Body = of.Body[confluentHead:]
	return p.Parser.Value(i, of)
}

// Framed is the format of records whose text a RecordReader has already taken out of them. unit is
// what one is called, and fields is what problems may speak of.
func Framed(unit string, fields []string) Format { return framed{name: unit, fields: fields} }

// Rows is the format of rows of tables, whose texts are in the given fields. Their RecordReaders
// are Namers.
func Rows(fields []string) Format { return framed{name: "row", fields: fields, rows: true} }

// FramedBy is the format of records that a RecordReader hands over as they are, for workers to take
// out the text, and the values of the named fields.
func FramedBy(unit string, newText func() RecordText, named ...string) Format {
	return framed{name: unit, newText: newText, named: named}
}

// A RecordText knows where the text of a record is. It may own scratch memory: one for each
// goroutine.
type RecordText interface {
	// Text returns the text, unless the record has a problem. It may be part of the record, and is
	// good until Release, which lets go of scratch memory that a long record needed.
	Text(record []byte) ([]byte, Problem)
	Release()
	// AppendJSON appends the record as a JSON object, for Options.Convert.
	AppendJSON(dst, record []byte) []byte
	// AppendValue appends the value that the object has for a named field, or nothing if it has
	// none.
	AppendValue(dst, record []byte, field string) []byte
}

type framed struct {
	plainText
	name    string
	fields  []string
	newText func() RecordText // nil if the reader hands over the text
	named   []string          // the fields that newText knows
	rows    bool              // the reader is a Namer
}

func (f framed) Unit() string             { return f.name }
func (f framed) fieldNames() []string     { return f.fields }
func (framed) newLiterals() literalFinder { return nil }

func (f framed) NewParser(names ...string) Parser {
	switch {
	case f.rows:
		return providedParser{textParser(f.plainText)}
	case f.newText == nil:
		return f.plainText.NewParser()
	case len(f.fields) > 0:
		return &valuesParser{of: f.newText(), fields: f.fields, textValues: f.newTextValues(names)}
	}
	return framedParser{of: f.newText(), textValues: f.newTextValues(names)}
}

func (f framed) NewConverter() func(dst, record []byte, t *Table) []byte {
	if f.newText == nil {
		return nil
	}
	text := f.newText()
	return func(dst, record []byte, _ *Table) []byte {
		defer text.Release()
		return append(text.AppendJSON(dst, record), '\n')
	}
}

type framedParser struct {
	textParser
	*textValues
	of RecordText
}

func (p framedParser) Value(i int, of View) []byte { return p.textValues.Value(i, of) }

func (p framedParser) Text(record []byte) ([]byte, Problem) { return p.of.Text(record) }
func (p framedParser) Release()                             { p.of.Release() }
