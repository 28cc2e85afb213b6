package arrow

import (
	"bytes"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// TestWidthsOfDecimals compares with the Parquet specification: the least bytes that hold all
// numbers of a precision and of both signs.
func TestWidthsOfDecimals(t *testing.T) {
	for precision, want := range map[int32]int{
		1: 1, 2: 1, 3: 2, 4: 2, 9: 4, 10: 5, 18: 8, 19: 9, 20: 9, 38: 16, 39: 17, 76: 32,
	} {
		if got := widthOfDecimal(precision); got != want {
			t.Errorf("precision %d: %d bytes, want %d", precision, got, want)
		}
	}
}

// TestDecimalsChangeWidth: numbers keep their value and their sign where a column has more or fewer
// bytes, and one with more digits than the column is refused.
func TestDecimalsChangeWidth(t *testing.T) {
	for _, c := range []struct {
		from  []byte // the lowest byte first
		width int
		want  []byte // the highest byte first; nil if it is refused
	}{
		{[]byte{1, 2, 0, 0}, 2, []byte{2, 1}}, {[]byte{1, 2, 0, 0}, 6, []byte{0, 0, 0, 0, 2, 1}},
		{[]byte{0xfe, 0xff, 0xff, 0xff}, 1, []byte{0xfe}}, {[]byte{0xfe, 0xff}, 4, []byte{0xff, 0xff, 0xff, 0xfe}},
		{[]byte{0x80, 0, 0, 0}, 1, nil}, {[]byte{0, 0, 1, 0}, 2, nil}, {[]byte{0x7f, 0xff}, 1, nil},
	} {
		var p parquetFile
		var err error
		func() {
			defer recovered(&err)
			p.decimal(&parquet.Type{Width: c.width}, c.from)
		}()
		if (err == nil) != (c.want != nil) || err == nil && !bytes.Equal(p.scratch, c.want) {
			t.Errorf("%x in %d bytes: %x, %v", c.from, c.width, p.scratch, err)
		}
	}
}
