//go:build integration

package parquet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntegrationPyArrowReadsWhatWeWrite gives files with some of the rows of others to an
// independent reader.
func TestIntegrationPyArrowReadsWhatWeWrite(t *testing.T) {
	python := pyarrow(t)
	dir := t.TempDir()
	kept := map[string][]int{}
	for i, path := range testFiles(t) {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		rows := []int{}
		data := copyRows(t, open(t, read(t, path)), func(row int) bool {
			keep := random.IntN(3) > 0
			if keep {
				rows = append(rows, row)
			}
			return keep
		})
		kept[path] = rows
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(kept)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "kept.json"), list, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/compare.py", filepath.Join(dir, "kept.json"), dir).CombinedOutput()
	if want := fmt.Sprintf("compared %d files\n", len(kept)); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestIntegrationPyArrowReadsWhatWeBuild has pyarrow say the types and values of a table that is
// made anew.
func TestIntegrationPyArrowReadsWhatWeBuild(t *testing.T) {
	python := pyarrow(t)
	file, lines := buildRows(t, 3000)
	path := filepath.Join(t.TempDir(), "built.parquet")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	const program = `
import json, sys, pyarrow.parquet as pq
f = pq.ParquetFile(sys.argv[1], page_checksum_verification=True)
print([(c.physical_type, str(c.logical_type)) for c in f.schema])
for row in f.read().to_pylist():
    row["more"] = json.loads(row["more"])  # pyarrow has the text of JSON
    print(json.dumps(row, separators=(",", ":")))
`
	out, err := exec.Command(python, "-c", program, path).CombinedOutput()
	want := "[('BOOLEAN', 'None'), ('INT64', 'None'), ('DOUBLE', 'None'), ('BYTE_ARRAY', 'String'), " +
		"('BYTE_ARRAY', 'JSON')]\n" + strings.Join(lines, "\n") + "\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%.2000s", err, out)
	}
}

// pyarrow is a Python that has pyarrow: python3 or what PYARROW_PYTHON says. Where there is none
// the test is skipped, except in CI.
func pyarrow(t *testing.T) string {
	t.Helper()
	python := os.Getenv("PYARROW_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import pyarrow").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s has no pyarrow: %s", python, out)
		}
		t.Skipf("%s has no pyarrow: install it, or name another Python with PYARROW_PYTHON", python)
	}
	return python
}
