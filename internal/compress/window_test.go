package compress

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// Streams of a few bytes that take a window of 2 GiB, and a dictionary of 1.5 GiB.
var (
	wideZstd = "28b52ffd00a8" + "210000" + "7b7d0a0a"
	wideXZ   = "fd377a585a000004e6d6b44602002101250000003b787b410100107b2274657874223a226120622063227d0a00000000" +
		"12a3f738f54e5b3100012911320a700e1fb6f37d010000000004595a"
)

func readerOf(t *testing.T, code string, maxWindow int64) (io.ReadCloser, error) {
	t.Helper()
	data, err := hex.DecodeString(code)
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(io.NopCloser(bytes.NewReader(data)), "", maxWindow)
}

func TestWindowsAreBounded(t *testing.T) {
	for code, want := range map[string]WindowError{
		wideZstd: {Format: "zstd", Needed: 2 << 30, Limit: DefaultMaxWindow},
		wideXZ:   {Format: "xz", Needed: 1536 << 20, Limit: DefaultMaxWindow},
	} {
		r, err := readerOf(t, code, 0)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		var refused *WindowError
		if !errors.As(err, &refused) || *refused != want {
			t.Errorf("%s: got error %v, want %v", want.Format, err, &want)
		}
		if r, err = readerOf(t, code, want.Needed); err == nil {
			var data []byte
			if data, err = io.ReadAll(r); err == nil && len(data) == 0 {
				err = errors.New("nothing is in it")
			}
		}
		if err != nil {
			t.Errorf("%s: with as large a window as it asks for: %v", want.Format, err)
		}
	}
}

// A stream that asks for a window behind a smaller one, in a frame that nothing is known of.
func TestLaterWindow(t *testing.T) {
	small := "28b52ffd0058" + "190000" + "61620a" // window 2 MiB
	r, err := readerOf(t, small+wideZstd, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	var refused *WindowError
	if !errors.As(err, &refused) || refused.Needed != 0 || !strings.Contains(err.Error(), "more than the 128 MiB") {
		t.Errorf("got error %v", err)
	}
	if string(data) != "ab\n" {
		t.Errorf("read %q before it", data)
	}
}

// Each stream of a file of many small ones does not take memory of its own.
func TestManyStreams(t *testing.T) {
	const one, n = "fd377a585a000004e6d6b4460200210116000000742fe5a30100006100000000052b652e7784023300011901a52c81cc" +
		"1fb6f37d010000000004595a", 500
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := readerOf(t, strings.Repeat(one, n), 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || string(data) != strings.Repeat("a", n) {
		t.Errorf("%d bytes, error %v", len(data), err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
		t.Errorf("%d streams took %d bytes of memory", n, taken)
	}
}
