// Package memorytest provides a memory of each kind for tests.
package memorytest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/memory/keytimes"
	"github.com/mithril-stream/mithril-stream/internal/memory/prefixes"
	"github.com/mithril-stream/mithril-stream/internal/memory/samples"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Kind creates an index, and sketches of words.
type Kind struct {
	Begin  func() (memory.Index, error)
	Sketch func(words []int) []uint64

	// HasFamilies means that the original of a copy is decided when the copy is added, and affects
	// later records even after the copy is forgotten.
	HasFamilies bool
}

func textOf(words []int) []byte {
	return []byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(words), " ", " w"), "[]"))
}

func ofSignatures(sets bool) Kind {
	p := sketch.Default()
	s, err := sketch.New(p)
	if err != nil {
		panic(err)
	}
	var sketcher stream.Sketcher = sketch.Signed{Sketcher: s}
	if sets {
		sketcher = sketch.SignedSet{Sketcher: s}
	}
	of := signatures.Params{
		NumPerm: p.NumPerm, Bands: p.Bands, Rows: p.Rows, Votes: 1, Threshold: .5, Sets: sets,
	}
	return Kind{
		Begin: func() (memory.Index, error) { return signatures.New(of) },
		Sketch: func(words []int) []uint64 {
			made := sketchBy(sketcher, words)
			if sets {
				made = signatures.PackSet(of.SetForm(), made, of.SketchWords()+1)
			}
			return made
		},
	}
}

func ofPrefixes() Kind {
	s, err := sketch.New(sketch.Default())
	if err != nil {
		panic(err)
	}
	p := prefixes.Params{Threshold: prefixes.LeastThreshold, Bands: 2}
	return Kind{
		Begin: func() (memory.Index, error) { return prefixes.New(p) },
		Sketch: func(words []int) []uint64 {
			return p.AppendSketch(nil, sketchBy(sketch.Set{Sketcher: s}, words)[1:], []uint32{1, 2})
		},
	}
}

func sketchBy(s stream.Sketcher, words []int) []uint64 {
	made, _ := s.Append(nil, textOf(words))
	return made
}

func ofSamples() Kind {
	s, err := sketch.New(sketch.Default())
	if err != nil {
		panic(err)
	}
	sampler, err := fracminhash.New(s, fracminhash.Params{Scale: 1, Beside: fracminhash.Set})
	if err != nil {
		panic(err)
	}
	return Kind{
		HasFamilies: true,
		Begin: func() (memory.Index, error) {
			return samples.New(samples.Params{Scale: 1, Threshold: .5, Beside: fracminhash.Set})
		},
		Sketch: func(words []int) []uint64 { return sketchBy(sampler, words) },
	}
}

func ofFingerprints() Kind {
	return Kind{
		Begin: func() (memory.Index, error) {
			return fingerprints.New(fingerprints.Params{Measure: fingerprints.Hamming, Bits: 64, Distance: 3})
		},
		Sketch: func(words []int) []uint64 {
			bits := rand.New(rand.NewPCG(uint64(words[0]), 1)).Uint64()
			for _, word := range words {
				bits ^= uint64(word&1) << (word % 8 * 8)
			}
			return []uint64{bits}
		},
	}
}

func ofKeyTimes() Kind {
	return Kind{
		Begin: func() (memory.Index, error) { return keytimes.New(keytimes.Params{Age: 9}) },
		Sketch: func(words []int) []uint64 {
			sum := uint64(0)
			for _, word := range words {
				sum += uint64(word)
			}
			key := rand.New(rand.NewPCG(uint64(words[0]), sum))
			return []uint64{key.Uint64(), key.Uint64(), 7}
		},
	}
}

func ofVectors(within bool) Kind {
	const dims = 32
	return Kind{
		// searches all lists, so that it is exact
		Begin: func() (memory.Index, error) {
			return vectors.New(vectors.Params{Dims: dims, Threshold: .9, Probes: 100, Within: within})
		},
		Sketch: func(words []int) []uint64 {
			v, rng := make([]float32, dims), rand.New(rand.NewPCG(uint64(words[0]), 1))
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			for i, word := range words {
				v[i%dims] += float32(word%5) / 8
			}
			row, _ := rows.Append(nil, v) // none is zero
			if within {
				row = append(row, uint64(words[1]%2))
			}
			return row
		},
	}
}

// Kinds are all kinds.
var Kinds = map[string]Kind{
	"signatures": ofSignatures(false), "signatures with sets": ofSignatures(true), "samples": ofSamples(),
	"short sets":   ofPrefixes(),
	"fingerprints": ofFingerprints(), "keys with times": ofKeyTimes(), "vectors": ofVectors(false),
	"vectors within a value": ofVectors(true),
}

// WordsOf returns the words of one of a few texts, some of them changed.
func WordsOf(rng *rand.Rand) []int {
	n := rng.IntN(40)
	words := make([]int, 24)
	for i := range words {
		words[i] = n*1000 + i
	}
	for range rng.IntN(4) {
		words[1+rng.IntN(len(words)-1)] = rng.IntN(100)
	}
	return words
}
