package record

import (
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// ByValues is a format that FramedBy has made, whose texts are the values of some of its named
// fields, joined as Exact joins them. Where a name ends with a question mark, the value may be
// absent.
func ByValues(f Format, fields []string) Format {
	if of, ok := f.(framed); ok && of.newText != nil {
		of.fields = fields
		return of
	}
	return f
}

// valuesParser finds the values of named fields.
type valuesParser struct {
	textParser
	*textValues
	of           RecordText
	fields       []string
	value, plain []byte // scratch: a value as JSON, and what that says
	key          []byte
	skipped      Omissions
}

func (p *valuesParser) Text(record []byte) ([]byte, Problem) {
	p.key, p.skipped = p.key[:0], Omissions{}
	problem := NoText
	for i := len(p.fields) - 1; i >= 0; i-- {
		if !strings.HasSuffix(p.fields[i], "?") {
			problem = Problem{KindNoField, uint16(i)}
		}
	}
	for i, field := range p.fields {
		if i > 0 {
			p.key = append(p.key, '\n')
		}
		name, isOptional := strings.CutSuffix(field, "?")
		switch p.value = appendFirst(p.of, p.value[:0], record, name); {
		case len(p.value) == 0 && !isOptional:
			p.skipped.add(omittedMissing, i, 1)
			fallthrough
		case len(p.value) == 0:
			p.key = append(p.key, `\-`...)
			continue
		}
		if p.plain = append(p.plain[:0], p.value...); p.value[0] == '"' {
			p.plain = jsontext.AppendUnquoted(p.plain[:0], p.value)
		}
		if problem = (Problem{}); len(p.fields) == 1 {
			p.key = appendAlone(p.key, p.plain)
		} else {
			p.key = appendPart(p.key, p.plain)
		}
	}
	if !problem.IsReadable() {
		p.skipped = Omissions{}
	}
	return p.key, problem
}

func (p *valuesParser) Value(i int, of View) []byte { return p.textValues.Value(i, of) }
func (p *valuesParser) Omissions() Omissions        { return p.skipped }
func (p *valuesParser) Release()                    { p.key = KeepScratch(p.key) }
