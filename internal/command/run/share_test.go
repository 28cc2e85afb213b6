package run

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestShareOfInputs: the share of several inputs counts their bytes on disk. A pipe has no share.
func TestShareOfInputs(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for i, size := range []int{100, 300} {
		if err := os.WriteFile(paths[i], make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	std := files.Standard()
	inputs := files.Inputs(paths, std)
	s := &inputShare{paths: paths, std: std}
	s.follow(inputs)
	expect := func(want float64) {
		t.Helper()
		if share, isKnown := s.read(); !isKnown || share != want {
			t.Errorf("share %v, %v, want %v", share, isKnown, want)
		}
	}
	expect(0)
	for i, wants := range [][]float64{{.0625, .25}, {.3125, 1}} {
		in, err := inputs[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, in, 25); err != nil {
			t.Fatal(err)
		}
		expect(wants[0])
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		expect(wants[1])
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	std.In = reader
	piped := &inputShare{paths: []string{paths[0], "-"}, std: std}
	piped.follow([]stream.Input{{}, {}})
	if share, isKnown := piped.read(); isKnown {
		t.Errorf("share %v of a pipe", share)
	}
}
