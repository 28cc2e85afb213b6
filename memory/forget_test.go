package memory_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/memory/samples"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A kindOfMemory begins an index, and makes a sketch of some words.
type kindOfMemory struct {
	begin  func() (memory.Index, error)
	sketch func(words []int) []uint64
}

func textOf(words []int) []byte {
	return []byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(words), " ", " w"), "[]"))
}

func ofSignatures(sets bool) kindOfMemory {
	p := sketch.Default()
	s, err := sketch.New(p)
	if err != nil {
		panic(err)
	}
	var sketcher stream.Sketcher = sketch.Signed{Sketcher: s}
	if sets {
		sketcher = sketch.SignedSet{Sketcher: s}
	}
	return kindOfMemory{
		func() (memory.Index, error) {
			return signatures.New(signatures.Params{NumPerm: p.NumPerm, Bands: p.Bands, Rows: p.Rows, Votes: 1,
				Threshold: .5, Sets: sets})
		},
		func(words []int) []uint64 { return sketchBy(sketcher, words) },
	}
}

func sketchBy(s stream.Sketcher, words []int) []uint64 {
	made, _ := s.Append(nil, textOf(words))
	return made
}

func ofSamples() kindOfMemory {
	s, err := sketch.New(sketch.Default())
	if err != nil {
		panic(err)
	}
	sampler, err := fracminhash.New(s, fracminhash.Params{Scale: 1, Beside: fracminhash.Set})
	if err != nil {
		panic(err)
	}
	return kindOfMemory{
		func() (memory.Index, error) {
			return samples.New(samples.Params{Scale: 1, Threshold: .5, Beside: fracminhash.Set})
		},
		func(words []int) []uint64 { return sketchBy(sampler, words) },
	}
}

func ofFingerprints() kindOfMemory {
	return kindOfMemory{
		func() (memory.Index, error) {
			return fingerprints.New(fingerprints.Params{Measure: fingerprints.Hamming, Bits: 64, Distance: 3})
		},
		func(words []int) []uint64 {
			bits := rand.New(rand.NewPCG(uint64(words[0]), 1)).Uint64()
			for _, word := range words {
				bits ^= uint64(word&1) << (word % 8 * 8)
			}
			return []uint64{bits}
		},
	}
}

func ofVectors() kindOfMemory {
	const dims = 32
	return kindOfMemory{
		// All lists are looked into, so that it is exact.
		func() (memory.Index, error) {
			return vectors.New(vectors.Params{Dims: dims, Threshold: .9, Probes: 100})
		},
		func(words []int) []uint64 {
			v, rng := make([]float32, dims), rand.New(rand.NewPCG(uint64(words[0]), 1))
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			for i, word := range words {
				v[i%dims] += float32(word%5) / 8
			}
			row, _ := rows.Append(nil, v) // none is zero
			return row
		},
	}
}

var kinds = map[string]kindOfMemory{
	"signatures": ofSignatures(false), "signatures with sets": ofSignatures(true), "samples": ofSamples(),
	"fingerprints": ofFingerprints(), "vectors": ofVectors(),
}

// wordsOf are the words of one of few texts, some of them changed.
func wordsOf(rng *rand.Rand) []int {
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

// TestForgottenRecords: an index that has forgotten records answers like one that has never
// remembered them, also after its log was written anew.
func TestForgottenRecords(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { checkForgotten(rt, t.TempDir(), kind) })
		})
	}
}

