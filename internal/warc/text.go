package warc

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// Format returns the format for records of up to most bytes. Its fields are the members of their
// JSON objects: id, type, url, date and language.
func Format(most int) record.Format {
	shared := newBudget(most)
	return record.FramedBy("record", func() record.RecordText { return newText(shared) }, named...)
}

// text extracts the texts of records. It holds scratch memory, so each goroutine needs its own.
type text struct {
	decoder
}

func newText(b *budget) *text { return &text{decoder{bodyBuffers: bodyBuffers{budget: b}}} }

// A payload is a document with its metadata.
type payload struct {
	contentType string
	body        []byte
	http        []byte // the fields of the HTTP response that it is the body of
}

// payloadOf returns the payload of a record.
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
	_, message := cutLine(block) // the status line
	p := payload{http: message, body: afterHeader(message)}
	for name, value := range fields(message) {
		if isName(name, "content-type") {
			p.contentType = string(value)
		}
	}
	return h, p
}

// Text returns the text of a record's payload, in UTF-8.
func (t *text) Text(whole []byte) ([]byte, record.Problem) {
	h, p := payloadOf(whole)
	body, problem := t.decode(p)
	if problem != (record.Problem{}) {
		return nil, problem
	}
	if !isText(p.contentType, body) {
		return nil, record.NoText
	}
	if isName(h.kind, "conversion") && !strings.Contains(p.contentType, "charset") {
		return body, record.Problem{} // UTF-8, by default
	}
	return t.toUTF8(body, p.contentType)
}

// Release frees the memory used by a long text.
func (t *text) Release() { t.leave() }

// isText distinguishes texts from images and programs, by the type that the server sent or else by
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

// toUTF8 returns body in UTF-8. The encoding is given by a byte order mark, the content type or the
// page itself; otherwise it is UTF-8 if all of body is valid, else what browsers would assume.
func (t *text) toUTF8(body []byte, contentType string) ([]byte, record.Problem) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body) {
		return body, record.Problem{}
	}
	converted, err := t.transform(encoding.NewDecoder(), body)
	switch {
	case err != nil:
		return body, record.Problem{} // cannot happen, since decoders replace what is invalid
	case t.isFull(converted):
		return nil, record.TooLong
	}
	return bytes.TrimPrefix(converted, []byte("\ufeff")), record.Problem{}
}

// named are the members of a record's JSON object, from its header.
var named = []string{"id", "type", "url", "date", "language"}

// value returns the value of a named field, or nil if the record does not have it.
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

// AppendValue appends the value of one of the named fields.
func (t *text) AppendValue(dst, record []byte, field string) []byte {
	h := readHeader(bytes.TrimLeft(record, "\r\n"))
	if value := h.value(field); value != nil {
		dst = jsontext.AppendQuoted(dst, value)
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
			dst = append(jsontext.AppendQuoted(dst, value), ',')
		}
	}
	body, _ := t.Text(record) // empty if there is no text
	return append(jsontext.AppendQuoted(append(dst, `"text":`...), body), '}')
}
