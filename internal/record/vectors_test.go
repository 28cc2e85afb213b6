package record

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
)

func vectorOf(values []byte) (vector []float32) {
	for ; len(values) > 0; values = values[4:] {
		vector = append(vector, math.Float32frombits(binary.LittleEndian.Uint32(values)))
	}
	return vector
}

func TestVectors(t *testing.T) {
	field, err := ParseField("v")
	if err != nil {
		t.Fatal(err)
	}
	p := Vectors(JSONLines([]Field{field}), 2).NewParser()
	for record, want := range map[string]Kind{
		`{"v":[1,-2.5e0]}`: KindReadable, `{"v": [ 1 , 2 ] }`: KindReadable, `{"v":"[1,2]"}`: KindReadable, `{"v":[0,1]}`: KindReadable,
		`{"v":[1]}`: KindVectorLength, `{"v":[1,2,3]}`: KindVectorLength, `{"v":[0,0.0]}`: KindZeroVector, `{"v":[1e-60,0]}`: KindZeroVector,
		`{"v":[1e39,1]}`: KindNotFinite, `{"v":[1,null]}`: KindNotFinite, `{"v":"[NaN,1]"}`: KindNotFinite, `{"v":"[1,-inf]"}`: KindNotFinite,
		`{"v":[]}`: KindNotVector, `{"v":["1",2]}`: KindNotVector, `{"v":[[1],2]}`: KindNotVector, `{"v":[true,1]}`: KindNotVector,
		`{"v":"1,2"}`: KindNotVector, `{"v":"[1,2"}`: KindNotVector, `{"v":{"a":1}}`: KindNotVector, `{"v":null}`: KindNotVector,
		`{"v":1}`: KindNotVector, `{"x":[1,2]}`: KindNoField, `{"v":[1,2]`: KindBadJSON, `[1,2]`: KindNotObject,
	} {
		values, got := p.Text([]byte(record))
		if got.Kind() != want || (len(values) == 8) != (want == KindReadable) {
			t.Errorf("%s: %v with %d bytes, want %v", record, got.Name(), len(values), kindNames[want])
		}
		if text := got.Describe(JSONLines(nil), 1); want != KindReadable && text == "the record is readable" {
			t.Errorf("%s has no words", got.Name())
		}
	}
	if n := VectorLength(field, []byte(`{"v":[1,2,3]}`)); n != 3 {
		t.Errorf("%d dimensions", n)
	}
	if n := VectorLength(field, []byte(`{"v":[0]}`)); n != 0 {
		t.Errorf("%d dimensions of a vector of zeroes", n)
	}
}

// FuzzVector: a list that encoding/json reads as one of float32 is read as the same values, and no
// other JSON is a vector.
func FuzzVector(f *testing.F) {
	for _, list := range []string{"[1,2]", "[ -1e-3 ,0.5]", "[]", "[1,]", `["1"]`, "[[1]]", "[null]", "[1e39]", "[0x1]", "1"} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		field, _ := ParseField("v")
		record := append(append([]byte(`{"v":`), list...), '}')
		values, p := Vectors(JSONLines([]Field{field}), 0).NewParser().Text(record)
		var want struct{ V []*float32 }
		if !json.Valid(record) || len(list) > 0 && list[0] != '[' {
			return
		}
		isZero, isWhole := true, json.Unmarshal(record, &want) == nil && len(want.V) > 0
		for _, v := range want.V {
			isWhole = isWhole && v != nil
			isZero = isZero && (v == nil || *v == 0)
		}
		if (p.IsReadable()) != (isWhole && !isZero) {
			t.Fatalf("%s: %s, encoding/json says %v", record, p.Name(), want.V)
		}
		for i, v := range vectorOf(values) {
			if v != *want.V[i] {
				t.Fatalf("%s: %v, want %v", record, v, *want.V[i])
			}
		}
	})
}
