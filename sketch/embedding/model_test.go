package embedding

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A golden is a text, the tokens that Hugging Face tokenizers divides it into, and the vector that
// numpy makes of them; see testdata/generate.py.
type golden struct {
	Text   string    `json:"text"`
	IDs    []uint32  `json:"ids"`
	Vector []float64 `json:"vector"`
}

func goldens(tb testing.TB, path string) (all []golden) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			tb.Fatal(err)
		}
		all = append(all, g)
	}
	if len(all) == 0 || lines.Err() != nil {
		tb.Fatal(path, "has no vectors", lines.Err())
	}
	return all
}

func openModel(tb testing.TB, dir string) *Model {
	tb.Helper()
	m, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// tokensOf are the tokens of a text.
func tokensOf(m *Model, e *Encoder, text string) (ids []uint32) {
	m.tokenizer.encode(&e.words, []byte(text), func(some []uint32) { ids = append(ids, some...) })
	return ids
}

// compare holds the tokens and the vectors of a model to those that others have computed.
func compare(t *testing.T, m *Model, all []golden) {
	t.Helper()
	e := m.NewEncoder()
	for range 2 { // the second time with words that are known
		for _, g := range all {
			if ids := tokensOf(m, e, g.Text); !slices.Equal(ids, g.IDs) {
				t.Errorf("%.100q has the tokens %v, want %v", g.Text, ids, g.IDs)
			}
			vector, err := e.Append(nil, []byte(g.Text))
			if len(g.Vector) == 0 && errors.Is(err, ErrNoTokens) {
				continue
			}
			if err != nil || len(vector) != len(g.Vector) {
				t.Fatalf("%.100q has %d dimensions, want %d (%v)", g.Text, len(vector), len(g.Vector), err)
			}
			for i, v := range vector {
				if math.Abs(float64(v)-g.Vector[i]) > 1e-5 {
					t.Errorf("%.100q has %v in dimension %d, want %v", g.Text, v, i, g.Vector[i])
					break
				}
			}
		}
	}
}

func TestVectorsAreThoseOfTheReference(t *testing.T) {
	for _, name := range []string{"wordpiece", "bpe"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			compare(t, openModel(t, dir), goldens(t, filepath.Join(dir, "golden.jsonl")))
		})
	}
}

// TestAddVector compares the ways in which vectors are added.
func TestAddVector(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for n := range 70 {
		vector, sum := make([]float32, n), make([]float32, n)
		for i := range vector {
			vector[i], sum[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
		}
		want := slices.Clone(sum)
		addRest(want, vector)
		got := slices.Clone(sum)
		if addVector(got, vector); !slices.Equal(got, want) {
			t.Fatalf("%d values: %v, want %v", n, got, want)
		}
		addWeighted(sum, vector, 1)
		if !slices.Equal(sum, want) {
			t.Fatalf("%d values of weight 1: %v, want %v", n, sum, want)
		}
	}
}

func TestVectorsHaveUnitLength(t *testing.T) {
	e := openModel(t, "testdata/wordpiece").NewEncoder()
	long := strings.Repeat("the cat and the dog sat, ", 40_000)
	for _, text := range []string{"cat", "the cat sat", long} {
		vector, err := e.Append(nil, []byte(text))
		length := 0.
		for _, v := range vector {
			length += float64(v) * float64(v)
		}
		if err != nil || math.Abs(length-1) > 1e-6 {
			t.Errorf("%.20q has the length %v (%v)", text, math.Sqrt(length), err)
		}
	}
}

// TestTextsWithoutVector has texts that no vector stands for refused, each with its reason.
func TestTextsWithoutVector(t *testing.T) {
	dir := t.TempDir()
	write(t, dir,
		`{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"b":2,"c":3}},`+
			`"pre_tokenizer":{"type":"BertPreTokenizer"}}`,
		fileOf(`{"embeddings":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]}}`,
			floatBytes(9, 9, 1, -2, -1, 2, math.MaxFloat32, 0)))
	e := openModel(t, dir).NewEncoder()
	for _, c := range []struct {
		text string
		want error
	}{
		{"", ErrNoTokens}, {" \n", ErrNoTokens}, {"? x [UNK]", ErrNoTokens}, {"a b", ErrZero}, {"b a b a", ErrZero},
	} {
		if vector, err := e.Append([]float32{7}, []byte(c.text)); !errors.Is(err, c.want) || len(vector) != 1 {
			t.Errorf("%q: %v and %v, want %v", c.text, vector, err, c.want)
		}
	}
	_, err := e.Append(nil, []byte("a c c"))
	if err == nil || !strings.Contains(err.Error(), "dimension 0 of the vector of the text is +Inf") {
		t.Errorf("the error is %v", err)
	}
	if vector, err := e.Append(nil, []byte("a")); err != nil || len(vector) != 2 {
		t.Errorf("the next text has %v (%v)", vector, err)
	}
}

// TestHash has models of the same files one hash, and others another.
func TestHash(t *testing.T) {
	a, b := openModel(t, "testdata/wordpiece"), openModel(t, "testdata/bpe")
	again := openModel(t, "testdata/wordpiece")
	if a.Hash() != again.Hash() || a.Hash() == b.Hash() || len(a.Hash()) != 32 {
		t.Errorf("the hashes are %s, %s and %s", a.Hash(), again.Hash(), b.Hash())
	}
	if hashOf([]byte("a"), []byte("b")) == hashOf([]byte("b"), []byte("a")) {
		t.Error("files of other names have the same hash")
	}
	if a.Dims() != 24 {
		t.Errorf("%d dimensions", a.Dims())
	}
}

func TestNoModel(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "none"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "is not the directory of a model") {
		t.Errorf("the error is %v", err)
	}
}
