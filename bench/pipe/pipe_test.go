package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The generator is deterministic, and its records are what a tokeniser meets in English web text.
func TestEnglish(t *testing.T) {
	var a, b, other bytes.Buffer
	for out, seed := range map[*bytes.Buffer]uint64{&a: 1, &b: 1, &other: 2} {
		if err := writeEnglish(out, 300, pageBytes, seed); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.Bytes(), other.Bytes()) {
		t.Error("texts do not follow from the seed")
	}
	seen := map[string]bool{}
	words, size := 0, 0
	for line := range bytes.Lines(a.Bytes()) {
		var record struct{ ID, Text string }
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		if seen[record.Text] || seen[record.ID] {
			t.Errorf("record %s for the second time", record.ID)
		}
		seen[record.Text], seen[record.ID] = true, true
		words += len(strings.Fields(record.Text))
		size += len(line)
	}
	if mean := float64(size) / 300; mean < 2000 || mean > 2300 {
		t.Errorf("records of %.0f bytes", mean)
	}
	if mean := float64(words) / 300; mean < 270 || mean > 350 {
		t.Errorf("texts of %.0f words", mean)
	}
}

func TestLoad(t *testing.T) {
	w := workplace(t.TempDir())
	path := filepath.Join(t.TempDir(), "x.jsonl")
	content := "{}\n" + strings.Repeat("x", 3<<20) + "\nlast"
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := w.load(path)
	if err != nil {
		t.Fatal(err)
	}
	if d.records != 3 || d.bytes != int64(len(content)) || d.longest != 3<<20+1 {
		t.Errorf("%d records, %d bytes, longest %d", d.records, d.bytes, d.longest)
	}
	f, err := os.Open(d.compressed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != content {
		t.Errorf("the compressed file holds %d bytes, %v", len(text), err)
	}
}

func TestMeasure(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	commands := []command{{name: "a", shell: `echo a >> "$LOG"`}, {name: "b", shell: `echo b >> "$LOG"`}, {name: "c", shell: `echo c >> "$LOG"`}}
	samples, err := measure(commands, []string{"LOG=" + log}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range commands {
		if len(samples[i]) != 3 {
			t.Errorf("%d samples of command %d", len(samples[i]), i)
		}
	}
	order, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(string(order), "\n", ""); got != "abc"+"abc"+"bca"+"cab" {
		t.Errorf("order %q", got)
	}
	if _, err := measure([]command{{name: "bad", shell: "echo oh dear >&2; exit 3"}}, nil, 1); err == nil ||
		!strings.Contains(err.Error(), "oh dear") {
		t.Errorf("error %v", err)
	}
}

func TestMedianAndRatio(t *testing.T) {
	of := func(wall ...time.Duration) (samples []sample) {
		for _, w := range wall {
			samples = append(samples, sample{wall: w, cpu: 2 * w})
		}
		return samples
	}
	if got := median(of(5, 1, 9)); got != (sample{5, 10}) {
		t.Errorf("median %v", got)
	}
	if got := median(of(4, 1, 9, 2)); got.wall != 3 {
		t.Errorf("median of four %v", got)
	}
	// The second round was twice as slow for both: the ratio does not see it. The fastest runs are
	// of different rounds.
	got := compare(of(30, 60, 33), of(10, 20, 8), wallOf)
	if got != (ratio{3, 3, 33. / 8, 30. / 8}) {
		t.Errorf("ratio %v", got)
	}
}

// The pipeline in this process allocates nothing for a record.
func TestPipelineInProcess(t *testing.T) {
	w := workplace(t.TempDir())
	path, err := w.english(2000)
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.load(path)
	if err != nil {
		t.Fatal(err)
	}
	perRecord, err := steadyAllocations(d)
	if err != nil {
		t.Fatal(err)
	}
	if perRecord > 0.05 {
		t.Errorf("%g allocations a record", perRecord)
	}
}
