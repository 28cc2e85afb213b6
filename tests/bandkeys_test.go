package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopiesAmongManyAreFound checks that each kind of key finds a copy and a near copy of a record
// among 400 others, in every memory and in groups. A list of a key is bounded, so keys that do not
// tell records apart lose copies.
func TestCopiesAmongManyAreFound(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.jsonl")
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 5))
	var texts [][]string
	for range 400 {
		var text []string
		for range 90 { // more than are found by their rarest words
			text = append(text, fmt.Sprintf("w%d", rng.IntN(1_000_000)))
		}
		texts = append(texts, text)
	}
	near := append([]string{"other"}, texts[250][1:]...)
	for _, text := range append(texts, texts[200], near) {
		fmt.Fprintf(&b, "{\"host\":\"h\",\"text\":%q}\n", strings.Join(text, " "))
	}
	if err := os.WriteFile(input, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sketch := range []string{"", "--sketch affine", "--sketch datasketch", "--sketch murmur3"} {
		for _, key := range []string{"", "--band-key sum"} {
			for _, memory := range []string{"", "--memory exact", "--memory exact --verify signature", "groups",
				"--memory exact --max-memory 64MiB --index IDX", "--preset passages"} {
				for _, within := range []string{"", "--within host"} {
					options := strings.Join([]string{memory, sketch, key, within}, " ")
					if strings.Contains(options, "passages") && sketch != "" {
						continue
					}
					out, index := filepath.Join(dir, "out"), filepath.Join(dir, "index")
					args := words(strings.ReplaceAll(options, "IDX", index))
					mithril(t, append(args, "-q", "-o", out, input)...)
					kept, err := os.ReadFile(out)
					if err != nil {
						t.Fatal(err)
					}
					if n := bytes.Count(kept, []byte("\n")); n != len(texts) {
						t.Errorf("%s: %d records are kept, want %d", options, n, len(texts))
					}
					if err := os.RemoveAll(index); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
