package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
)

// Beginning says, from the first bytes of a file without records, what it is and what to do with
// it. It returns "" if it does not recognize such a file.
func Beginning(head []byte) (advice string) {
	if sketchfile.Begins(head) {
		return "it is a sketch file: give it to dedup or groups, or give the file of its records here"
	}
	for _, b := range beginnings {
		if bytes.HasPrefix(head, []byte(b.bytes)) {
			return b.advice
		}
	}
	text := bytes.ToLower(trimmed(head[:min(len(head), 512)]))
	for _, b := range documents {
		if bytes.HasPrefix(text, []byte(b.text)) {
			return b.advice
		}
	}
	return ""
}

// trimmed returns an input's beginning without byte order mark and leading white space.
func trimmed(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
}

// beginnings lists the first bytes of files that cannot be read as they are. Archives and streams
// that have to be decompressed are refused where they are opened.
var beginnings = []struct{ bytes, advice string }{
	{"\xff\xfe", "it is UTF-16: give --encoding utf-16"},
	{"\xfe\xff", "it is UTF-16: give --encoding utf-16"},
	{"%PDF-", "it is a PDF: take the text out of it first"},
	{"ORC", "it is an ORC file: convert it to Parquet or JSON Lines"},
	{"\x1e", "it is a sequence of JSON texts (RFC 7464): add --format json"},
	{"filedesc://", "it is an ARC file of the Internet Archive: convert it to WARC, as warcio recompress does"},
	{"{\\rtf", "it is an RTF document: take the text out of it first"},
	{"Salted__", encrypted}, // openssl enc
	{"age-encryption.org/", encrypted},
	{"-----BEGIN PGP MESSAGE", encrypted},
}

const encrypted = "it is encrypted: decrypt it first"

// documents lists, in lower case, the beginnings of texts that are not records. White space may
// precede them.
var documents = []struct{ text, advice string }{
	{"<!doctype html", page},
	{"<html", page},
	{"<?xml", "it is XML, as are the errors of buckets: get the file again, or take its records out of it first"},
}

const page = "it is an HTML page, which servers often send in place of a file: get the file again; or add " +
	"--format file, if pages are to be compared"

// mailboxLine matches the line before each mail of a mailbox (RFC 4155).
const mailboxLine = `^From \S+ .*\d`

// logLine matches the beginnings of lines that carry their time: ISO 8601, syslog's two forms (RFC
// 3164, RFC 5424), the common log format of web servers, and times in brackets.
const logLine = `^(<\d{1,3}>\d* ?)?\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|` +
	`([A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )|` +
	`^\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d`

func matches(expression string, line []byte) bool { return regexp.MustCompile(expression).Match(line) }

// DescribeInput says what an input is, judging by its beginning, and what to do with it. auto is
// the field that --field auto would choose for its first records, if any.
func DescribeInput(head []byte, format string, fields, auto []string) string {
	if advice := Beginning(head); advice != "" {
		return advice
	}
	if what, name := layout.Detect(head); name != "" {
		return "it is " + what + ": add --format " + name
	}
	text := trimmed(head)
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSpace(line)
	names := MemberNames(line)
	switch {
	case isUTF16(head):
		return "it is UTF-16: give --encoding utf-16le"
	case bytes.IndexByte(head, 0) >= 0:
		return "it has NUL bytes, so it is not text"
	case format == "tsv" && bytes.Contains(head, []byte("\t\"")):
		return "add --quoted, if its fields are quoted, or give --field"
	case len(text) == 0 || !layout.IsObjects(format):
		return ""
	case len(names) > 0 && isFollowed(line):
		return "something follows the object on the first line: write one object a line, as with jq -c ."
	case len(names) > 0 && arrayIn(text) != "" && (len(auto) == 0 || strings.HasPrefix(auto[0], arrayIn(text)+"[].")):
		return fmt.Sprintf("the records may be those of the array %q in it: add --records %[1]s", arrayIn(text))
	case len(names) > 0:
		return otherField(names, missing(fields, names), auto)
	case text[0] == '[' && format == "jsonl":
		return "it begins like an array: add --format json"
	case text[0] == '{' && len(rest) > 0 && MemberNames(text) != nil, len(line) == 1 && line[0] == '{':
		return "its objects span several lines: add --format json"
	case text[0] != '{' && matches(mailboxLine, line):
		return "it looks like a mailbox: add --format text --multiline '^From '"
	case text[0] != '{' && matches(logLine, line):
		return "it looks like a log: add --preset logs, for which lines that differ in numbers, addresses and times " +
			"are the same, or --format text"
	case text[0] != '{' && bytes.ContainsAny(line, ",;\t|"):
		return "its first line is not JSON, but could be the header of a table: add --format csv or tsv"
	case text[0] != '{':
		return "its first line is not JSON: add --format text if each line is a text"
	}
	return ""
}

// arrayIn returns the name of the only member of an object that is a list of objects, or "" unless
// there is exactly one.
func arrayIn(text []byte) (name string) {
	var object map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(jsontext.WithoutNonFinite(text))).Decode(&object) != nil {
		return ""
	}
	for key, value := range object {
		var list []map[string]json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			continue
		}
		if name != "" {
			return ""
		}
		name = key
	}
	return name
}

// otherField lists the members of the first record, and says how to name the field with the text.
// missing are the fields that were looked for but are not there.
func otherField(names, missing, auto []string) string {
	advice := "the first record has the members " + strings.Join(names, ", ")
	if len(missing) > 0 {
		advice += ", not " + strings.Join(missing, " and ")
	}
	advice += ": give --field"
	if len(auto) > 0 {
		advice += ", or --field auto, which takes " + strings.Join(auto, ", ")
	}
	return advice
}

// isUTF16 reports whether head is little-endian UTF-16 without a byte order mark. The zero bytes in
// a brace or bracket and in the character after it are unmistakable.
func isUTF16(head []byte) bool {
	return len(head) > 3 && (head[0] == '{' || head[0] == '[') && head[1] == 0 && head[2] != 0 && head[3] == 0
}

// MemberNames returns the names of the members of the object that text begins with, quoted and
// sorted, at most 20 of them. It returns nil if text does not begin with a complete object.
func MemberNames(text []byte) []string {
	d := json.NewDecoder(bytes.NewReader(jsontext.WithoutNonFinite(text)))
	var object map[string]json.RawMessage
	if d.Decode(&object) != nil {
		return nil
	}
	names := []string{}
	for name := range object {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	const most = 20
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return names
}

// isFollowed reports whether anything follows the object that a line begins with.
func isFollowed(line []byte) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	var object json.RawMessage
	return d.Decode(&object) == nil && len(bytes.TrimSpace(line[d.InputOffset():])) > 0
}

// missing returns the fields, in quotes, that are not among the members of a record.
func missing(fields, members []string) []string {
	return slices.DeleteFunc(Quoted(fields), func(field string) bool { return slices.Contains(members, field) })
}

// Quoted returns names in quotes, for a message.
func Quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}
