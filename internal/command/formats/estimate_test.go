package formats

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	encoding "encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// hex is text that cannot be compressed to less than half.
func hex(random *rand.Rand, digits int) string {
	var s []byte
	for len(s) < digits {
		s = encoding.AppendEncode(s, binary.BigEndian.AppendUint64(nil, random.Uint64()))
	}
	return string(s[:digits])
}

// many writes records of that many bytes.
func many(size int, record func(n int, random *rand.Rand) string) (all []byte, records int) {
	random := rand.New(rand.NewPCG(1, 0))
	for len(all) < size {
		all = append(all, record(records, random)...)
		records++
	}
	return all, records
}

func TestEstimate(t *testing.T) {
	lines := func(n int, random *rand.Rand) string { return `{"text":"` + hex(random, 400+n%200) + "\"}\n" }
	growing := func(n int, random *rand.Rand) string { return hex(random, 200+n/20) + "\n" }
	cells := func(n int, random *rand.Rand) string { return "\"a\nb\n\nc\"," + hex(random, 300) + "\n" }
	elements := func(_ int, random *rand.Rand) string {
		return "{\n\"text\": \"" + hex(random, 500) + "\"\n},\n"
	}
	archived := func(n int, random *rand.Rand) string {
		const head = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 2000\r\n\r\n"
		return head + hex(random, 2000) + "\r\n\r\n"
	}
	for i, c := range []struct {
		name    string
		record  func(int, *rand.Rand) string
		before  string
		after   string
		gzipped bool
		within  float64
	}{
		{"lines.jsonl", lines, "", "", false, .01},
		{"lines.jsonl.gz", lines, "", "", true, .02},
		{"growing.txt", growing, "", "", false, .1}, // its first records are the shortest
		{"array.json", elements, "[", "{}]", false, .01},
		{"cells.csv", cells, "text,more\n", "", false, .01},
		{"pages.warc.gz", archived, "", "", true, .02},
	} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		size := leastEstimated
		if c.gzipped {
			size *= 2
		}
		all, records := many(size, c.record)
		all = append([]byte(c.before), append(all, c.after...)...)
		path := filepath.Join(t.TempDir(), c.name)
		if c.gzipped {
			all = zipped(t, all)
		}
		if err := os.WriteFile(path, all, 0o666); err != nil {
			t.Fatal(err)
		}
		got := estimate(t, layout.Settings{Lines: layout.Lines{Separator: "\n"}}, streams(), path)
		if math.Abs(got/float64(records)-1) > c.within {
			t.Errorf("%s: %.0f records of %d", c.name, got, records)
		}
	}
}

func TestEstimateOfSeveralInputs(t *testing.T) {
	all, records := many(leastEstimated*3/2, func(n int, random *rand.Rand) string {
		return hex(random, 100+n%100) + "\n"
	})
	dir := t.TempDir()
	var paths []string
	for i := range 20 {
		path := filepath.Join(dir, fmt.Sprintf("%02d.txt", i))
		if err := os.WriteFile(path, all[len(all)*i/20:len(all)*(i+1)/20], 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	got := estimate(t, layout.Settings{Lines: layout.Lines{Separator: "\n"}}, streams(), paths...)
	if math.Abs(got/float64(records)-1) > .02 {
		t.Errorf("%.0f records of %d", got, records)
	}

	// standard input that is a file counts from where it stands
	in, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	whole := filepath.Join(dir, "whole.txt")
	if err := os.WriteFile(whole, all, 0o666); err != nil {
		t.Fatal(err)
	}
	if in, err = os.Open(whole); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	std, half := streams(), int64(len(all)/4)
	if _, err := in.Seek(half, 0); err != nil {
		t.Fatal(err)
	}
	std.In = in
	got = estimate(t, layout.Settings{Name: "text", Lines: layout.Lines{Separator: "\n"}}, std, "-")
	if math.Abs(got/float64(records)*4/3-1) > .03 {
		t.Errorf("of most of standard input: %.0f records of %d", got, records*3/4)
	}
	if at, err := in.Seek(0, 1); err != nil || at != half {
		t.Errorf("standard input stands at %d, %v; it stood at %d", at, err, half)
	}
}

func TestEstimateOfParquet(t *testing.T) {
	var file bytes.Buffer
	b, err := parquet.NewBuilder(&file, []columns.Column{{Name: "text", Kind: columns.String}}, parquet.Form{})
	if err != nil {
		t.Fatal(err)
	}
	random, records := rand.New(rand.NewPCG(1, 0)), 100_000
	for range records {
		b.Bytes([]byte(hex(random, 400)))
		if err := b.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "texts.parquet")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := estimate(t, layout.Settings{}, streams(), path); got != float64(records) {
		t.Errorf("%.0f records of %d", got, records)
	}
}

// TestNoEstimate is of inputs that nobody can tell the size of, and of small ones.
func TestNoEstimate(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small.txt")
	if err := os.WriteFile(small, []byte("a\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	std := streams()
	std.In = r
	for _, path := range []string{small, "-"} {
		lines := layout.Settings{Name: "text", Lines: layout.Lines{Separator: "\n"}}
		if got := estimate(t, lines, std, path); got != 0 {
			t.Errorf("%s: %.0f records", path, got)
		}
	}
}

func estimate(t *testing.T, of layout.Settings, std files.Streams, paths ...string) float64 {
	t.Helper()
	ctx := context.Background()
	s, err := Choose(ctx, Request{Settings: of, Paths: paths, MaxRecord: 1 << 20}, std)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return float64(s.Estimate(ctx))
}

func zipped(t *testing.T, all []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is on a server is looked at in a few requests, and some objects say how large all are.
func TestEstimateOfObjects(t *testing.T) {
	all, records := many(leastEstimated/8, func(_ int, random *rand.Rand) string {
		return `{"text":"` + hex(random, 300) + "\"}\n"
	})
	var asked atomic.Int64
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/whole.jsonl" {
			w.Write(all)
			return
		}
		http.ServeContent(w, r, "", time.Unix(0, 0), bytes.NewReader(all))
	})
	server := httptest.NewServer(answer)
	defer server.Close()
	std := streams().Reading(t.Context(), 0, object.Options{})
	var paths []string
	for i := range 40 {
		paths = append(paths, fmt.Sprintf("%s/part-%d.jsonl", server.URL, i))
	}
	got := estimate(t, layout.Settings{}, std, paths...)
	if want := float64(40 * records); math.Abs(got/want-1) > .01 {
		t.Errorf("%.0f records of %.0f", got, want)
	}
	if n := asked.Load(); n > 2*2*sampledInputs { // for their size, and for their beginning
		t.Errorf("%d requests", n)
	}
	onDisk := filepath.Join(t.TempDir(), "more.jsonl")
	if err := os.WriteFile(onDisk, all, 0o666); err != nil {
		t.Fatal(err)
	}
	got = estimate(t, layout.Settings{}, std, append(paths, onDisk)...)
	if want := float64(41 * records); math.Abs(got/want-1) > .01 {
		t.Errorf("beside a file: %.0f records of %.0f", got, want)
	}
	for _, none := range []string{"/whole.jsonl", "/part-1.jsonl"} { // in one piece, and too small
		if got := estimate(t, layout.Settings{}, std, server.URL+none); got != 0 {
			t.Errorf("%s: %.0f records", none, got)
		}
	}
}
