package warc

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

const river = "The river rises in a meadow. Der Fluß entspringt auf einer Wiese."

func encoded(newWriter func(io.Writer) io.WriteCloser, text string) string {
	var b bytes.Buffer
	w := newWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func chunked(text string) string {
	return fmt.Sprintf("%x;name=value\r\n%s\r\n%X\r\n%s\r\n0\r\nField: x\r\n\r\n", 5, text[:5], len(text)-5, text[5:])
}

func TestTexts(t *testing.T) {
	zipped := member(river)
	deflated := encoded(func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 5); return z }, river)
	brotlied := encoded(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }, river)
	latin := strings.ReplaceAll(river, "ß", "\xdf")
	const plain, page = "Content-Type: text/plain\r\n", "Content-Type: text/html\r\n"
	long := encoded(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, strings.Repeat("x", limit+1))
	for name, c := range map[string]struct {
		record string
		want   string
		or     record.Problem
	}{
		"conversion":                   {record: conversion(river), want: river},
		"conversion that is not UTF-8": {record: conversion(latin), want: latin},
		"conversion of another charset": {record: recordOf("conversion", "text/plain; charset=iso-8859-1", latin),
			want: river},
		"conversion into a picture":  {record: recordOf("conversion", "image/png", "\x89PNG"), or: record.NoText},
		"with blank lines before it": {record: "\r\n\n" + conversion(river), want: river},
		"with line feeds alone":      {record: strings.ReplaceAll(conversion(river), "\r", ""), want: river},
		"resource":                   {record: recordOf("resource", "text/markdown", river), want: river},
		"response":                   {record: response(plain, river), want: river},
		"response without a type":    {record: response("", river), want: river},
		"response that is a picture": {record: response("Content-Type: image/jpeg\r\n", river),
			or: record.NoText},
		"response that must be a picture": {record: response("", "\x89PNG\r\n\x1a\n"), or: record.NoText},
		"response that is JSON": {record: response("content-type:application/feed+json ;charset=utf-8\r\n",
			river), want: river},
		"response without a body": {record: recordOf("response", "application/http", "HTTP/1.1 200 OK"),
			want: ""},
		"response with line feeds alone": {record: recordOf("response", "application/http",
			"HTTP/1.1 200 OK\nContent-Type: text/plain\n\n"+river), want: river},
		"response with fields that are bad": {record: response(": x\r\nno field\r\n"+plain, river), want: river},
		"gzip": {record: response(plain+"Content-Encoding: gzip\r\n", zipped),
			want: river},
		"gzip in upper case": {record: response(plain+"CONTENT-ENCODING: X-GZIP\r\n", zipped),
			want: river},
		"gzip, chunked": {record: response(plain+
			"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", chunked(zipped)), want: river},
		"gzip and chunked as transfer": {record: response(plain+"Transfer-Encoding: gzip, chunked\r\n",
			chunked(zipped)), want: river},
		"deflate": {record: response(plain+"Content-Encoding: deflate\r\n",
			encoded(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, river)), want: river},
		"deflate without a head": {record: response(plain+"Content-Encoding: deflate\r\n", deflated),
			want: river},
		"brotli": {record: response(plain+"Content-Encoding: br\r\n", brotlied),
			want: river},
		"zstd": {record: response(plain+"Content-Encoding: zstd\r\n", zstandard(t, river)),
			want: river},
		"gzip that is undone already":   {record: response(plain+"Content-Encoding: gzip\r\n", river), want: river},
		"brotli that is undone already": {record: response(plain+"Content-Encoding: br\r\n", river), want: river},
		"deflate that is undone already": {record: response(plain+"Content-Encoding: deflate\r\n", river),
			want: river},
		"chunks that are undone already": {record: response(plain+"Transfer-Encoding: chunked\r\n", river),
			want: river},
		"an encoding that is none": {record: response(plain+"Content-Encoding: utf-8, identity\r\n", river),
			want: river},
		"chunks that break off": {record: response(plain+"Transfer-Encoding: chunked\r\n",
			"5\r\nriver\r\n50\r\nmeadow"), want: "rivermeadow"},
		"chunks that are bad": {record: response(plain+"Transfer-Encoding: chunked\r\n",
			"5\r\nriver\r\nmeadow\r\n"), or: record.BadPayload},
		"gzip that breaks off": {record: response(plain+"Content-Encoding: gzip\r\n",
			zipped[:len(zipped)-4]), want: river},
		"gzip that is bad": {record: response(plain+"Content-Encoding: gzip\r\n",
			zipped[:len(zipped)-4]+"four"), or: record.BadPayload},
		"gzip of more than is allowed": {record: response(plain+"Content-Encoding: gzip\r\n", long),
			or: record.TooLong},
		"too many encodings": {record: response(plain+"Content-Encoding: "+
			strings.Repeat("gzip,", 9)+"\r\n", river), or: record.BadPayload},
		"a charset that the server names": {record: response("Content-Type: text/plain; charset=ISO-8859-1\r\n",
			latin), want: river},
		"a charset that the page names": {record: response(page, `<meta charset="windows-1252">`+latin), want: `<meta charset="windows-1252">` + river},
		"no charset, and not UTF-8":     {record: response(page, latin), want: river},
		"no charset, and late UTF-8": {record: response(page, strings.Repeat(" ", 2000)+river),
			want: strings.Repeat(" ", 2000) + river},
		"UTF-16": {record: response(page, "\xff\xfeR\x00i\x00v\x00e\x00r\x00"),
			want: "River"},
		"Shift JIS": {record: response("Content-Type: text/html; charset=Shift_JIS\r\n",
			"\x90\xec"), want: "川"},
	} {
		tx := newText(newBudget(limit))
		got, problem := tx.Text([]byte(c.record))
		if string(got) != c.want || problem != c.or {
			t.Errorf("%s: %.80q, %+v; want %.80q, %+v", name, got, problem, c.want, c.or)
		}
	}
}

