package vectors_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

// topics is a provider of one's own: how often a text names each of some things. A service that
// makes vectors is asked in the same place.
type topics []string

func (t topics) Dims() int                       { return len(t) }
func (t topics) Hash() string                    { return "topics: " + strings.Join(t, ", ") }
func (t topics) Vectors() embedding.AppendVector { return t.Append }

func (t topics) Append(dst []float32, text []byte) ([]float32, error) {
	words, named := bytes.Fields(bytes.ToLower(text)), 0
	for _, topic := range t {
		count := 0
		for _, word := range words {
			if string(word) == topic {
				count++
			}
		}
		named += count
		dst = append(dst, float32(count))
	}
	if named == 0 {
		return dst[:len(dst)-len(t)], embedding.ErrNoTokens
	}
	return dst, nil
}

// Any provider will do: a model of package embedding or onnx, or your own.
func ExampleNewSketching() {
	provider := topics{"river", "bread", "clock"}
	index, err := vectors.New(vectors.Params{Dims: provider.Dims(), Threshold: .9})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	sketching := vectors.NewSketching(provider)
	sketcher := sketching.NewSketcher()
	for i, text := range []string{"the river", "bread and a clock", "nothing", "a river is a river"} {
		row, ok := sketcher.Append(nil, []byte(text))
		if !ok {
			index.Pass(1)
			continue
		}
		if err := sketching.Of(row); err != nil {
			panic(err)
		}
		var match [1]memory.Match
		if _, err := index.Observe(row, match[:]); err != nil {
			panic(err)
		}
		if m := match[0]; m.Record != 0 {
			fmt.Printf("text %d resembles text %d: %.2f\n", i, m.Record-1, m.Similarity)
		}
	}
	// Output:
	// text 3 resembles text 0: 1.00
}

// made is a provider that makes one vector of every text, or fails.
type made struct {
	dims   int
	vector []float32
	err    error
}

func (m made) Dims() int                       { return m.dims }
func (m made) Hash() string                    { return "made" }
func (m made) Vectors() embedding.AppendVector { return m.Append }

func (m made) Append(dst []float32, _ []byte) ([]float32, error) {
	return append(dst, m.vector...), m.err
}

var errService = errors.New("the service does not answer")

// What a provider makes that is no vector of the index is an error of its record, not a panic.
func TestProviderThatErrs(t *testing.T) {
	nan := float32(0)
	nan /= nan
	for says, p := range map[string]made{
		"2 values, and not the 3":   {dims: 3, vector: []float32{1, 2}},
		"4 values, and not the 3":   {dims: 3, vector: []float32{1, 2, 3, 4}},
		"0 values, and not the 3":   {dims: 3},
		"value 1 of the vector is ": {dims: 2, vector: []float32{1, nan}},
		"does not answer":           {dims: 2, err: errService},
	} {
		sketching := vectors.NewSketching(p)
		words, ok := sketching.NewSketcher().Append(nil, []byte("text"))
		if err := sketching.Of(words); !ok || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, not %s", words, err, says)
		}
	}
	zero := vectors.NewSketching(made{dims: 2, vector: []float32{0, 0}})
	if words, ok := zero.NewSketcher().Append(nil, []byte("text")); ok {
		t.Error("a vector of zeroes has the sketch", words)
	}
}

// A row of another length than the index has is refused, and compared with nothing.
func TestRowsOfOtherLengths(t *testing.T) {
	index, err := vectors.New(vectors.Params{Dims: 40, Threshold: .9})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	short, err := rows.Append(nil, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.Observe(short, make([]memory.Match, 1)); !errors.Is(err, memory.ErrSize) {
		t.Error(err)
	}
	long, err := rows.Append(nil, make([]float32, 40))
	if !errors.Is(err, rows.ErrZero) || len(long) > 0 {
		t.Error(long, err)
	}
	long, _ = rows.Append(nil, append(make([]float32, 39), 1))
	if got := rows.Cosine(short, long); got != 0 {
		t.Error(got)
	}
}
