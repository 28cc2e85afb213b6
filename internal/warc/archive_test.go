package warc

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// recordOf writes a record with CRLF.
func recordOf(kind, contentType, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://valley.example/%d\r\nContent-Type: "+
		"%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, len(block), contentType, len(block), block)
}

func conversion(text string) string { return recordOf("conversion", "text/plain", text) }

// response is the record of an answer whose fields end with newlines.
func response(fields, body string) string {
	return recordOf("response", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\n"+fields+"\r\n"+body)
}

// member compresses.
func member(content string) string {
	return string(compress.NewPacker(1).Append(nil, []byte(content)))
}

func zstandard(t testing.TB, content string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(content), nil))
}

func open(t testing.TB, file io.Reader, most int) *Reader {
	t.Helper()
	src, err := compress.NewMemberReader(io.NopCloser(file), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(src, most)
}

// A found record is one that was read, with copies of its bytes.
type found struct {
	Record
	bytes string
}

// readAll reads all records, and those that are too long in pieces.
func readAll(r *Reader) (records []found, err error) {
	for {
		buf, rec, err := r.Next([]byte("before"))
		rec.Member = bytes.Clone(rec.Member)
		for last := !rec.Long; err == nil && !last; {
			buf, last, rec.Added, err = r.More(buf, 1000)
		}
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, found{rec, string(buf[len("before"):])})
	}
}
