//go:build integration

package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lshBloom is the paper's reference implementation: a stream in which a text is removed if the
// index knows it, and else inserted. No filter errs at that size and rate. It prints the scheme of
// hash functions that datasketch has by default, and 0 or 1 for each line, as --flags does.
const lshBloom = `
import sys, datasketch
index = datasketch.MinHashLSHBloom(threshold=.5, num_perm=256, n=10**6, fp=1e-9)
print(index.b, index.r, datasketch.MinHash().scheme)
empty = datasketch.MinHash(num_perm=256, scheme="legacy")
for line in sys.stdin:
    minhash = empty.copy() # a new one would draw the hash functions again, for half of the time
    minhash.update_batch([word.encode() for word in line.split()])
    seen = not minhash.is_empty() and index.query(minhash)
    if not seen and not minhash.is_empty():
        index.insert(minhash)
    print(0 if seen else 1)
`

// TestIntegrationLSHBloom: --preset lshbloom decides as datasketch's MinHashLSHBloom does, record
// by record, on texts half of which are variants of earlier ones.
func TestIntegrationLSHBloom(t *testing.T) {
	python := os.Getenv("DATASKETCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import datasketch, pybloomfilter").Run(); err != nil {
		const what = "there is no datasketch: pip install 'datasketch>=2' pybloomfiltermmap3, and name its Python in " +
			"DATASKETCH_PYTHON"
		if os.Getenv("CI") != "" {
			t.Fatal(what)
		}
		t.Skip(what)
	}
	const texts = 20_000
	dir := t.TempDir()
	input, flags := filepath.Join(dir, "texts.txt"), filepath.Join(dir, "flags")
	text := strings.Join(textsAndVariants(texts), "\n") + "\n"
	if err := os.WriteFile(input, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reference := exec.Command(python, "-W", "ignore", "-c", lshBloom)
	reference.Stdin, reference.Stderr = strings.NewReader(text), os.Stderr
	out, err := reference.Output()
	if err != nil {
		t.Fatal(err)
	}
	head, want, _ := strings.Cut(string(out), "\n")
	if head != "42 6 affine32" {
		t.Errorf("the reference has %s, not 42 bands of 6 rows, and affine32 by default", head)
	}
	ours := exec.Command("mithril-stream", "-q", "--format", "text", "--preset", "lshbloom", "--fp-rate", "1e-9",
		"--flags", flags, "-o", filepath.Join(dir, "kept"), input)
	if out, err := ours.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(flags)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, references := strings.Fields(string(got)), strings.Fields(want)
	if len(verdicts) != texts || len(references) != texts {
		t.Fatalf("%d and %d verdicts about %d texts", len(verdicts), len(references), texts)
	}
	removed, differ := 0, 0
	for i, verdict := range verdicts {
		if verdict == "0" {
			removed++
		}
		if verdict != references[i] {
			differ++
		}
	}
	if differ > 0 || removed < texts/10 || removed > texts*9/10 {
		t.Errorf("%d of %d verdicts differ from the reference's, and %d are removals", differ, texts, removed)
	}
}

// textsAndVariants are texts of up to 60 words, half of which are an earlier one with some words
// changed. A few words are frequent, as in any language.
func textsAndVariants(n int) (texts []string) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%d", int(20_000*r.Float64()*r.Float64()*r.Float64()*r.Float64())) }
	for i := range n {
		words := make([]string, 5+r.IntN(55))
		for j := range words {
			words[j] = word()
		}
		if i > 0 && r.IntN(2) == 0 {
			words = strings.Fields(texts[r.IntN(i)])
			for range r.IntN(len(words)) {
				words[r.IntN(len(words))] = word()
			}
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return texts
}
