package warc

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Format is the format of records of up to most bytes. What it names are members of their JSON
// objects: id, type, url, date and language.
func Format(most int) stream.Format {
	shared := newBudget(most)
	return stream.FramedBy("record", func() stream.RecordText { return newText(shared) }, named...)
}

// text takes the texts out of records. It has scratch memory: one for each goroutine.
type text struct {
	decoder
}

func newText(b *budget) *text { return &text{decoder{room: room{budget: b}}} }

// A payload is a document, and what is said about it.
type payload struct {
	contentType string
	body        []byte
	http        []byte // the fields of the HTTP response whose body it is
}

// payloadOf returns what a record holds.
func payloadOf(record []byte) (header, payload) {
	record = bytes.TrimLeft(record, "\r\n")
	h := readHeader(record)
	block := afterHeader(record)
	if n, ok := h.blockLength(); ok && n <= int64(len(block)) {
		block = block[:n]
	}
	if !isHTTP(h.contentType) {
		return h, payload{contentType: string(h.contentType), body: block}
	}
	_, message := cutLine(block) // the status
	p := payload{http: message, body: afterHeader(message)}
	for name, value := range fields(message) {
		if isName(name, "content-type") {
			p.contentType = string(value)
		}
	}
	return h, p
}

// Text returns the text of a record's payload, in UTF-8.
func (t *text) Text(record []byte) ([]byte, stream.Problem) {
	h, p := payloadOf(record)
	body, problem := t.decode(p)
	if problem != (stream.Problem{}) {
		return nil, problem
	}
	if !isText(p.contentType, body) {
		return nil, stream.NoText
	}
	if isName(h.kind, "conversion") && !strings.Contains(p.contentType, "charset") {
		return body, stream.Problem{} // UTF-8, as nothing else is said
	}
	return t.toUTF8(body, p.contentType)
}

// Release lets go of the memory that a long text has taken.
func (t *text) Release() { t.leave() }

// isText tells texts from pictures and programs: by the type that the server has named, or else by
// how the body begins.
func isText(contentType string, body []byte) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	if kind == "" || kind == "unknown/unknown" {
		kind = http.DetectContentType(body)
	}
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+json") {
		return true
	}
	switch kind {
	case "application/xml", "application/json", "application/javascript", "application/x-javascript",
		"application/ecmascript":
		return true
	}
	return false
}

// toUTF8 returns body in UTF-8. Its encoding is what a byte order mark, the content type or the
// page itself say, UTF-8 where all of it is that, and else what browsers take it for.
func (t *text) toUTF8(body []byte, contentType string) ([]byte, stream.Problem) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body) {
		return body, stream.Problem{}
	}
	converted, err := t.transform(encoding.NewDecoder(), body)
	switch {
	case err != nil:
		return body, stream.Problem{} // a decoder replaces what it does not know, so this does not happen
	case t.isFull(converted):
		return nil, stream.TooLong
	}
	return bytes.TrimPrefix(converted, []byte("\ufeff")), stream.Problem{}
}

// named are what the header says of a record, as members of its JSON object.
var named = []string{"id", "type", "url", "date", "language"}

// value is the value of a named field; nil if the record does not have it.
func (h *header) value(name string) []byte {
	switch name {
	case "id":
		return h.id
	case "type":
		return h.kind
	case "url":
		return bytes.Trim(h.uri, "<>")
	case "date":
		return h.date
	}
	return h.language
}

// AppendValue appends what the header of a record says for one of the named fields.
func (t *text) AppendValue(dst, record []byte, field string) []byte {
	h := readHeader(bytes.TrimLeft(record, "\r\n"))
	if value := h.value(field); value != nil {
		dst = stream.AppendQuoted(dst, value)
	}
	return dst
}

// AppendJSON appends a record as a JSON object.
func (t *text) AppendJSON(dst, record []byte) []byte {
	h := readHeader(bytes.TrimLeft(record, "\r\n"))
	dst = append(dst, '{')
	for _, name := range named {
		if value := h.value(name); value != nil {
			dst = append(append(append(dst, '"'), name...), `":`...)
			dst = append(stream.AppendQuoted(dst, value), ',')
		}
	}
	body, _ := t.Text(record) // where there is no text it is empty
	return append(stream.AppendQuoted(append(dst, `"text":`...), body), '}')
}
