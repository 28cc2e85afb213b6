//go:build integration

package embedding

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntegrationModel2Vec compares the vectors of a model of 32,000 tokens with those that
// model2vec makes in Python.
func TestIntegrationModel2Vec(t *testing.T) {
	python := os.Getenv("MODEL2VEC_PYTHON")
	if python == "" {
		python = "python3"
	}
	const check = "import model2vec, importlib.util as u; assert u.find_spec('wordllama')"
	if out, err := exec.Command(python, "-c", check).CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no model2vec and wordllama: %v\n%s", err, out)
		}
		t.Skip("no model2vec and wordllama: give MODEL2VEC_PYTHON, a Python that has them")
	}
	var texts bytes.Buffer
	for _, text := range sampleTexts(t) {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		texts.Write(append(line, '\n'))
	}
	dir := t.TempDir()
	golden, err := os.Create(filepath.Join(dir, "golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer golden.Close()
	var messages strings.Builder
	cmd := exec.Command(python, "testdata/reference.py", dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &texts, golden, &messages
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &messages)
	}
	compare(t, openModel(t, dir), goldens(t, golden.Name()))
}

// sampleTexts are the documents of the project, the texts of the small models, and texts that are
// drawn from many scripts.
func sampleTexts(t *testing.T) (texts []string) {
	for _, g := range goldens(t, "testdata/wordpiece/golden.jsonl") {
		texts = append(texts, g.Text)
	}
	paths, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no documents", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(string(text), "\n\n")...)
	}
	rng := rand.New(rand.NewPCG(8, 8))
	starts := []rune{'a', 'A', 'à', 'α', 'а', 'א', 'ا', 'क', 'ก', 'あ', '一', '가', '😀', ' ', '0', '!'}
	for range 500 {
		var b strings.Builder
		for range 1 + rng.IntN(300) {
			b.WriteRune(starts[rng.IntN(len(starts))] + rune(rng.IntN(24)))
		}
		texts = append(texts, b.String())
	}
	return texts
}
