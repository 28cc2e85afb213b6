package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// TestTimeOf recovers a time that was made by the law that it fits.
func TestTimeOf(t *testing.T) {
	for _, exponent := range []float64{1, 1.3, 2} {
		law := func(n float64) float64 { return .2 + 3e-6*math.Pow(n, exponent) }
		got := timeOf("exact", 8000, [3]float64{law(2000), law(4000), law(8000)})
		if math.Abs(got.Exponent-exponent) > 1e-9 {
			t.Errorf("exponent %v, want %v", got.Exponent, exponent)
		}
		for i, n := range []float64{8e3, 8e4, 8e5} {
			if at := got.Sizes[i]; at.Documents != n || math.Abs(at.Seconds/law(n)-1) > 1e-9 {
				t.Errorf("%+v, want %v s", at, law(n))
			}
		}
	}
	if got := timeOf("bloom", 8000, [3]float64{3, 2, 2}); got.Exponent != 1 || got.Sizes[2].Seconds < 2 {
		t.Errorf("a machine that was busy at first: %+v", got)
	}
}

// TestPlanTimes: a sample in a file is run with both memories, and one that is small with none.
func TestPlanTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.jsonl")
	for records, memories := range map[int]int{leastTimed: 2, leastTimed - 1: 0} {
		var lines bytes.Buffer
		for i := range records {
			fmt.Fprintf(&lines, "{\"text\":\"the %d words of record %d are its %d own\"}\n", i, i*i, i*7)
		}
		if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"plan", "--documents", "1e6", "--preset", "passages", "--json", "--sample", path}
		c, err := config.Parse(args, "", io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(path + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), c, files.Streams{Out: files.StdoutOf(out), Err: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out.Name())
		if err := errors.Join(err, out.Close()); err != nil {
			t.Fatal(err)
		}
		var plan struct {
			Sample struct {
				Times []sampledTime `json:"times"`
			} `json:"sample"`
		}
		if err := json.Unmarshal(text, &plan); err != nil {
			t.Fatal(err)
		}
		if len(plan.Sample.Times) != memories {
			t.Fatalf("%d records: %+v", records, plan.Sample.Times)
		}
		for i, of := range plan.Sample.Times {
			if of.Memory != []string{"bloom", "exact"}[i] || len(of.Sizes) != 3 || !(of.Exponent >= 1) ||
				!(of.Sizes[0].Seconds > 0) || of.Sizes[2].Seconds < of.Sizes[1].Seconds {
				t.Errorf("%+v", of)
			}
		}
	}
}
