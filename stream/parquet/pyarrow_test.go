//go:build integration

package parquet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestIntegrationPyArrowReadsWhatWeWrite gives files with some of the rows of others to an
// independent reader. It needs a Python with pyarrow, which is called python3 or what
// PYARROW_PYTHON says; where there is none it is skipped, except in CI.
func TestIntegrationPyArrowReadsWhatWeWrite(t *testing.T) {
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
