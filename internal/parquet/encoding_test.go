package parquet

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// TestHybridIsReadAsWritten for values of every width, with long runs and without.
func TestHybridIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 32).Draw(t, "width")
		var values []uint32
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			v := rapid.Uint32Max(uint32(1<<width-1)).Draw(t, "value")
			for range rapid.IntRange(1, 30).Draw(t, "length") {
				values = append(values, v)
			}
		}
		h := newHybrid(appendHybrid(nil, values, width), width)
		for i, want := range values {
			if got, err := h.next(); err != nil || got != want {
				t.Fatalf("value %d of %d is %d, want %d: %v", i, len(values), got, want, err)
			}
		}
	})
}

// TestThriftIsReadAsWritten, whatever the distance between the numbers of fields.
func TestThriftIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w thriftWriter
		w.open()
		id := int16(0)
		var ids []int16
		var values []int64
		for range rapid.IntRange(0, 20).Draw(t, "fields") {
			id += int16(rapid.IntRange(1, 40).Draw(t, "distance"))
			v := rapid.Int64().Draw(t, "value")
			w.i64(id, v)
			ids, values = append(ids, id), append(values, v)
		}
		w.close()
		r := &thriftReader{buf: w.buf}
		i := 0
		for f := r.fields(); f.next(); i++ {
			if got := f.i64(); f.id != ids[i] || got != values[i] {
				t.Fatalf("field %d is %d, want field %d, %d", f.id, got, ids[i], values[i])
			}
		}
		if i != len(ids) || r.err != nil || r.pos != len(w.buf) {
			t.Fatal(i, r.err, r.pos)
		}
	})
}

// TestEveryCodecGivesPagesBack, and takes no page for one of another size.
func TestEveryCodecGivesPagesBack(t *testing.T) {
	var c compressor
	var d decompressor
	defer d.close()
	rapid.Check(t, func(t *rapid.T) {
		how := rapid.SampledFrom([]codec{uncompressed, snappyBlocks, gzipped, brotlied, zstandard, lz4Raw}).Draw(t,
			"codec")
		page := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "page"),
			rapid.IntRange(1, 1000).Draw(t, "times"))
		packed, err := c.compress(how, page)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.decompress(how, nil, packed, len(page)); err != nil || !bytes.Equal(got, page) {
			t.Fatalf("%v: %d bytes of %d: %v", how, len(got), len(page), err)
		}
		for _, size := range []int{len(page) - 1, len(page) + 1, maxPage} {
			if _, err := d.decompress(how, nil, packed, size); err == nil {
				t.Fatalf("%v: %d bytes were taken for %d", how, len(page), size)
			}
		}
	})
}

// TestOldLZ4 reads the three layouts that go under the name LZ4.
func TestOldLZ4(t *testing.T) {
	page := bytes.Repeat([]byte("the river rises "), 100)
	var c compressor
	block, err := c.compress(lz4Raw, page)
	if err != nil {
		t.Fatal(err)
	}
	var frame bytes.Buffer
	w := lz4.NewWriter(&frame)
	w.Write(page)
	w.Close()
	hadoop := binary.BigEndian.AppendUint32(nil, uint32(len(page)))
	hadoop = binary.BigEndian.AppendUint32(hadoop, uint32(len(block)))
	hadoop = append(hadoop, block...)
	var d decompressor
	for name, packed := range map[string][]byte{"block": block, "frame": frame.Bytes(), "hadoop": hadoop} {
		if got, err := d.decompress(lz4Hadoop, nil, packed, len(page)); err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if lz4Hadoop.forOutput() != lz4Raw || lzo.check() == nil {
		t.Error("a deprecated codec is written, or LZO read")
	}
}

// TestSmallPagesTakeNoLargeMemory: what a page claims is compared with what its codec can make of
// so few bytes.
func TestSmallPagesTakeNoLargeMemory(t *testing.T) {
	bomb := append(binary.AppendUvarint(nil, maxPage), 0, 0)
	if n, err := snappy.DecodedLen(bomb); n != maxPage || err != nil {
		t.Fatal("this is no test any more")
	}
	var d decompressor
	for _, how := range []codec{snappyBlocks, lz4Raw, lz4Hadoop} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.decompress(how, nil, bomb, maxPage)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 1<<20 {
			t.Errorf("%v: %d bytes, %v", how, allocated, err)
		}
	}
}
