package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// indexed is what the footer says about a chunk for readers that prune.
type indexed struct {
	nulls                     int64
	least, most               []byte
	leastIsExact, mostIsExact bool
	hasBounds                 bool
	offsets, columns          []byte // OffsetIndex and ColumnIndex
}

// indexesOf reads them for all chunks of a row group.
func indexesOf(t *testing.T, f *footer, data []byte, group int) (all []indexed) {
	r := &thriftReader{buf: f.raw, pos: int(f.groups[group])}
	for g := r.fields(); g.next(); {
		if g.id != 1 {
			g.skip()
			continue
		}
		for range g.list(thriftStruct) {
			var x indexed
			var at, length [8]int64
			for c := r.fields(); c.next(); {
				switch c.id {
				case 3:
					x.readStatistics(c.structField())
				case 4, 6:
					at[c.id] = c.i64()
				case 5, 7:
					length[c.id-1] = int64(c.i32())
				default:
					c.skip()
				}
			}
			x.offsets = data[at[4] : at[4]+length[4]]
			x.columns = data[at[6] : at[6]+length[6]]
			all = append(all, x)
		}
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	return all
}

func (x *indexed) readStatistics(m fields) {
	for m.next() {
		if m.id != 12 {
			m.skip()
			continue
		}
		for s := m.structField(); s.next(); {
			switch s.id {
			case 3:
				x.nulls = s.i64()
			case 5:
				x.most, x.hasBounds = s.bytes(), true
			case 6:
				x.least = s.bytes()
			case 7:
				x.mostIsExact = s.bool()
			case 8:
				x.leastIsExact = s.bool()
			default:
				s.skip()
			}
		}
	}
}

// pagesOf decodes the indexes of a chunk.
func (x *indexed) pagesOf(t *testing.T) (pages []pageEntry, offsets []int64, hasBounds bool) {
	r := &thriftReader{buf: x.offsets}
	for f := r.fields(); f.next(); {
		for range f.list(thriftStruct) {
			var p pageEntry
			for l := r.fields(); l.next(); {
				switch l.id {
				case 1:
					offsets = append(offsets, l.i64())
				case 2:
					p.size = int(l.i32())
				case 3:
					p.row = l.i64()
				}
			}
			pages = append(pages, p)
		}
	}
	if len(x.columns) == 0 {
		return pages, offsets, false
	}
	c := &thriftReader{buf: x.columns}
	for f := c.fields(); f.next(); {
		switch f.id {
		case 1:
			for i := range f.list(thriftTrue) {
				pages[i].allNull = c.byte() == thriftTrue
			}
		case 2:
			for i := range f.list(thriftBinary) {
				pages[i].min = c.bytes()
			}
		case 3:
			for i := range f.list(thriftBinary) {
				pages[i].max = c.bytes()
			}
		case 5:
			for i := range f.list(thriftI64) {
				pages[i].nulls = unzigzag(c.uvarint())
			}
		default:
			f.skip()
		}
	}
	if r.err != nil || c.err != nil {
		t.Fatal(r.err, c.err)
	}
	return pages, offsets, true
}

// column of all rows of a file, row by row: levels that are null, and values.
type wholeColumn struct {
	nulls  []int64
	values [][][]byte
}

func columnsOf(t *testing.T, f *File) []wholeColumn {
	all := make([]wholeColumn, len(f.Schema().columns))
	for {
		var rows Rows
		err := f.Read(&rows)
		for i := range rows.columns {
			v, c := &rows.columns[i], f.Schema().columns[i]
			for row := range rows.n {
				a, b := v.start(row), v.start(row+1)
				var values [][]byte
				for n := a.values; n < b.values; n++ {
					values = append(values, bytes.Clone(v.value(c, n)))
				}
				all[i].values = append(all[i].values, values)
				all[i].nulls = append(all[i].nulls, int64(b.levels-a.levels-len(values)))
			}
		}
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// checkBounds compares bounds with all values that they are about.
func checkBounds(t *testing.T, c *column, least, most []byte, exact bool, values [][]byte) {
	t.Helper()
	compare, found := c.order(), [2]bool{}
	for _, v := range values {
		if c.isNumber() && math.IsNaN(c.number(v)) {
			continue
		}
		if compare(least, v) > 0 || compare(most, v) < 0 {
			t.Fatalf("%s: %x is not between %x and %x", c.name(), v, least, most)
		}
		found[0], found[1] = found[0] || compare(least, v) == 0, found[1] || compare(most, v) == 0
	}
	if exact && !(found[0] && found[1]) {
		t.Fatalf("%s: %x and %x are no values", c.name(), least, most)
	}
}

// checkIndexes compares the statistics and the page indexes of a file with its values.
func checkIndexes(t *testing.T, data []byte) (pages, bounds int) {
	t.Helper()
	f := open(t, data)
	columns, first := columnsOf(t, open(t, data)), 0
	for g := range f.footer.groups {
		group, err := f.footer.group(g)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range indexesOf(t, f.footer, data, g) {
			c, whole := f.Schema().columns[i], columns[i]
			all := func(from, to int) (values [][]byte, nulls int64) {
				for row := from; row < to; row++ {
					values, nulls = append(values, whole.values[row]...), nulls+whole.nulls[row]
				}
				return values, nulls
			}
			values, nulls := all(first, first+int(group.rows))
			if nulls != x.nulls {
				t.Fatalf("%s: %d nulls, %d are said", c.name(), nulls, x.nulls)
			}
			if x.hasBounds {
				bounds++
				checkBounds(t, c, x.least, x.most, x.leastIsExact && x.mostIsExact, values)
			}
			entries, offsets, hasBounds := x.pagesOf(t)
			pages += len(entries)
			for p, e := range entries {
				end := int64(group.rows)
				if p+1 < len(entries) {
					end = entries[p+1].row
				}
				values, nulls := all(first+int(e.row), first+int(end))
				h, _, err := (&pageReader{file: bytes.NewReader(data), at: offsets[p], end: offsets[p] + int64(e.size),
					codec: group.chunks[i].codec, unpack: f.unpack, budget: f.budget}).next()
				if err != nil || int64(h.values) != int64(len(values))+nulls {
					t.Fatalf("%s: page %d has %d values, %d expected, %v", c.name(), p, h.values, len(values), err)
				}
				if !hasBounds {
					continue
				}
				if e.nulls != nulls || e.allNull != (len(values) == 0) {
					t.Fatalf("%s: page %d has %d nulls, %d are said", c.name(), p, nulls, e.nulls)
				}
				if !e.allNull {
					checkBounds(t, c, e.min, e.max, false, values)
				}
			}
		}
		first += int(group.rows)
	}
	return pages, bounds
}

func TestStatisticsOfAllTypes(t *testing.T) {
	for _, path := range testFiles(t) {
		random := rand.New(rand.NewPCG(5, 5))
		data := copyRows(t, open(t, read(t, path)), func(int) bool { return random.IntN(2) == 0 })
		_, bounds := checkIndexes(t, data)
		if bounds == 0 && !strings.Contains(path, "int96") && !strings.Contains(path, "empty") {
			t.Errorf("%s: no column has bounds", path)
		}
	}
}

func TestIndexesOfManyPages(t *testing.T) {
	file, _ := buildRows(t, 30_000)
	if pages, bounds := checkIndexes(t, file); pages < 15 || bounds < 5 {
		t.Errorf("%d pages, %d chunks with bounds", pages, bounds)
	}
}

// Row groups have the rows, or the bytes, that are asked for.
func TestSizeOfRowGroups(t *testing.T) {
	file, _ := buildRows(t, 20_000)
	for name, c := range map[string]struct {
		form     Form
		from, to int // groups
	}{
		"as before": {Form{}, 1, 1}, "rows": {Form{GroupRows: 3000}, 7, 7}, "bytes": {Form{GroupBytes: 1 << 20}, 8, 14},
		"both": {Form{GroupRows: 3000, GroupBytes: 1 << 30}, 7, 7}, "large": {Form{GroupBytes: 1 << 40}, 1, 1},
	} {
		f := open(t, file)
		var out bytes.Buffer
		w := NewWriter(&out, f, c.form)
		for {
			var rows Rows
			err := f.Read(&rows)
			if failed := w.Write(&rows, 0, rows.Len()); failed != nil {
				t.Fatal(failed)
			}
			if err == io.EOF {
				break
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(open(t, out.Bytes()).footer.groups); got < c.from || got > c.to {
			t.Errorf("%s: %d row groups, want %d to %d", name, got, c.from, c.to)
		}
		checkIndexes(t, out.Bytes())
	}
}

func TestBoundsOfStrings(t *testing.T) {
	c := &column{node: &node{}, physical: byteArray}
	c.annotation.converted = -1
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "é", "河", "\xff", "\U0010ffff", "\ud7ff", "\x00"})
		var e extremes
		var values [][]byte
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			beginning := strings.Repeat(letters.Draw(t, "repeated"), rapid.IntRange(0, 70).Draw(t, "times"))
			v := []byte(beginning + strings.Join(rapid.SliceOfN(letters, 0, 90).Draw(t, "value"), ""))
			values = append(values, v)
			e.add(c, bytes.Compare, v)
		}
		b, ok := e.bounds(c)
		if !ok { // only if nothing of that length is above the greatest
			greatest := slices.MaxFunc(values, bytes.Compare)
			if head := greatest[:min(len(greatest), maxBound-3)]; len(greatest) <= maxBound ||
				len(bytes.ReplaceAll(bytes.ReplaceAll(head, []byte("\U0010ffff"), nil), []byte("\xff"), nil)) > 3 {
				t.Fatalf("there are no bounds of %q", values)
			}
			return
		}
		for _, v := range values {
			if bytes.Compare(b.min, v) > 0 || bytes.Compare(b.max, v) < 0 {
				t.Fatalf("%q is not between %q and %q", v, b.min, b.max)
			}
		}
		if len(b.min) > maxBound || !b.maxIsExact && len(b.max) > maxBound+3 {
			t.Fatalf("bounds of %d and %d bytes", len(b.min), len(b.max))
		}
	})
}

