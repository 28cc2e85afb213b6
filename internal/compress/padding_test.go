package compress

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func member(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// TestPaddedGzip passes over zeros behind members, as gzip does, and over nothing else.
func TestPaddedGzip(t *testing.T) {
	long := strings.Repeat("a line of some length\n", 50_000)
	for _, zeros := range []int{0, 1, 9, 10, 511, 200_000} {
		padding := make([]byte, zeros)
		data := bytes.Join([][]byte{member("one\n"), member(long), nil}, padding)
		path := filepath.Join(t.TempDir(), "x.gz")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []io.ReadCloser{file, io.NopCloser(iotest.HalfReader(bytes.NewReader(data)))} {
			r, err := NewReader(src, "x.gz", 0)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || string(text) != "one\n"+long {
				t.Errorf("%d zeros: %d bytes, %v", zeros, len(text), err)
			}
			r.Close()
		}
		m, err := NewMemberReader(io.NopCloser(bytes.NewReader(data)), "", 0)
		var text []byte
		buf := make([]byte, 4096)
		for members := 0; err == nil || errors.Is(err, ErrEndOfMember); {
			var n int
			if n, err = m.Read(buf); errors.Is(err, ErrEndOfMember) {
				members++
			}
			text = append(text, buf[:n]...)
			if err == io.EOF && members != 2 {
				t.Errorf("%d zeros: %d members", zeros, members)
			}
		}
		if err != io.EOF || string(text) != "one\n"+long {
			t.Errorf("%d zeros, by members: %d bytes, %v", zeros, len(text), err)
		}
	}
	for _, behind := range []string{"x", "\x00x", "\x00\x00\x1f", "\x1f\x8b\x08\x00"} {
		r, err := NewReader(io.NopCloser(strings.NewReader(string(member("one"))+behind)), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if damage := (*DamageError)(nil); !errors.As(err, &damage) || string(text) != "one" {
			t.Errorf("%q behind it: %q, %v", behind, text, err)
		}
	}
}

// TestDictionaryFrame reads frames behind the frame that has their dictionary, as web archives in
// zstd have it.
func TestDictionaryFrame(t *testing.T) {
	var samples [][]byte
	for i := range 50 {
		text := strings.Repeat("WARC/1.0 a header that all records have ", 3) + string(rune('a'+i))
		samples = append(samples, []byte(text))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: 7, Contents: samples, History: bytes.Repeat([]byte("WARC/1.0 a header that all records have "), 4),
		Offsets: [3]int{1, 4, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	with, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary))
	if err != nil {
		t.Fatal(err)
	}
	frame := func(body []byte) []byte {
		head := []byte{0x5d, 0x2a, 0x4d, 0x18, byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), 0}
		return append(head, body...)
	}
	frames := slicesOf(with, "first, WARC/1.0 a header that all records have", "second")
	for name, c := range map[string]struct {
		data []byte
		fine bool
	}{
		"as it is":   {append(frame(dictionary), frames...), true},
		"compressed": {append(frame(plain.EncodeAll(dictionary, nil)), frames...), true},
		"of nothing": {append(frame([]byte("no dictionary")), slicesOf(plain, "first, WARC/1.0 a header that "+
			"all records have", "second")...), true},
		"without one":        {frames, false},
		"with one cut":       {frame(dictionary)[:20], false},
		"with one too large": {append([]byte{0x5d, 0x2a, 0x4d, 0x18, 0, 0, 0, 0xf0}, dictionary...), false},
	} {
		r, err := NewReader(io.NopCloser(bytes.NewReader(c.data)), "x.warc.zst", 0)
		var text []byte
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if got := string(text); c.fine != (err == nil) || c.fine && !strings.HasSuffix(got, "have"+"second") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func slicesOf(z *zstd.Encoder, texts ...string) (frames []byte) {
	for _, text := range texts {
		frames = append(frames, z.EncodeAll([]byte(text), nil)...)
	}
	return frames
}
