package onnx

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// The tests are their own child, which does what this variable says.
const fakeVariable = "MITHRIL_ONNX_FAKE"

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeVariable); how != "" {
		fakeChild(how, bufio.NewReader(os.Stdin), os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// useFake has models run by a child that does as it is told.
func useFake(t *testing.T, how string) {
	t.Helper()
	t.Setenv(Variable, os.Args[0])
	t.Setenv(fakeVariable, how)
}

// fakeChild makes of token i the row (i, 1, -i, 0), or does something wrong with the third text:
// the first one comes from Open.
func fakeChild(how string, in io.Reader, out io.Writer) {
	say := func(kind byte, payload ...byte) {
		out.Write(append(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload))), payload...))
	}
	switch how {
	case "no runtime":
		say(problem, []byte("there is no runtime")...)
		return
	case "silent":
		return
	case "stranger":
		io.WriteString(out, "Usage: something else altogether")
		return
	}
	say(hello, []byte("0.0")...)
	for texts := 1; ; texts++ {
		var count uint32
		if binary.Read(in, binary.LittleEndian, &count) != nil {
			return
		}
		ids := make([]uint32, count)
		if binary.Read(in, binary.LittleEndian, ids) != nil {
			return
		}
		dims, rows := 4, ids
		if how == "pooled" {
			rows = ids[:1]
		}
		wrong := texts == 3 && how != "pooled" && how != "well"
		if wrong && how == "dimensions" {
			dims = 3
		}
		payload := binary.LittleEndian.AppendUint32(nil, uint32(len(rows)))
		payload = binary.LittleEndian.AppendUint32(payload, uint32(dims))
		for _, id := range rows {
			row := []float64{float64(id), 1, -float64(id), 0}[:dims]
			for _, v := range row {
				switch {
				case wrong && how == "nan":
					v = math.NaN()
				case wrong && how == "infinite":
					v = math.Inf(-1)
				case how == "zero":
					v = 0
				}
				payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(float32(v)))
			}
		}
		switch {
		case wrong && how == "short":
			payload = payload[:len(payload)-4]
		case wrong && how == "long":
			binary.LittleEndian.PutUint32(payload, 1<<31)
		case wrong && how == "dies":
			os.Exit(3)
		case wrong && how == "complains":
			say(problem, []byte("it cannot be done")...)
			return
		case wrong && how == "huge":
			out.Write([]byte{vectors, 255, 255, 255, 255})
			continue
		}
		say(vectors, payload...)
	}
}

// modelDir is a copy of the small model.
func modelDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/small")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The small model has [CLS] 2, [SEP] 3, and takes 12 tokens at once: ten beside these. "cat" is 14,
// "the" 7.
func TestPoolingOfWindows(t *testing.T) {
	useFake(t, "well")
	text := strings.Repeat("the ", 10) + "cat cat"
	for pool, want := range map[string][3]float64{
		"cls":  {2 * 12, 12, -2 * 12},
		"mean": {10*7 + 2*14 + 2*(2+3), 16, -(10*7 + 2*14 + 2*(2+3))},
		"max":  {14, 1, -2},
	} {
		m, err := Open("testdata/small", pool)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		e := m.NewEncoder()
		got, err := e.Append([]float32{7}, []byte(text))
		if err != nil || len(got) != 5 || got[0] != 7 {
			t.Fatal(got, err)
		}
		length := math.Sqrt(want[0]*want[0] + want[1]*want[1] + want[2]*want[2])
		for i, w := range want {
			if math.Abs(float64(got[1+i])-w/length) > 1e-6 {
				t.Errorf("%s: %v, want %v by %v", pool, got[1:], want, length)
			}
		}
	}
}

// A model that pools by itself gives a row for each window, which weighs as its tokens.
func TestPooledByTheModel(t *testing.T) {
	useFake(t, "pooled")
	m, err := Open("testdata/small", "")
	if err != nil || m.Dims() != 4 || m.Runtime() != "0.0" {
		t.Fatal(m, err)
	}
	e := m.NewEncoder()
	defer m.Close()
	got, err := e.Append(nil, []byte(strings.Repeat("the ", 11)))
	if want := float32(1 / 3.); err != nil || math.Abs(float64(got[1]-want)) > 1e-6 || got[0] != 2*got[1] {
		t.Error(got, err)
	}
}

