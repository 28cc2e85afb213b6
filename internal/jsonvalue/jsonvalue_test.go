package jsonvalue

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func TestAppendDecimal(t *testing.T) {
	for _, c := range []struct {
		n     int64
		scale int
		want  string
	}{
		{0, 0, "0"}, {0, 2, "0.00"}, {5, 2, "0.05"}, {-5, 2, "-0.05"}, {12345, 2, "123.45"}, {12345, 5, "0.12345"},
		{7, -3, "7000"}, {0, -3, "0"}, {-12, 0, "-12"}, {3, maxScale + 1, "3"}, {3, -maxScale, "3"},
	} {
		if got := string(AppendDecimal(nil, big.NewInt(c.n), c.scale)); got != c.want {
			t.Errorf("%d at scale %d is %s, want %s", c.n, c.scale, got, c.want)
		}
	}
}

func TestAppendTime(t *testing.T) {
	for _, c := range []struct {
		n, inSecond int64
		layout      string
		want        string
	}{
		{0, 1, Instant, `"1970-01-01T00:00:00Z"`},
		{-1, 1000, Local, `"1969-12-31T23:59:59.999"`},
		{1, 1e9, Instant, `"1970-01-01T00:00:00.000000001Z"`},
		{86399_500, 1000, TimeOfDay, `"23:59:59.5"`},
	} {
		if got := string(AppendTime(nil, c.n, c.inSecond, c.layout)); got != c.want {
			t.Errorf("%d of %d in a second is %s, want %s", c.n, c.inSecond, got, c.want)
		}
	}
	if got := string(AppendDay(nil, -1)); got != `"1969-12-31"` {
		t.Errorf("the day before 1970 is %s", got)
	}
}

// TestFloatsAreReadAgain holds every number against what a JSON parser and strconv make of it.
func TestFloatsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		written := AppendFloat(nil, f, 64)
		var got any
		if err := json.Unmarshal(written, &got); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			if got != nil {
				t.Fatalf("%v is %s, want null", f, written)
			}
			return
		}
		if got != f {
			t.Fatalf("%v is %s", f, written)
		}
	})
}

func TestHalfFloat(t *testing.T) {
	for bits, want := range map[uint16]string{
		0: "0", 0x3c00: "1", 0xc000: "-2", 0x0001: "5.960464477539063e-08", 0x7bff: "65504", 0x7c00: "NaN",
		0x7e00: "NaN", 0x3555: "0.333251953125",
	} {
		got := strings.Replace(strconv.FormatFloat(HalfFloat(bits), 'g', -1, 64), "e+", "e", 1)
		if got != want {
			t.Errorf("%#04x is %s, want %s", bits, got, want)
		}
	}
}
