package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
)

// TestOtherThresholdsOfAChangingInput: what other thresholds would remove is not counted of fewer
// or more records than the audit is about.
func TestOtherThresholdsOfAChangingInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.jsonl")
	const lines = "{\"text\":\"a river rises in the meadow\"}\nno record\n{\"text\":\"\"}\n"
	for count, changed := range map[int]bool{0: true, 1: true, 2: false, 3: true} {
		if err := os.WriteFile(path, []byte(strings.Repeat(lines, 2)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, err := config.Parse([]string{"audit", "-q", "--thresholds", ".5", path}, "test", io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		c := cmd.(*config.Audit)
		a := &auditRun{c: c, std: files.Standard(), of: audit.New(c.Sample, c.Seed, run.MeasureOf(&c.Filter))}
		if err := a.judge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat(lines, count)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := a.countAt(t.Context()); errors.Is(err, audit.ErrChanged) != changed || !changed && err != nil {
			t.Errorf("%d times the lines instead of 2: %v", count, err)
		}
	}
}