func TestARecordAsJSON(t *testing.T) {
	tx := newText(newBudget(limit))
	rec := strings.Replace(conversion("\"river\"\n"), "WARC-Target-URI: http://valley.example/8",
		"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: <http://valley.example/>\r\nWARC-Date: "+
			"2026-01-02T03:04:05Z\r\nWARC-Identified-Content-Language: eng", 1)
	want := `{"id":"<urn:uuid:1>","type":"conversion","url":"http://valley.example/","date":"2026-01-02T03:04:05Z","language":"eng","text":"\"river\"\n"}`
	if got := tx.AppendJSON(nil, []byte(rec)); string(got) != want {
		t.Errorf("%s", got)
	}
	want = `{"type":"response","url":"http://valley.example/45","text":""}`
	if got := tx.AppendJSON(nil, []byte(response("Content-Type: image/png\r\n", "x"))); string(got) != want {
		t.Errorf("%s", got)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		conversion(river), response("Content-Encoding: gzip\r\n",
			member(river)), response("Transfer-Encoding: chunked\r\n", chunked(river)),
		response("Content-Encoding: br\r\n", "\x8b\x02\x80river\x03"), response("Content-Encoding: deflate, "+
			"zstd\r\nContent-Type: text/html; charset=shift_jis\r\n", river),
	} {
		f.Add([]byte(seed))
	}
	tx := newText(newBudget(1 << 16))
	f.Fuzz(func(t *testing.T, whole []byte) {
		body, problem := tx.Text(whole)
		tx.Release()
		if len(body) > 3<<16+3*len(whole) || problem != (record.Problem{}) && len(body) > 0 {
			t.Errorf("%d bytes, %v", len(body), problem)
		}
		if json := tx.AppendJSON(nil, whole); !utf8.Valid(json) || bytes.ContainsAny(json, "\n") {
			t.Errorf("%q", json)
		}
	})
}
