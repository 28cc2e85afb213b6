package warc

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A header holds the relevant fields at the beginning of a record. The values alias it.
type header struct {
	kind, contentType       []byte
	id, uri, date, language []byte
	length                  []byte

	digest []byte // of the payload
	// of a revisit: the record that holds the content
	refersTo, refersToURI, refersToDate []byte
}

// readHeader parses a header: a line with the version, a line for each field, and a blank line.
// Lines end with CRLF or LF.
func readHeader(head []byte) (h header) {
	_, head = cutLine(head)
	for name, value := range fields(head) {
		if to := h.field(name); to != nil && *to == nil {
			*to = value
		}
	}
	return h
}

// field returns a pointer to the value of a field, or nil if the field is not used.
func (h *header) field(name []byte) *[]byte {
	for _, f := range []struct {
		name string
		to   *[]byte
	}{
		{"warc-type", &h.kind}, {"content-type", &h.contentType}, {"content-length", &h.length}, {"warc-record-id",
			&h.id},
		{"warc-target-uri", &h.uri}, {"warc-date", &h.date}, {"warc-identified-content-language", &h.language},
		{"warc-payload-digest", &h.digest}, {"warc-refers-to", &h.refersTo},
		{"warc-refers-to-target-uri", &h.refersToURI}, {"warc-refers-to-date", &h.refersToDate},
	} {
		if isName(name, f.name) {
			return f.to
		}
	}
	return nil
}

// isName compares a name with a lower-case one, ignoring case.
func isName(name []byte, lower string) bool {
	return len(name) == len(lower) && bytes.EqualFold(name, []byte(lower))
}

// blockLength returns the Content-Length.
func (h *header) blockLength() (int64, bool) {
	n, err := strconv.ParseUint(string(h.length), 10, 62)
	return int64(n), err == nil
}

// fields iterates over the fields of a header, between its first line and its blank line. It drops
// continuation lines.
func fields(head []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for len(head) > 0 {
			var line []byte
			line, head = cutLine(head)
			if len(line) == 0 {
				return
			}
			name, value, found := bytes.Cut(line, []byte(":"))
			if found && len(name) > 0 && name[0] > ' ' &&
				!yield(bytes.TrimRight(name, " \t"), bytes.Trim(value, " \t")) {
				return
			}
		}
	}
}

// cutLine returns the first line, without its end, and what follows.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// afterHeader returns what follows the blank line after the fields.
func afterHeader(b []byte) []byte {
	for len(b) > 0 {
		var line []byte
		if line, b = cutLine(b); len(line) == 0 {
			break
		}
	}
	return b
}

// isDocument reports whether the record should be judged. Requests, metadata, revisits and other
// types contain nothing that could be a duplicate.
func (h *header) isDocument() bool {
	switch {
	case isName(h.kind, "conversion"), isName(h.kind, "resource"):
		return true
	case isName(h.kind, "response"):
		return isHTTP(h.contentType)
	}
	return false
}

// names returns the names by which revisits refer to the record, the surest first: its id, its URL
// and date, and the digest of its payload.
func (h *header) names() (n stream.Names) {
	switch {
	case isName(h.kind, "response"), isName(h.kind, "resource"):
		return namesOf(h.id, h.uri, h.date, h.digest)
	}
	return n
}

// original returns the names of the record that a revisit refers to. The digest of a revisit is
// the same as that of its original. It identifies content rather than a record, so it is used only
// if the header names no record.
func (h *header) original() (n stream.Names) {
	if !isName(h.kind, "revisit") {
		return n
	}
	if n = namesOf(h.refersTo, h.refersToURI, h.refersToDate, nil); n == (stream.Names{}) {
		n = namesOf(nil, nil, nil, h.digest)
	}
	return n
}

func namesOf(id, uri, date, digest []byte) (n stream.Names) {
	if len(id) > 0 {
		n[0] = xxh3.HashSeed(inner(id), 1)
	}
	if len(uri) > 0 && len(date) > 0 {
		n[1] = xxh3.HashSeed(inner(uri), 2) ^ xxh3.HashSeed(date, 3)
	}
	if len(digest) > 0 {
		n[2] = xxh3.HashSeed(digest, 4)
	}
	return n
}

// inner returns an id or a URL without the brackets that some programs write around it.
func inner(uri []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(uri, []byte("<")), []byte(">"))
}

// isHTTP reports whether a block is an HTTP message. Others are, for example, DNS responses.
func isHTTP(contentType []byte) bool {
	kind, _, _ := bytes.Cut(contentType, []byte(";"))
	return isName(bytes.TrimSpace(kind), "application/http")
}
