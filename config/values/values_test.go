package values_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/config/values"
)

// textValue is a value that parses itself.
type textValue interface{ UnmarshalText([]byte) error }

func TestValues(t *testing.T) {
	size, count := func(n values.Size) textValue { return &n }, func(n values.Count) textValue { return &n }
	for _, c := range []struct {
		text string
		want textValue
	}{
		{"4096", size(4096)}, {"64KiB", size(64 << 10)}, {"64 mib", size(64 << 20)},
		{"1.5G", size(3 << 29)}, {"2t", size(2 << 40)},
		{"10b", size(10)}, {"0", size(0)},
		{"5kB", size(5e3)}, {"10MB", size(1e7)}, {"1.5 gb", size(15e8)}, {"2TB", size(2e12)},
		{"1000000", count(1e6)}, {"5e9", count(5e9)}, {"10M", count(1e7)}, {"2b", count(2e9)},
		{"1.5k", count(1500)}, {"1T", count(1e12)},
		{"30s", &values.Checkpoint{Every: 30 * time.Second}}, {"10m", &values.Checkpoint{Every: 10 * time.Minute}},
		{"5M", &values.Checkpoint{Records: 5_000_000}}, {"100000", &values.Checkpoint{Records: 100_000}},
		{"gzip", &values.Compression{Format: "gzip"}}, {"zstd:19", &values.Compression{Format: "zstd", Level: 19}},
	} {
		got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface().(textValue)
		if err := got.UnmarshalText([]byte(c.text)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q as %T: %+v, %v, want %+v", c.text, c.want, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text string
		as   textValue
	}{
		{"", size(0)}, {"lots", size(0)}, {"-1", size(0)}, {"1e30", size(0)}, {"NaN", size(0)}, {"inf", size(0)},
		{"MB", size(0)}, {"10XB", size(0)}, {"1e10TB", size(0)},
		{"", count(0)}, {"lots", count(0)}, {"-1", count(0)}, {"1e19", count(0)}, {"NaN", count(0)},
		{"0", new(values.Checkpoint)}, {"-30s", new(values.Checkpoint)}, {"soon", new(values.Checkpoint)},
		{"gzip:", new(values.Compression)}, {"gzip:0", new(values.Compression)}, {"zstd:fast", new(values.Compression)},
	} {
		if err := c.as.UnmarshalText([]byte(c.text)); err == nil {
			t.Errorf("%q as %T: no error", c.text, c.as)
		}
	}
	if (values.Checkpoint{}).IsSet() || (values.Compression{}).IsSet() {
		t.Error("what nobody has given is set")
	}
}
