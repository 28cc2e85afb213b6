package parquet

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// TestNumbering compares a dictionary, also one in the memory of another, with a map.
func TestNumbering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &column{width: rapid.SampledFrom([]int{0, 2}).Draw(t, "width")}
		least, most := c.width, c.width
		if c.width == 0 {
			most = 3
		}
		value := rapid.SliceOfN(rapid.Byte(), least, most)
		d := newDictionaryWriter()
		for range rapid.IntRange(1, 3).Draw(t, "row groups") {
			d.reset()
			n := rapid.IntRange(0, 400).Draw(t, "length")
			var all []byte
			var numbers []uint32
			known := map[string]uint32{}
			for _, v := range rapid.SliceOfN(value, n, n).Draw(t, "values") {
				want, isKnown := known[string(v)]
				if !isKnown {
					want = uint32(len(known))
					known[string(v)] = want
					all = c.appendPlain(all, v)
				}
				if got := d.number(c, v); got != want || !bytes.Equal(d.value(c, got), v) {
					t.Fatalf("value %q has number %d, which is that of %q; it is %d", v, got, d.value(c, got), want)
				}
				numbers = append(numbers, want)
			}
			if !bytes.Equal(d.data, all) || len(d.ends) != len(known) {
				t.Fatalf("%d bytes of %d values after %v, not %d of %d", len(d.data), len(d.ends), numbers, len(all),
					len(known))
			}
		}
	})
}

// TestLongValuesLeaveNoMemory in a dictionary that takes those of further row groups.
func TestLongValuesLeaveNoMemory(t *testing.T) {
	c, d := &column{}, newDictionaryWriter()
	d.number(c, make([]byte, 3*dictionaryBytes))
	for i := range 1 << 12 {
		d.number(c, []byte{byte(i), byte(i >> 8)})
	}
	d.reset()
	d.number(c, []byte("short"))
	if d.reset(); cap(d.data) > 2*dictionaryBytes || len(d.slots) > 1<<10 {
		t.Errorf("%d bytes of values and %d slots", cap(d.data), len(d.slots))
	}
}

// TestRowGroupsTakeNoNewMemory: copying many row groups takes new memory for compressed pages, and
// hardly any other.
func TestRowGroupsTakeNoNewMemory(t *testing.T) {
	const groups, rows = 40, 500
	text := strings.Repeat("the river rises and the valley fills with fog ", 40)
	var file bytes.Buffer
	b, err := NewBuilder(&file, []columns.Column{{Name: "id", Kind: columns.Integer},
		{Name: "text", Kind: columns.String}}, Form{GroupRows: rows})
	if err != nil {
		t.Fatal(err)
	}
	for i := range groups * rows {
		b.Int64(int64(i))
		b.Bytes([]byte(text[i%40:]))
		if err := b.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for repeats, most := range map[bool]int64{true: 8 << 20, false: 24 << 20} { // or the dictionary is given up
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		written := copyCounting(t, file.Bytes(), repeats)
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc-before.TotalAlloc) - written
		if took > most {
			t.Errorf("repeats %t: %d bytes for %d row groups of %d bytes, more than %d", repeats, took, groups,
				rows*len(text), most)
		}
	}
}

// copyCounting copies a file of flat columns, and says how many bytes that made. Where texts are
// not to repeat, each has a number in front.
func copyCounting(t *testing.T, file []byte, repeat bool) int64 {
	t.Helper()
	f := open(t, file)
	defer f.Close()
	var out counted
	w := NewWriter(&out, f, Form{})
	var rows Rows
	for {
		err := f.Read(&rows)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if v := &rows.columns[1]; !repeat {
			start := 0
			for i, end := range v.ends {
				v.data[start], v.data[start+1], v.data[start+2] = byte(i), byte(i>>8), byte(out)
				start = end
			}
		}
		if err := w.Write(&rows, 0, rows.Len()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return int64(out)
}

// counted counts what is written.
type counted int64

func (c *counted) Write(p []byte) (int, error) {
	*c += counted(len(p))
	return len(p), nil
}
