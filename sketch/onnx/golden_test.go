//go:build integration

package onnx

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// TestIntegrationONNX compares tokens and vectors with those that ONNX Runtime makes in Python.
func TestIntegrationONNX(t *testing.T) {
	python := os.Getenv("ONNX_PYTHON")
	if python == "" {
		python = "python3"
	}
	const check = "import onnxruntime, os, tokenizers; print(os.path.dirname(onnxruntime.__file__))"
	out, err := exec.Command(python, "-c", check).CombinedOutput()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no onnxruntime and tokenizers: %v\n%s", err, out)
		}
		t.Skip("no onnxruntime and tokenizers: give ONNX_PYTHON, a Python that has them")
	}
	libraries, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "capi", "libonnxruntime.*"))
	if len(libraries) == 0 {
		t.Fatalf("%s has no library", out)
	}
	program := filepath.Join(t.TempDir(), Program)
	build := exec.Command("go", "build", "-C", "mithril-onnx", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv(Variable, program)
	t.Setenv("ONNXRUNTIME_LIB", libraries[0])
	for _, pool := range []string{"cls", "mean", "max"} {
		t.Run(pool, func(t *testing.T) { compare(t, python, "testdata/small", pool) })
	}
	if dir := os.Getenv("ONNX_MODEL"); dir != "" {
		t.Run("ONNX_MODEL", func(t *testing.T) { compare(t, python, dir, "mean") })
	}
	t.Run("no model", func(t *testing.T) {
		dir := modelDir(t)
		if err := os.WriteFile(filepath.Join(dir, "model.onnx"), []byte("no model"), 0o666); err != nil {
			t.Fatal(err)
		}
		if m, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), "model.onnx: ") {
			t.Error(m, err)
		}
	})
	t.Run("no library", func(t *testing.T) {
		t.Setenv("ONNXRUNTIME_LIB", program)
		if m, err := Open("testdata/small", ""); err == nil || !strings.Contains(err.Error(), "ONNXRUNTIME_LIB") {
			t.Error(m, err)
		}
	})
}

// compare holds a model to what Python makes of it.
func compare(t *testing.T, python, dir, pool string) {
	var texts, messages bytes.Buffer
	for _, text := range sampleTexts(t) {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		texts.Write(append(line, '\n'))
	}
	cmd := exec.Command(python, "testdata/reference.py", dir, pool)
	cmd.Stdin, cmd.Stderr = &texts, &messages
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &messages)
	}
	m, err := Open(dir, pool)
	if err != nil {
		t.Fatal(err)
	}
	e := m.NewEncoder()
	defer m.Close()
	lines, count, largest := bufio.NewScanner(bytes.NewReader(out)), 0, 0.
	lines.Buffer(nil, 1<<22)
	for ; lines.Scan(); count++ {
		var want struct {
			Text   string
			IDs    []uint32
			Vector []float64
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if ids := e.tokenizer.Append(nil, []byte(want.Text)); !slices.Equal(ids, want.IDs) {
			t.Errorf("%.100q has the tokens %v, want %v", want.Text, ids, want.IDs)
		}
		got, err := e.Append(nil, []byte(want.Text))
		if len(want.Vector) == 0 && errors.Is(err, embedding.ErrNoTokens) {
			continue
		}
		if err != nil || len(got) != len(want.Vector) {
			t.Fatalf("%.100q has %d dimensions, want %d (%v)", want.Text, len(got), len(want.Vector), err)
		}
		for i, v := range got {
			largest = max(largest, math.Abs(float64(v)-want.Vector[i]))
		}
	}
	if count < 30 || largest > 1e-4 {
		t.Errorf("%d texts, whose vectors differ by up to %g", count, largest)
	}
	t.Logf("%d texts, ONNX Runtime %s: vectors differ by up to %g", count, m.Runtime(), largest)
}

// sampleTexts are parts of the documents of the project, and texts of its examples.
func sampleTexts(t *testing.T) (texts []string) {
	texts = append(texts, "", " . ", "the cat sat on the mat", "Größe, naïve – 世界 🦀 [MASK] the")
	for _, page := range []string{"embedding.md", "index.md"} {
		text, err := os.ReadFile("../../docs/reference/" + page)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		for part := range strings.SplitSeq(string(text), "\n\n") {
			texts = append(texts, part)
		}
	}
	return texts
}
