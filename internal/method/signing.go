package method

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/sketch/signature"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Signing says how to make and write the signatures by which a method compares texts.
type Signing struct {
	Name        string // of the value: minhash, simhash, tlsh, vector or sample
	NewSketcher func() stream.Sketcher
	Keys        identity.KeyKind // to be closed; has the failures of sketchers

	// AppendValue appends a sketch as JSON.
	AppendValue func(dst []byte, words []uint64) []byte
	// Form returns a sketch as a signature of package signature. It is nil if that package has no
	// such signatures.
	Form func(words []uint64) (*signature.Signature, error)
}

// SigningOf returns how the method makes signatures of texts that are first extracted from markup.
func SigningOf(c spec.Method) (Signing, error) {
	m := For(c)
	if m.signs == nil {
		return Signing{}, fmt.Errorf("texts have no signatures by %s", m.name)
	}
	s, err := m.signs(c)
	if err != nil {
		return s, err
	}
	made, err := sketchers.FromMarkup(c.Rule.Text.Markup, s.NewSketcher)
	if err != nil {
		return s, errors.Join(err, s.Keys.Close())
	}
	s.NewSketcher = made
	return s, nil
}

// signMinHash makes the slots of MinHash signatures.
func signMinHash(c spec.Method) (Signing, error) {
	p := sketch.Params{
		Normalize: c.Rule.Text.Normalize, Tokenize: c.Rule.Text.Tokenize, ShingleSize: c.Rule.Text.ShingleSize,
		Sketch: c.Rule.Sketch, NumPerm: c.Rule.NumPerm, Seed: c.Rule.Seed.Number,
		Secret: c.Rule.Seed.Secret, Bands: 1, Rows: 1, BandKey: "xxh3",
	}
	sketcher, err := sketchers.With(p)
	if err != nil {
		return Signing{}, err
	}
	var packed []uint64
	return Signing{
		Name:        "minhash",
		NewSketcher: func() stream.Sketcher { return slotSketcher{sketcher.Clone()} },
		AppendValue: appendNumbers,
		Form: formOf(func() (*signature.Writer, error) { return signature.NewMinHash(p) },
			func(words []uint64) []uint64 {
				packed = sketch.AppendPacked(packed[:0], words, 8)
				return packed
			}),
	}, nil
}

// A slotSketcher is a sketcher whose sketches are the slots of signatures.
type slotSketcher struct{ *sketch.Sketcher }

// Append appends the slots of a text.
func (s slotSketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return s.Signature(dst, text)
}

// formOf returns a function that makes signatures from words with a writer, which begin makes on
// first use. to converts the words.
func formOf(
	begin func() (*signature.Writer, error), to func([]uint64) []uint64,
) func(words []uint64) (*signature.Signature, error) {
	var w *signature.Writer
	return func(words []uint64) (s *signature.Signature, err error) {
		if w == nil {
			if w, err = begin(); err != nil {
				return nil, err
			}
		}
		return w.OfWords(to(words))
	}
}

func asTheyAre(words []uint64) []uint64 { return words }

// signFingerprint makes SimHash fingerprints and TLSH digests.
func signFingerprint(c spec.Method) (Signing, error) {
	of, keys, err := fingerprintSketcher(c)
	if err != nil {
		return Signing{}, err
	}
	if c.Rule.Fingerprint.TLSH {
		digests := func() stream.Sketcher {
			s, _ := tlsh.NewSketcher(c.Rule.Text.Normalize) // the name is right
			return s
		}
		return Signing{
			Name: "tlsh", NewSketcher: digests, Keys: keys,
			AppendValue: func(dst []byte, words []uint64) []byte {
				return strconv.AppendQuote(dst, tlsh.FromWords(words).String())
			},
			Form: formOf(func() (*signature.Writer, error) {
				return signature.NewTLSH(c.Rule.Text.Normalize)
			}, asTheyAre),
		}, nil
	}
	weights, err := sketchers.ReadWeights(c)
	if err != nil {
		return Signing{}, err
	}
	p := simhash.Params{Bits: c.Rule.Fingerprint.Bits, Weight: c.Rule.Fingerprint.Weight, Weights: weights}
	shingles := sketch.ShingleParams(c.Rule.Text.Normalize, c.Rule.Text.Tokenize, c.Rule.Text.ShingleSize)
	return Signing{
		Name: "simhash", NewSketcher: of, Keys: keys, AppendValue: appendHex,
		Form: formOf(func() (*signature.Writer, error) { return signature.NewSimHash(shingles, p) }, asTheyAre),
	}, nil
}

// appendHex appends the hexadecimal digits of a number whose lowest bits are in the first word.
func appendHex(dst []byte, words []uint64) []byte {
	var bytes []byte
	for i := len(words) - 1; i >= 0; i-- {
		for shift := 56; shift >= 0; shift -= 8 {
			bytes = append(bytes, byte(words[i]>>shift))
		}
	}
	return append(hex.AppendEncode(append(dst, '"'), bytes), '"')
}

// appendNumbers appends words as a list.
func appendNumbers(dst []byte, words []uint64) []byte {
	dst = append(dst, '[')
	for i, w := range words {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, w, 10)
	}
	return append(dst, ']')
}

// signSample makes samples of shingles. A level l says that they include the hashes below 2^(64-l).
func signSample(c spec.Method) (Signing, error) {
	of, keys, err := sampleSketcher(c)
	return Signing{
		Name: "sample", NewSketcher: of, Keys: keys,
		AppendValue: func(dst []byte, words []uint64) []byte {
			s := fracminhash.Read(words)
			dst = strconv.AppendInt(append(dst, `{"level":`...), int64(s.Level), 10)
			return append(appendNumbers(append(dst, `,"hashes":`...), s.Sample()), '}')
		},
	}, err
}

// signVector makes vectors, by any model.
func signVector(c spec.Method) (Signing, error) {
	model, err := openModel(c.Rule.Vectors)
	if err != nil {
		return Signing{}, fmt.Errorf("--model: %w", err)
	}
	sketching := vectors.NewSketchingBy(model, 2, appendFloats)
	return Signing{
		Name: "vector", Keys: identity.KeyKind{Banding: identity.OneKey, Model: model, Failures: sketching.Failures},
		NewSketcher: sketching.NewSketcher,
		AppendValue: appendVector,
		Form: func(words []uint64) (*signature.Signature, error) {
			return signature.OfVector(model.Hash(), vectorOf(words))
		},
	}, nil
}

// appendFloats appends 0 and the values of a vector, one in a word. So it has more words than a
// failure.
func appendFloats(dst []uint64, vector []float32) ([]uint64, error) {
	dst = append(dst, 0)
	for _, v := range vector {
		dst = append(dst, uint64(math.Float32bits(v)))
	}
	return dst, nil
}

func vectorOf(words []uint64) []float32 {
	vector := make([]float32, len(words)-1)
	for i, w := range words[1:] {
		vector[i] = math.Float32frombits(uint32(w))
	}
	return vector
}

// appendVector appends the values of a vector, which are finite.
func appendVector(dst []byte, words []uint64) []byte {
	list, _ := jsonout.Marshal(vectorOf(words)) // finite numbers have no error
	return append(dst, list...)
}
