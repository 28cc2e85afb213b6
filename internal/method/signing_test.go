package method

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/signature"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
)

// TestFormsAreThoseOfSignatures: what the program writes of a text is what package signature makes
// of it, byte for byte.
func TestFormsAreThoseOfSignatures(t *testing.T) {
	model, err := filepath.Abs(filepath.Join("..", "..", "sketch", "embedding", "testdata", "wordpiece"))
	if err != nil {
		t.Fatal(err)
	}
	static, err := embedding.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	shingles := sketch.Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5, Sketch: "fss", NumPerm: 20, Seed: 7,
	}
	few := shingles
	few.ShingleSize = 2
	for _, c := range []struct {
		args  []string
		begin func() (*signature.Writer, error)
	}{
		{[]string{"--num-perm", "20", "--seed", "7"},
			func() (*signature.Writer, error) { return signature.NewMinHash(shingles) }},
		{[]string{"--sketch", "simhash", "--bits", "128", "--weight", "uniform"}, func() (*signature.Writer, error) {
			return signature.NewSimHash(few, simhash.Params{Bits: 128, Weight: "uniform"})
		}},
		{[]string{"--sketch", "tlsh"},
			func() (*signature.Writer, error) { return signature.NewTLSH("nfkc-fold") }},
		{[]string{"--sketch", "embedding", "--model", model},
			func() (*signature.Writer, error) { return signature.NewEmbedding(static), nil }},
	} {
		parsed, err := config.Parse(append([]string{"fingerprint"}, c.args...), "test", io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		of, err := SigningOf(parsed.(*config.Sign).Filter.Method)
		if err != nil {
			t.Fatal(err)
		}
		defer of.Keys.Close()
		w, err := c.begin()
		if err != nil {
			t.Fatal(err)
		}
		sketcher := of.NewSketcher()
		for _, text := range []string{
			"The river rises in a field of wet grass, and for two miles it is a ditch of no size at all.",
			"河水从山北面的草地里流出，前两里只是一条小沟。 It is a small river, with many a bend and bridge.",
		} {
			want, err := w.Of([]byte(text))
			if err != nil {
				t.Fatal(c.args, err)
			}
			words, ok := sketcher.Append(nil, []byte(text))
			got, err := of.Form(words)
			if err != nil || !ok {
				t.Fatal(c.args, ok, err)
			}
			a, _ := want.MarshalBinary()
			if b, err := got.MarshalBinary(); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: %x, %v, want %x", c.args, b, err, a)
			}
		}
	}
}
