package signature

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

var (
	minHashParams = sketch.Params{Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 2, Sketch: "fss",
		NumPerm: 20, Seed: 1}
	simHashParams = simhash.Params{Bits: 128, Weight: "tf"}
)

// writers are one of each kind.
func writers(t testing.TB) map[string]*Writer {
	t.Helper()
	all := map[string]*Writer{}
	var err error
	if all["minhash"], err = NewMinHash(minHashParams); err == nil {
		if all["simhash"], err = NewSimHash(minHashParams, simHashParams); err == nil {
			all["tlsh"], err = NewTLSH("nfkc-fold")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	model, err := embedding.Open(filepath.Join("..", "embedding", "testdata", "wordpiece"))
	if err != nil {
		t.Fatal(err)
	}
	all["embedding"] = NewEmbedding(model)
	return all
}

type golden struct{ Kind, Text, Bytes string }

func readGolden(t *testing.T, path string) (all []golden) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if lines.Err() != nil || len(all) == 0 {
		t.Fatal(lines.Err(), len(all))
	}
	return all
}

// The first file comes from a second implementation (testdata/golden/README.md), the other one has
// what earlier versions of this package have written.
func TestGoldenForms(t *testing.T) {
	all := append(readGolden(t, filepath.Join("..", "..", "testdata", "golden", "binary.jsonl")),
		readGolden(t, filepath.Join("testdata", "signatures.jsonl"))...)
	writers, kinds := writers(t), map[string]int{}
	for i, g := range all {
		kinds[g.Kind]++
		s, err := writers[g.Kind].Of([]byte(g.Text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.MarshalBinary()
		if got := hex.EncodeToString(b); err != nil || got != g.Bytes {
			t.Errorf("%d, %s: %s, %v, want %s", i, g.Kind, got, err, g.Bytes)
		}
		var read Signature
		if err := read.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if similarity, err := Similarity(s, &read); err != nil || similarity != 1 {
			t.Errorf("%d, %s: %v with itself, %v", i, g.Kind, similarity, err)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("only %v", kinds)
	}
}
