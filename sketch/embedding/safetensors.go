package embedding

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// A tensor is an array in a safetensors file. Its data has the size that its shape implies.
type tensor struct {
	name  string
	kind  string // F16, F32, …
	shape []int
	data  []byte
}

// The names of the vectors of tokens.
const vectorsName, weightName = "embeddings", "embedding.weight"

// kindBytes is the element size of each supported kind.
var kindBytes = map[string]int{"F16": 2, "F32": 4, "F64": 8, "I32": 4, "I64": 8}

// maxHeader bounds the header of a safetensors file, as the reference implementation does.
const maxHeader = 100_000_000

// metadataName is the member of a header that is not a tensor.
const metadataName = "__metadata__"

// IsStatic reports whether a directory has a static embedding, judging by the header of its weights
// file.
func IsStatic(dir string) bool {
	file, err := os.Open(filepath.Join(dir, weightsFile))
	if err != nil {
		return false
	}
	defer file.Close()
	var length uint64
	if binary.Read(file, binary.LittleEndian, &length) != nil || length > maxHeader {
		return false
	}
	var header map[string]json.RawMessage
	if json.NewDecoder(io.LimitReader(file, int64(length))).Decode(&header) != nil {
		return false
	}
	return header[vectorsName] != nil || header[weightName] != nil
}

// tensorsOf returns the tensors of a safetensors file: 8 bytes with the length of the header, a
// JSON header, and the data. Tensors alias the file. Unsupported kinds are omitted.
func tensorsOf(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("it has %d bytes, which is less than the length of a header", len(file))
	}
	length, rest := binary.LittleEndian.Uint64(file), file[8:]
	if length > maxHeader || length > uint64(len(rest)) {
		return nil, fmt.Errorf("its header is said to have %d bytes, and after its length there are %d",
			length, len(rest))
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(rest[:length], &header); err != nil {
		return nil, fmt.Errorf("its header cannot be read: %w", err)
	}
	tensors := make(map[string]tensor, len(header))
	for name, text := range header {
		if name == metadataName {
			continue
		}
		t, err := tensorOf(name, text, rest[length:])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if t.data != nil {
			tensors[name] = t
		}
	}
	return tensors, nil
}

// tensorOf returns a tensor as the header describes it. It has no data if its kind is unknown.
func tensorOf(name string, text json.RawMessage, data []byte) (tensor, error) {
	var described struct {
		Kind    string    `json:"dtype"`
		Shape   []uint64  `json:"shape"`
		Offsets [2]uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return tensor{}, fmt.Errorf("its description cannot be read: %w", err)
	}
	t := tensor{name: name, kind: described.Kind}
	size := uint64(kindBytes[t.kind])
	if size == 0 {
		return t, nil
	}
	for _, n := range described.Shape {
		if n > 0 && size > math.MaxInt64/n {
			return t, fmt.Errorf("its shape %v is too large", described.Shape)
		}
		size *= n
		t.shape = append(t.shape, int(n))
	}
	begin, end := described.Offsets[0], described.Offsets[1]
	switch {
	case begin > end || end > uint64(len(data)):
		return t, fmt.Errorf("it is said to be at %d to %d of %d bytes", begin, end, len(data))
	case end-begin != size:
		return t, fmt.Errorf("it has %d bytes, and its shape %v of %s takes %d", end-begin, described.Shape, t.kind,
			size)
	}
	t.data = data[begin:end:end]
	return t, nil
}

// floats returns the values of a tensor of floats. They must be finite.
func (t tensor) floats() ([]float32, error) {
	size := kindBytes[t.kind]
	values := make([]float32, len(t.data)/size)
	for i := range values {
		at := t.data[i*size:]
		switch t.kind {
		case "F16":
			values[i] = fromHalf(binary.LittleEndian.Uint16(at))
		case "F32":
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		case "F64":
			values[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(at)))
		default:
			return nil, fmt.Errorf("tensor %q is of %s: F16, F32 and F64 are possible", t.name, t.kind)
		}
		if v := float64(values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("tensor %q has %v at %v", t.name, v, t.place(i))
		}
	}
	return values, nil
}

// place returns the index of value i in each dimension.
func (t tensor) place(i int) []int {
	at := make([]int, len(t.shape))
	for d := len(at) - 1; d >= 0; d-- {
		at[d], i = i%t.shape[d], i/t.shape[d]
	}
	return at
}

// below returns the values of a tensor of integers. They must be in [0, limit).
func (t tensor) below(limit int) ([]uint32, error) {
	size := kindBytes[t.kind]
	values := make([]uint32, len(t.data)/size)
	for i := range values {
		var v int64
		switch at := t.data[i*size:]; t.kind {
		case "I32":
			v = int64(int32(binary.LittleEndian.Uint32(at)))
		case "I64":
			v = int64(binary.LittleEndian.Uint64(at))
		default:
			return nil, fmt.Errorf("tensor %q is of %s: I32 and I64 are possible", t.name, t.kind)
		}
		if v < 0 || v >= int64(limit) {
			return nil, fmt.Errorf("tensor %q has %d at %d, and there are %d vectors", t.name, v, i, limit)
		}
		values[i] = uint32(v)
	}
	return values, nil
}

// fromHalf returns the value of a float of 16 bits (IEEE 754 binary16).
func fromHalf(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent, fraction := uint32(bits>>10&31), uint32(bits&1023)
	switch exponent {
	case 0: // zero, or a subnormal number
		value := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(value))
	case 31: // an infinity, or NaN
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// matrixOf returns the vectors of a model and their number of dimensions.
func matrixOf(tensors map[string]tensor) (values []float32, dims int, err error) {
	t, ok := tensors[vectorsName]
	if !ok {
		t, ok = tensors[weightName]
	}
	switch {
	case !ok:
		return nil, 0, errors.New(`it has no tensor "embeddings" or "embedding.weight" of F16 or F32`)
	case len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0:
		return nil, 0, fmt.Errorf("tensor %q has the shape %v: it must be a vector for each token", t.name, t.shape)
	case t.shape[1] > MaxDims:
		return nil, 0, fmt.Errorf("tensor %q has vectors of %d dimensions: at most %d are possible",
			t.name, t.shape[1], MaxDims)
	}
	values, err = t.floats()
	return values, t.shape[1], err
}