func checkForgotten(t *rapid.T, dir string, kind kindOfMemory) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	sketches := make([][]uint64, rapid.SampledFrom([]int{5, 60, 600}).Draw(t, "records"))
	for i := range sketches {
		sketches[i] = kind.sketch(wordsOf(rng))
	}
	file := create(t, dir, "log")
	defer file.Close()
	length := remember(t, kind, file, sketches)

	// In two parts, since a log can be told more than once.
	var forgotten []uint64
	for range 2 {
		var part []uint64
		for range rapid.IntRange(0, len(sketches)/2).Draw(t, "forgotten") {
			part = append(part, 1+rng.Uint64N(uint64(len(sketches))))
		}
		var err error
		length, err = memory.Forget(file, length, part, nil)
		must(t, err)
		forgotten = append(forgotten, part...)
	}

	wanted := without(t, kind, file, length, sketches, forgotten)
	defer wanted.Close()
	got, err := memory.Read(func(kindOfMemory) (memory.Index, error) { return kind.begin() }, kind, file, length, nil)
	must(t, err)
	defer got.Close()
	rewritten, err := kind.begin()
	must(t, err)
	defer rewritten.Close()
	must(t, rewritten.Absorb(file, length, func(note []byte, _ uint64) error {
		for _, record := range forgotten {
			if strings.Contains(string(note), fmt.Sprintf(`"id %d."`, record)) {
				t.Fatalf("the id of record %d is still there", record)
			}
		}
		return nil
	}, nil))
	for name, x := range map[string]memory.Index{"read": got, "rewritten": rewritten} {
		if a, b := x.Stats(), wanted.Stats(); a.Entries != b.Entries || a.Records != b.Records {
			t.Fatalf("%s: %+v, want %+v", name, a, b)
		}
		compareAnswers(t, name, x, wanted, append(sketches[:min(len(sketches), 100)], kind.sketch(wordsOf(rng))))
	}
}

func create(t *rapid.T, dir, name string) *os.File {
	file, err := os.Create(filepath.Join(dir, name))
	must(t, err)
	return file
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// remember has an index with a log observe some records, and name them.
func remember(t *rapid.T, kind kindOfMemory, file *os.File, sketches [][]uint64) (length int64) {
	x, err := memory.Load(func(kindOfMemory) (memory.Index, error) { return kind.begin() }, kind, file, 0, nil)
	must(t, err)
	names := memory.Names{WithIDs: true}
	names.NoteTo(x)
	for i, s := range sketches {
		_, err := x.Observe(s, make([]memory.Match, 1))
		must(t, err)
		must(t, names.Take(&stream.Decided{Input: "in", Record: uint64(i) + 1, ID: fmt.Appendf(nil, `"id %d."`, i+1)}))
	}
	must(t, names.Note())
	length, err = x.Sync()
	must(t, err)
	must(t, x.Close())
	return length
}

// without is an index that has remembered what has an entry in a log and is not forgotten, and
// nothing else.
func without(
	t *rapid.T, kind kindOfMemory, file *os.File, length int64, sketches [][]uint64, forgotten []uint64,
) memory.Index {
	x, err := kind.begin()
	must(t, err)
	numbers, err := x.ReadNumbers(file, length, nil)
	must(t, err)
	must(t, x.Close())
	x, err = kind.begin()
	must(t, err)
	for i, s := range sketches {
		record := uint64(i) + 1
		if !slices.Contains(numbers.Entries, record) || slices.Contains(forgotten, record) {
			x.Pass(1)
			continue
		}
		_, err := x.Observe(s, make([]memory.Match, 1))
		must(t, err)
	}
	return x
}

func compareAnswers(t *rapid.T, name string, x, wanted memory.Index, asked [][]uint64) {
	for i, s := range asked {
		got, want := make([]memory.Match, 1), make([]memory.Match, 1)
		must(t, x.Query(s, got))
		must(t, wanted.Query(s, want))
		if got[0] != want[0] {
			t.Fatalf("%s: record %d resembles %+v, want %+v", name, i+1, got[0], want[0])
		}
		near, err := x.Near(nil, s, 5)
		must(t, err)
		nearest, err := wanted.Near(nil, s, 5)
		must(t, err)
		if a, b := fmt.Sprint(near), fmt.Sprint(nearest); a != b {
			t.Fatalf("%s: near record %d are %s, want %s", name, i+1, a, b)
		}
	}
}
