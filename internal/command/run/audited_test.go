package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
)

// rereadings is how often the records of an audit are read after its sample was drawn: to take and
// to compare sets, to take shingles and find what is lost of them, and to quote that.
const rereadings = 5

// auditChanging audits that many records, every third of which counts as removed. Before a
// rereading, counted from 1, the input becomes one of another number of records.
func auditChanging(t *testing.T, records, before, then int) (*audit.LossFinding, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.jsonl")
	write := func(records int) {
		var b strings.Builder
		for i := range records {
			fmt.Fprintf(&b, "{\"text\":\"%[1]d the river %[1]d rises %[1]d in a %[1]d meadow %[1]d north\"}\n", i)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(records)
	cmd, err := config.Parse([]string{"audit", "-q", path}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c := &cmd.(*config.Audit).Filter
	of := audit.New(records, 1, MeasureOf(c))
	for number := range uint64(records) {
		of.Show(number+1, number%3 == 2)
	}
	passes := 0
	read := func(r Reading) error {
		if passes++; passes == before {
			write(then)
		}
		_, err := Read(t.Context(), c, Sketching{}, files.Standard(), func(*Source) (Reading, error) { return r, nil })
		return err
	}
	if err := CompareSample(of, c, read); err != nil {
		return nil, err
	}
	of.Find(.5)
	loss, err := MeasureLoss(of, c, read)
	if err == nil && passes != rereadings {
		t.Errorf("%d rereadings, want %d", passes, rereadings)
	}
	return loss, err
}

// TestAuditOfAChangingInput: an input with fewer records than at first is refused in whichever pass
// that is found, and one with more in the pass that reads all of them.
func TestAuditOfAChangingInput(t *testing.T) {
	const records = 9
	for before := 1; before <= rereadings; before++ {
		for _, then := range []int{0, 1, records - 1} {
			if _, err := auditChanging(t, records, before, then); !errors.Is(err, audit.ErrChanged) {
				t.Errorf("%d records before rereading %d: %v", then, before, err)
			}
		}
		_, err := auditChanging(t, records, before, records+1)
		if all := 4; errors.Is(err, audit.ErrChanged) != (before <= all) || before > all && err != nil {
			t.Errorf("more records before rereading %d: %v", before, err)
		}
	}
	loss, err := auditChanging(t, records, 0, 0)
	if err != nil || loss.Sample != 3 || len(loss.Worst) != 3 || loss.Worst[0].Text == "" {
		t.Errorf("an input that stays as it is: %+v, %v", loss, err)
	}
}
