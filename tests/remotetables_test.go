package tests

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

// wideTable writes a table of texts, some of which come again, beside noise that is far longer. It
// is made once for all tests.
func wideTable(t *testing.T) (path string, body []byte) {
	t.Helper()
	wide.once.Do(func() { wide.body = makeWideTable(t) })
	if path = filepath.Join(t.TempDir(), "wide.parquet"); wide.body == nil {
		t.Fatal("the table could not be made for another test")
	}
	if err := os.WriteFile(path, wide.body, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, bytes.Clone(wide.body)
}

var wide struct {
	once sync.Once
	body []byte
}

func makeWideTable(t *testing.T) []byte {
	t.Helper()
	noise, raw := rand.NewChaCha8([32]byte{1}), make([]byte, 3000)
	var lines strings.Builder
	for i := range 1500 {
		noise.Read(raw)
		n := i
		if i%5 == 4 {
			n = i / 2
		}
		fmt.Fprintf(&lines, `{"id":%d,"raw":"%x","text":"record %d has words like %x and %x, which %d others lack"}`+"\n",
			i, raw, n, n*7919, n*104729, n*31)
	}
	dir := t.TempDir()
	records, path := filepath.Join(dir, "wide.jsonl"), filepath.Join(dir, "wide.parquet")
	if err := os.WriteFile(records, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runWithCache(t, dir, "", "-q", "--equal", "--field", "raw", "--row-group-rows", "400", "-o", path, records)
	body, err := os.ReadFile(path)
	if r.code != 0 || err != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	return body
}

// A place is where a table can be read from afar.
type place struct {
	address string
	sent    func() int // bytes since it was called last
}

// counting counts the bytes of answers.
type counting struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// webFile serves bytes with ranges, by what is around that; nil is nothing.
func webFile(t *testing.T, body []byte, around func(w http.ResponseWriter, r *http.Request) http.ResponseWriter) place {
	t.Helper()
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = counting{w, &sent}
		w.Header().Set("ETag", `"one"`)
		if around != nil {
			if w = around(w, r); w == nil {
				return
			}
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
	t.Cleanup(server.Close)
	return place{server.URL + "/wide.parquet", func() int { return int(sent.Swap(0)) }}
}

// places have a table at all kinds of places.
func places(t *testing.T, body []byte) map[string]place {
	t.Helper()
	all := map[string]place{"web": webFile(t, body, nil)}
	for scheme, start := range buckettest.Kinds {
		server := start(t)
		server.Set("/bucket/wide.parquet", body)
		all[scheme] = place{scheme + "://bucket/wide.parquet", server.Sent}
	}
	hub := hftest.New(t)
	hub.Commit("org/set", "main", map[string][]byte{"wide.parquet": body})
	var sent atomic.Int64
	hub.Wrap(func(w http.ResponseWriter) http.ResponseWriter { return counting{w, &sent} })
	all["hub"] = place{"hf://datasets/org/set/wide.parquet", func() int { return int(sent.Swap(0)) }}
	return all
}

// unplaced leaves out of a text the name of the table, and the place before it. A regular
// expression takes seconds where the text has megabytes.
func unplaced(text string) string {
	const ofPlaces = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/@._-"
	var left strings.Builder
	for {
		before, after, found := strings.Cut(text, "/wide.parquet")
		if !found {
			left.WriteString(text)
			return left.String()
		}
		left.WriteString(strings.TrimRight(before, ofPlaces))
		text = after
	}
}

// TestOfTablesWhatIsNeededIsFetched: the columns that a command reads, and nothing is copied to a
// file before.
func TestOfTablesWhatIsNeededIsFetched(t *testing.T) {
	local, body := wideTable(t)
	at := places(t, body)
	t.Setenv("TMPDIR", "/none")
	for _, c := range []struct {
		command string
		most    float64 // of the table
		kinds   []string
	}{
		{"sketch -q -o OUT", .2, slices.Collect(maps.Keys(at))},
		{"-q -o OUT --duplicates OUT.2", 1.02, slices.Collect(maps.Keys(at))},
		{"-q --to jsonl -o OUT", 1.02, []string{"hub"}}, {"pairs -q -o OUT", .2, []string{"hub"}},
		{"audit -q", .2, []string{"s3"}}, {"-q --flags OUT", 1.02, []string{"s3"}},
		{"-q --id id --memory exact --output-dir OUT.d --originals OUT", 1.02, []string{"web"}},
	} {
		run := func(from string) (written string) {
			out := filepath.Join(t.TempDir(), "out")
			r := runWithCache(t, out, "", append(strings.Fields(strings.ReplaceAll(c.command, "OUT", out)), from)...)
			if r.code != 0 {
				t.Fatalf("%s of %s: %+v", c.command, from, r)
			}
			kept, _ := os.ReadFile(out)
			more, _ := os.ReadFile(out + ".2")
			return unnamed(r.out) + unplaced(string(kept)+string(more))
		}
		want := run(local)
		for _, kind := range c.kinds {
			from := at[kind]
			from.sent()
			if got := run(from.address); got != want || want == "" {
				t.Errorf("%s of %s: %d bytes, want %d", c.command, kind, len(got), len(want))
			}
			if sent := float64(from.sent()) / float64(len(body)); sent > c.most || sent < .01 {
				t.Errorf("%s of %s: %.3f of the table was sent, want at most %.2f", c.command, kind, sent, c.most)
			}
		}
	}
}

// TestDamagedTablesFromAfar are what they would be as files, in messages too.
func TestDamagedTablesFromAfar(t *testing.T) {
	_, body := wideTable(t)
	server := hftest.New(t)
	end := len(body)
	claim := func(length string) []byte { return append(append(bytes.Clone(body[:end-8]), length...), "PAR1"...) }
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(body); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(body)
	damaged[end/2] ^= 1
	files := map[string][]byte{
		"empty": {}, "short": body[:11], "cut": body[:end-1], "half": body[:end/2], "late": body[1:],
		"damaged": damaged,
		"long":    append(bytes.Clone(body), 0), "claims": claim("\xff\xff\xff\x7f"), "all": claim("\xff\xff\xff\xff"),
		"none": claim("\x00\x00\x00\x00"), "more": claim("\x00\x00\x01\x00"),
		"noise":  bytes.Repeat([]byte("PAR1"), 50000),
		"zipped": zipped.Bytes(),
	}
	server.Commit("org/set", "main", files)
	dir := onDisk(t, files)
	for name := range files {
		args := []string{"--format", "parquet", "--to", "jsonl"}
		want := runWithCache(t, dir, "", append(args, filepath.Join(dir, name))...)
		got := runWithCache(t, dir, "", append(args, "hf://datasets/org/set/"+name)...)
		if got.code != want.code || got.out != want.out || (name == "zipped") != (got.code == 0) {
			t.Errorf("%s: code %d and %d bytes, want %d and %d", name, got.code, len(got.out), want.code, len(want.out))
		}
		said := afterName(want.messages, name)
		if said != afterName(got.messages, name) || said == "" && want.code != 0 {
			t.Errorf("%s: %s\nwant %s", name, got.messages, want.messages)
		}
	}
}

// afterName is what the first line with a name says after it.
func afterName(messages, name string) string {
	for line := range strings.Lines(messages) {
		if _, said, ok := strings.Cut(line, "/"+name+":"); ok {
			return said
		}
	}
	return ""
}

// TestTablesFromAfarAgain: the same command gives the same output, and a run that broke off is gone
// on with.
func TestTablesFromAfarAgain(t *testing.T) {
	local, body := wideTable(t)
	wantTable, want := filepath.Join(t.TempDir(), "want.parquet"), succeed(t, "-q", "--to", "jsonl", local)
	succeed(t, "-q", "-o", wantTable, local)
	hub, bucket := hftest.New(t), buckettest.S3(t)
	hub.Commit("org/set", "main", map[string][]byte{"wide.parquet": body})
	bucket.Set("/bucket/wide.parquet", body)
	var forbidden atomic.Bool // what stands in the last third
	refuse := func(w http.ResponseWriter, r *http.Request) bool {
		from := 0
		n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		isIt := n == 1 && from > len(body)*2/3 && from < len(body)-100<<10 && forbidden.Load()
		if isIt {
			w.WriteHeader(http.StatusNotFound)
		}
		return isIt
	}
	hub.Disturb(refuse)
	bucket.Disturb(refuse, nil)
	for _, address := range []string{"hf://datasets/org/set/wide.parquet", "s3://bucket/wide.parquet"} {
		dir := t.TempDir()
		table, out := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "out.jsonl")
		for range 2 {
			succeed(t, "-q", "--index", filepath.Join(dir, "first"), "-o", table, address)
			got, err := os.ReadFile(table)
			if wanted, _ := os.ReadFile(wantTable); err != nil || !bytes.Equal(got, wanted) {
				t.Errorf("%s: %d bytes, want %d: %v", address, len(got), len(wanted), err)
			}
		}
		args := []string{"--index", filepath.Join(dir, "second"), "--checkpoint", "100", "--to", "jsonl", "-o", out,
			"--on-error", "fail", address}
		forbidden.Store(true)
		if r := runWithCache(t, dir, "", args...); r.code == 0 {
			t.Errorf("%s: %+v", address, r)
		}
		forbidden.Store(false)
		r := runWithCache(t, dir, "", append([]string{"--resume"}, args...)...)
		if got, err := os.ReadFile(out); r.code != 0 || err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, want %d: %+v, %v", address, len(got), len(want), r, err)
		}
	}
}