func TestOrders(t *testing.T) {
	decimals := [][]byte{{0x80, 0}, {0xff}, {0xff, 0xff, 0xff}, {}, {0, 0}, {1}, {0x7f, 0}}
	want := []int{-32768, -1, -1, 0, 0, 1, 32512}
	for i, a := range decimals {
		for j, b := range decimals {
			if got, want := compareDecimals(a, b), cmpInt(want[i], want[j]); got != want {
				t.Errorf("%x and %x compare as %d, want %d", a, b, got, want)
			}
		}
	}
	for physical, c := range map[physical]struct{ signed, unsigned string }{
		int32s: {"ffffffff 00000000 ffffff7f", "00000000 ffffff7f ffffffff"},
		int64s: {"ffffffffffffffff 0000000000000000", "0000000000000000 ffffffffffffffff"},
	} {
		for meaning, values := range map[meaning]string{plain: c.signed, unsignedInt: c.unsigned} {
			column := &column{node: &node{annotation: annotation{meaning: meaning}}, physical: physical}
			var last []byte
			for s := range strings.FieldsSeq(values) {
				var v []byte
				fmt.Sscanf(s, "%x", &v)
				if last != nil && column.order()(last, v) >= 0 {
					t.Errorf("%v: %x is not less than %x", physical, last, v)
				}
				last = v
			}
		}
	}
	if (&column{node: &node{}, physical: int96}).order() != nil {
		t.Error("INT96 has an order")
	}
}

func cmpInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
