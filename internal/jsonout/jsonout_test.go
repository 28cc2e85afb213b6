package jsonout_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/jsonout"
)

// A value has a field of each type that the program writes.
type value struct {
	Text     string              `json:"text"`
	Number   uint64              `json:"number,omitempty"`
	Signed   int                 `json:"signed"`
	Share    float64             `json:"share"`
	Single   float32             `json:"single,omitzero"`
	Is       bool                `json:"is,omitempty"`
	Raw      json.RawMessage     `json:"raw"`
	Raws     []json.RawMessage   `json:"raws,omitempty"`
	Bytes    []byte              `json:"bytes"`
	Times    []time.Time         `json:"times"`
	When     time.Time           `json:"when,omitzero"`
	Map      map[string]uint64   `json:"map"`
	Numbered map[int32]int64     `json:"numbered,omitempty"`
	Nested   []nested            `json:"nested"`
	Pointer  *nested             `json:"pointer,omitempty"`
	Any      any                 `json:"any"`
	Strings  map[string][]string `json:"strings,omitempty"`
	Counts   counts              `json:"counts"`
	hidden   int
	nested
}

type nested struct {
	Name   string  `json:"name"`
	Vector []int32 `json:"vector"`
	Skip   string  `json:"-"`
}

// counts has a form of its own.
type counts [2]uint64

func (c counts) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{ "<": %d, "b":%d }`, c[0], c[1]), nil
}

// text is drawn from what JSON escapes, and from what it must not.
func text(rng *rand.Rand) string {
	parts := []string{"<", ">", "&", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\f", "\x00", "\x1f", "\x7f",
		"\u2028", "\u2029", "\xff", "\xed\xa0\x80", "\xc3", "é", "ก", "一", "😀", "\ufffd", "a", "the words ", "\u0085"}
	var b strings.Builder
	for range rng.IntN(12) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

func raw(rng *rand.Rand) json.RawMessage {
	quoted, _ := json.Marshal(text(rng))
	return []json.RawMessage{nil, json.RawMessage("null"), json.RawMessage(`"<a>"`), quoted, json.RawMessage("17"),
		json.RawMessage("[1, {\"a\" : \"&\"}]\n"), json.RawMessage("\"\u2029\"")}[rng.IntN(7)]
}

func drawn(rng *rand.Rand) value {
	floats := []float64{0, 1, .1, 1e-7, 1e21, 1e20, -1.5e-9, math.MaxFloat64, math.SmallestNonzeroFloat64,
		rng.Float64(), rng.NormFloat64() * 1e9, math.Copysign(0, -1), 100000000}
	v := value{Text: text(rng), Number: rng.Uint64() >> rng.IntN(64), Signed: rng.Int() - rng.Int(),
		Share: floats[rng.IntN(len(floats))], Single: float32(floats[rng.IntN(7)]), Is: rng.IntN(2) > 0,
		Raw: raw(rng), hidden: 1, Counts: counts{rng.Uint64N(9), 2}}
	for range rng.IntN(3) {
		v.Raws = append(v.Raws, raw(rng))
		v.Bytes = append(v.Bytes, byte(rng.Uint32()))
		v.Times = append(v.Times, time.Unix(rng.Int64N(1<<33), rng.Int64N(1e9)).UTC())
		v.Nested = append(v.Nested, nested{Name: text(rng), Skip: "x", Vector: []int32{rng.Int32()}})
		v.Map = map[string]uint64{text(rng): 1, text(rng): 2, "b": 3}
		v.Numbered = map[int32]int64{rng.Int32N(20): 1, rng.Int32N(200): 2}
		v.Pointer = &nested{}
		v.Strings = map[string][]string{text(rng): {text(rng)}, "z": nil}
	}
	v.Any = []any{nil, text(rng), 1.5, []any{text(rng), true}, map[string]any{"k": raw(rng)}, v.Nested,
		raw(rng)}[rng.IntN(7)]
	return v
}

// TestAsEncodingJSON holds that every function writes the bytes of encoding/json.
func TestAsEncodingJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 11))
	for range 3000 {
		v := drawn(rng)
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := jsonout.Marshal(v); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Marshal: %v\n%s\n%s", err, got, want)
		}
		if got, err := jsonout.Append([]byte("<"), v); err != nil || string(got) != "<"+string(want) {
			t.Fatalf("Append: %v\n%s\n%s", err, got, want)
		}
		var line, indented, got bytes.Buffer
		encoder := json.NewEncoder(&indented)
		encoder.SetIndent("", "  ")
		encoder.Encode(v)
		if err := jsonout.WriteIndented(&got, v); err != nil || got.String() != indented.String() {
			t.Fatalf("WriteIndented: %v\n%s\n%s", err, got.String(), indented.String())
		}
		encoder = json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		encoder.Encode(v)
		got.Reset()
		if err := jsonout.WriteLine(&got, v); err != nil || got.String() != line.String() {
			t.Fatalf("WriteLine: %v\n%s\n%s", err, got.String(), line.String())
		}
	}
}

// TestWhatHasNoForm holds that what JSON cannot say is an error, as in encoding/json.
func TestWhatHasNoForm(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), make(chan int), json.RawMessage("[1"), json.RawMessage("x"),
		map[string]any{"a": math.Inf(-1)}} {
		if text, err := jsonout.Marshal(v); err == nil {
			t.Errorf("%v is written as %s", v, text)
		}
		if err := jsonout.WriteLine(new(bytes.Buffer), v); err == nil {
			t.Errorf("%v has a line", v)
		}
	}
}
