package embedding

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fileOf is a file of safetensors with that header.
func fileOf(header string, data []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

func floatBytes(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// TestOpenRefuses has what is wrong with a model named, with its place.
func TestOpenRefuses(t *testing.T) {
	tokens := `{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1}}}`
	two := `{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}`
	nan := float32(math.NaN())
	for _, c := range []struct {
		name, tokens string
		file         []byte
		want         string
	}{
		{"short", tokens, []byte("abc"), "it has 3 bytes"},
		{"length", tokens, binary.LittleEndian.AppendUint64(nil, 1<<63),
			"its header is said to have 9223372036854775808"},
		{"header", tokens, fileOf("{", nil), "its header cannot be read"},
		{"none", tokens, fileOf(`{"__metadata__":{"a":"b"}}`, nil), `no tensor "embeddings"`},
		{"offsets", tokens, fileOf(two+"}", nil), "at 0 to 16 of 0"},
		{"backwards", tokens, fileOf(`{"embeddings":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`,
			make([]byte, 8)), "at 8 to 0 of 8"},
		{"size", tokens, fileOf(`{"embeddings":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}}`, make([]byte, 16)),
			"has 16 bytes, and its shape [2 3] of F32 takes 24"},
		{"shape", tokens, fileOf(`{"embeddings":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,0]}}`,
			nil), "is too large"},
		{"flat", tokens, fileOf(`{"embeddings":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}`, make([]byte, 16)),
			"has the shape [4]"},
		{"wide", tokens, fileOf(`{"embeddings":{"dtype":"F16","shape":[1,4097],"data_offsets":[0,8194]}}`,
			make([]byte, 8194)), "4097 dimensions: at most 4096"},
		{"nan", tokens, fileOf(two+"}", floatBytes(1, 2, nan, 4)), "has NaN at [1 0]"},
		{"infinity", tokens, fileOf(two+"}", floatBytes(1, float32(math.Inf(-1)), 3, 4)), "has -Inf at [0 1]"},
		{"few", tokens, fileOf(`{"embeddings":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, make([]byte, 8)),
			"vectors for 1 tokens, and tokenizer.json has 2"},
		{"mapping", tokens, fileOf(two+`,"mapping":{"dtype":"I64","shape":[2],"data_offsets":[16,32]}}`,
			append(floatBytes(1, 2, 3, 4), 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0)),
			`tensor "mapping" has 9 at 1`},
		{"weights", tokens, fileOf(two+`,"weights":{"dtype":"F32","shape":[1],"data_offsets":[16,20]}}`,
			floatBytes(1, 2, 3, 4, 5)), "weights of 1 tokens"},
		{"integers", tokens, fileOf(`{"embeddings":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}`,
			make([]byte, 16)), `tensor "embeddings" is of I32`},
	} {
		t.Run(c.name, func(t *testing.T) {
			refuses(t, c.tokens, c.file, weightsFile, c.want)
		})
	}
}

// refuses opens a model of these two files, which must not be possible.
func refuses(t *testing.T, tokens string, weights []byte, file, want string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, tokens, weights)
	m, err := Open(dir)
	if m != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
		t.Errorf("the error is %v, want one with %q about %s", err, want, file)
	}
}

func write(t *testing.T, dir, tokens string, weights []byte) {
	t.Helper()
	for name, text := range map[string][]byte{tokenizerFile: []byte(tokens), weightsFile: weights} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHalf compares all floats of 16 bits with what their definition says.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		exponent, fraction := bits>>10&31, float64(bits&1023)
		var want float64
		switch exponent {
		case 0:
			want = math.Ldexp(fraction, -24)
		case 31:
			if want = math.Inf(1); fraction > 0 {
				want = math.NaN()
			}
		default:
			want = math.Ldexp(1+fraction/1024, exponent-15)
		}
		if bits>>15 == 1 {
			want = -want
		}
		got := float64(fromHalf(uint16(bits)))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%#04x is %v, want %v", bits, got, want)
		}
	}
}

// FuzzTensors reads files of safetensors that may say anything about themselves.
func FuzzTensors(f *testing.F) {
	for _, name := range []string{"wordpiece", "bpe"} {
		file, err := os.ReadFile(filepath.Join("testdata", name, weightsFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[:4000])
	}
	f.Add(fileOf(`{"a":{"dtype":"F16","shape":[2,0,9223372036854775807],"data_offsets":[0,0]}}`, nil))
	f.Add(fileOf(`{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}`, make([]byte, 8)))
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, err := tensorsOf(file)
		if err != nil {
			return
		}
		matrixOf(tensors)
		for _, x := range tensors {
			values, err := x.floats()
			if err == nil && len(values)*kindBytes[x.kind] != len(x.data) {
				t.Errorf("%v: %d values of %d bytes", x.shape, len(values), len(x.data))
			}
			x.below(7)
		}
	})
}

// FuzzTokenizer reads descriptions of tokenizers that may say anything, and divides texts with
// them. No token may be one that has no vector.
func FuzzTokenizer(f *testing.F) {
	for _, name := range []string{"wordpiece", "bpe"} {
		file, err := os.ReadFile(filepath.Join("testdata", name, tokenizerFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file, []byte("the cat 中\xff▁ [CLS]</s> 12"))
	}
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"aba":9},"merges":[["a","b"],["ab","a"]]}}`), []byte("ababab"))
	f.Fuzz(func(t *testing.T, file, text []byte) {
		tok, err := newTokenizer(file)
		if err != nil {
			return
		}
		words, first := wordIDs{known: map[string][]uint32{}}, []byte{}
		for range 2 {
			var all []byte
			tok.encode(&words, text, func(ids []uint32) {
				for _, id := range ids {
					if int(id) >= tok.tokens() || int64(id) == tok.unknown {
						t.Errorf("token %d of %d", id, tok.tokens())
					}
					all = binary.LittleEndian.AppendUint32(all, id)
				}
			})
			if len(first) > 0 && !bytes.Equal(all, first) {
				t.Error("the same text has other tokens the second time")
			}
			first = all
		}
	})
}