// Encoders work at the same time, each with a child; a model that is closed has none.
func TestManyEncoders(t *testing.T) {
	useFake(t, "well")
	m, err := Open("testdata/small", "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.NewEncoder().Append(nil, []byte("cat"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			e := m.NewEncoder()
			for range 50 {
				if got, err := e.Append(nil, []byte("cat")); err != nil || !slices.Equal(got, want) {
					t.Error(got, err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := len(m.children); n != 5 {
		t.Errorf("%d children, want 5", n)
	}
	e := m.NewEncoder()
	if _, err := e.Append(nil, []byte("cat")); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Encoder{e, m.NewEncoder()} {
		if v, err := e.Append(nil, []byte("cat")); err == nil {
			t.Error("a closed model makes", v)
		}
	}
}

func TestTextsWithoutAVector(t *testing.T) {
	useFake(t, "zero")
	m, err := Open("testdata/small", "")
	if err != nil {
		t.Fatal(err)
	}
	e := m.NewEncoder()
	defer m.Close()
	for range 2 {
		if v, err := e.Append(nil, nil); !errors.Is(err, embedding.ErrNoTokens) || len(v) > 0 {
			t.Error(v, err)
		}
		if v, err := e.Append(nil, []byte("cat")); !errors.Is(err, embedding.ErrZero) || len(v) > 0 {
			t.Error(v, err)
		}
	}
}

// What goes wrong in the child is said, and is final.
func TestChildrenThatFail(t *testing.T) {
	for how, want := range map[string]string{
		"nan":        "dimension 0 of the vector of the text is NaN",
		"infinite":   "dimension 0 of the vector of the text is -Inf",
		"dimensions": "vectors of 3 dimensions come after those of 4", "short": "3 rows of 4 dimensions in 52 bytes",
		"long": "2147483648 rows", "dies": "mithril-onnx has ended: exit status 3", "complains": "it cannot be done",
		"huge": "is it another program?",
	} {
		useFake(t, how)
		m, err := Open("testdata/small", "")
		if err != nil {
			t.Fatal(how, err)
		}
		e := m.NewEncoder()
		if v, err := e.Append(nil, []byte("cat")); err != nil || len(v) != 4 {
			t.Errorf("%s: %v, %v", how, v, err)
		}
		for range 2 {
			v, err := e.Append(nil, []byte("mat"))
			if err == nil || len(v) > 0 || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "testdata/small/model.onnx: ") {
				t.Errorf("%s: %v, %v", how, v, err)
			}
		}
		m.Close()
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	for how, want := range map[string]string{
		"no runtime": "there is no runtime", "silent": "mithril-onnx has ended", "stranger": "is it another program?",
	} {
		useFake(t, how)
		if m, err := Open("testdata/small", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", how, m, err)
		}
	}
	t.Setenv(Variable, "")
	t.Setenv("PATH", "")
	if m, err := Open("testdata/small", ""); !errors.Is(err, ErrNoProgram) {
		t.Error(m, err)
	}
	t.Setenv(Variable, "/no/such/program")
	if m, err := Open("testdata/small", ""); !errors.Is(err, os.ErrNotExist) {
		t.Error(m, err)
	}
	if IsIn(t.TempDir()) || !IsIn("testdata/small") {
		t.Error("a directory is taken for another")
	}
}

func TestDirectoriesThatMeanNothing(t *testing.T) {
	useFake(t, "well")
	for _, c := range []struct{ name, text, want string }{
		{poolingFile, `{"pooling_mode_lasttoken":true}`, "1_Pooling/config.json: pooling by lasttoken is not supported"},
		{poolingFile, `{"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true}`, "by cls_token and max_tokens"},
		{poolingFile, `{`, "1_Pooling/config.json: "},
		{lengthFile, `{"max_seq_length":2}`, "texts of at most 2 tokens: between 3 and 32768 are possible"},
		{lengthFile, `{"max_seq_length":"x"}`, "sentence_bert_config.json: "},
		{tokenizerFile, `{`, "tokenizer.json: "},
		{tokenizerFile, `{"model":{"type":"Unigram"}}`, `tokenizer.json: model "Unigram" is not supported`},
	} {
		dir := modelDir(t)
		write(t, dir, c.name, c.text)
		if m, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, %v, want %s", c.name, c.text, m, err, c.want)
		}
	}
	if m, err := Open("testdata/small", "last"); err == nil {
		t.Error(m)
	}
	if m, err := Open(t.TempDir(), ""); err == nil {
		t.Error(m)
	}
}

// Whatever changes vectors changes the hash.
func TestHash(t *testing.T) {
	useFake(t, "well")
	hashes := map[string]string{}
	for name, change := range map[string]func(dir string) string{
		"as it is":  func(string) string { return "" },
		"cls":       func(string) string { return "cls" },
		"window":    func(dir string) string { write(t, dir, lengthFile, `{"max_seq_length":7}`); return "" },
		"model":     func(dir string) string { write(t, dir, "model.onnx", "x"); return "" },
		"weights":   func(dir string) string { write(t, dir, "model.onnx_data", "x"); return "" },
		"tokenizer": func(dir string) string { appendTo(t, filepath.Join(dir, tokenizerFile)); return "" },
	} {
		dir := modelDir(t)
		m, err := Open(dir, change(dir))
		if err != nil {
			t.Fatal(name, err)
		}
		if other, ok := hashes[m.Hash()]; ok || len(m.Hash()) != 32 {
			t.Errorf("%s has the hash of %s, %q", name, other, m.Hash())
		}
		hashes[m.Hash()] = name
	}
	dir := modelDir(t)
	write(t, dir, poolingFile, `{"word_embedding_dimension":4,"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":false}`)
	m, err := Open(dir, "")
	if err != nil || hashes[m.Hash()] != "as it is" {
		t.Error("the directory says the default, and the hash is another one", err)
	}
}

func appendTo(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(path), filepath.Base(path), string(text)+"\n")
}
