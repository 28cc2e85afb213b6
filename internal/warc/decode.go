package warc

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"net/http/httputil"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// maxEncodings is the maximum number of encodings of a body.
const maxEncodings = 8

// A decoder decodes HTTP bodies.
type decoder struct {
	bodyBuffers
	zstd *zstd.Decoder // nil before first use
}

// decode returns the body of a payload without its transfer and content encodings. Crawlers often
// store decoded bodies with the original header fields, so a body that is certainly not encoded as
// they say is returned unchanged.
func (d *decoder) decode(p payload) ([]byte, record.Problem) {
	var encodings []string // in the order of decoding
	for _, field := range []string{"transfer-encoding", "content-encoding"} {
		from := len(encodings)
		for name, value := range fields(p.http) {
			if isName(name, field) {
				for e := range strings.SplitSeq(strings.ToLower(string(value)), ",") {
					encodings = append(encodings, strings.TrimSpace(e))
				}
			}
		}
		slices.Reverse(encodings[from:])
	}
	if len(encodings) > maxEncodings {
		return nil, record.BadPayload
	}
	body := p.body
	for _, encoding := range encodings {
		var problem record.Problem
		if body, problem = d.undo(encoding, body); problem != (record.Problem{}) {
			return nil, problem
		}
	}
	return body, record.Problem{}
}

// undo undoes one encoding. A truncated body, as crawlers cut long ones, yields what is there.
func (d *decoder) undo(encoding string, body []byte) ([]byte, record.Problem) {
	r, err := d.decoderOf(encoding, body)
	if r == nil || err != nil {
		return body, record.Problem{} // an unknown encoding, or not its header
	}
	defer r.Close()
	decoded, err := d.readAll(r)
	switch {
	case d.isFull(decoded):
		return nil, record.TooLong
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF) && len(decoded) > 0:
		return decoded, record.Problem{}
	case len(decoded) == 0 && (encoding == "chunked" || utf8.Valid(body)):
		return body, record.Problem{} // it is text already
	}
	return nil, record.BadPayload
}

// decoderOf returns a reader of a decoded body, or nil if the encoding is unknown or changes
// nothing.
func (d *decoder) decoderOf(encoding string, body []byte) (io.ReadCloser, error) {
	src := bytes.NewReader(body)
	switch encoding {
	case "chunked":
		return io.NopCloser(httputil.NewChunkedReader(src)), nil
	case "gzip", "x-gzip":
		return gzip.NewReader(src)
	case "deflate": // some servers send it without the required header
		if z, err := zlib.NewReader(src); err == nil {
			return z, nil
		}
		return flate.NewReader(bytes.NewReader(body)), nil
	case "br":
		return io.NopCloser(brotli.NewReader(src)), nil
	case "zstd":
		return d.zstdOf(src)
	}
	return nil, nil
}

// mostZstdWindow is the largest zstd window of an HTTP encoding (RFC 9659).
const mostZstdWindow = 8 << 20

// zstdOf returns the zstd decoder, which owns its memory, for src.
func (d *decoder) zstdOf(src io.Reader) (_ io.ReadCloser, err error) {
	if d.zstd != nil {
		return io.NopCloser(d.zstd), d.zstd.Reset(src)
	}
	d.zstd, err = zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostZstdWindow))
	return io.NopCloser(d.zstd), err
}
