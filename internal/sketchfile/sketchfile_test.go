package sketchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// A record is what a reader gives out.
type record struct {
	keys    []Key
	words   []uint64
	problem int
}

var testHeader = Header{
	Parameters: []Parameter{{Name: "markup", Value: "none"}, {Name: "normalize", Value: "nfkc-fold,strip-accents"},
		{Name: "bands", Value: "3"}},
	Problems: []string{"empty text", "not valid JSON"},
}

// extendedHeader is the header of a file with words after the keys of each record.
var extendedHeader = Header{
	Parameters: append(slices.Clone(testHeader.Parameters), Parameter{Name: "words", Value: "2"}),
	Problems:   testHeader.Problems,
}

// recordsOf are n records of a header, of 3 bands; every fifth one has no keys.
func recordsOf(h Header, n int) []record {
	records := testRecords(n)
	for i, r := range records {
		for word := range h.Words() {
			if r.problem == 0 {
				records[i].words = append(records[i].words, uint64(i*1000+word))
			}
		}
	}
	return records
}

// testRecords are the records below testHeader.
func testRecords(n int) []record {
	records := make([]record, n)
	for i := range records {
		if i%5 == 4 {
			records[i].problem = 1 + i%2
			continue
		}
		for band := range uint64(3) {
			records[i].keys = append(records[i].keys, Key{Hi: uint64(i)<<8 + band, Lo: ^uint64(i)})
		}
	}
	return records
}

func write(t testing.TB, h Header, records []record) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.problem == 0 {
			err = errors.Join(err, w.Add(r.keys, r.words...))
		} else {
			err = errors.Join(err, w.AddWithout(r.problem))
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll returns what comes before the error, which is nil at the end of a whole file.
func readAll(src io.Reader) (h Header, records []record, err error) {
	r, err := NewReader(src)
	if err != nil {
		return h, nil, err
	}
	for {
		keys, problem, err := r.Next()
		if err == io.EOF {
			return r.Header(), records, nil
		}
		if err != nil {
			return r.Header(), records, err
		}
		if problem > 0 {
			records = append(records, record{problem: problem})
			continue
		}
		records = append(records, record{append([]Key(nil), keys...), append([]uint64(nil), r.Words()...), problem})
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		header := rapid.SampledFrom([]Header{testHeader, extendedHeader}).Draw(rt, "header")
		n := rapid.SampledFrom([]int{0, 1, 5, 100, 7000}).Draw(rt, "records") // a block has some 6,000
		want := recordsOf(header, n)
		data := write(t, header, want)
		src := rapid.SampledFrom([]func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
		}).Draw(rt, "reader")
		h, got, err := readAll(src(bytes.NewReader(data)))
		if err != nil || !reflect.DeepEqual(h, header) || len(got) != len(want) ||
			len(want) > 0 && !reflect.DeepEqual(got, want) {
			rt.Fatalf("%d of %d records, %+v, %v", len(got), len(want), h, err)
		}
		if n, err := Count(bytes.NewReader(data), int64(len(data))); err != nil || n != uint64(len(want)) {
			rt.Fatalf("by its end it has %d of %d records, %v", n, len(want), err)
		}
	})
}

// TestAnyDamageIsNoticed flips each bit and cuts at each byte: what is given out before is right,
// and the file is refused.
func TestAnyDamageIsNoticed(t *testing.T) {
	testAnyDamage(t, testHeader)
	testAnyDamage(t, extendedHeader)
}

func testAnyDamage(t *testing.T, h Header) {
	want := recordsOf(h, 12)
	data := write(t, h, want)
	check := func(what string, at int, damaged []byte) {
		_, got, err := readAll(bytes.NewReader(damaged))
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) || len(got) > len(want) ||
			len(got) > 0 && !reflect.DeepEqual(got, want[:len(got)]) {
			t.Errorf("%s at %d: %d records, %v", what, at, len(got), err)
		}
		if !strings.HasPrefix(err.Error(), "byte ") {
			t.Errorf("%s at %d: no place in %q", what, at, err)
		}
	}
	for at := range data {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1 << bit
			check("flipped", at, flipped)
		}
		check("cut", at, data[:at])
		check("a byte more", at, append(append(bytes.Clone(data[:at]), 0), data[at:]...))
		if _, err := Count(bytes.NewReader(data), int64(at)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut at %d: by its end: %v", at, err)
		}
	}
	check("continued", len(data), append(bytes.Clone(data), 'x'))
	check("repeated", len(data), append(bytes.Clone(data), data...))
}

// TestABlockIsOfItsFile is that blocks cannot be exchanged, although each is right in its own file.
func TestABlockIsOfItsFile(t *testing.T) {
	other := testHeader
	other.Parameters = []Parameter{{Name: "markup", Value: "html"},
		{Name: "normalize", Value: "nfkc-fold,strip-accents"}, {Name: "bands", Value: "3"}}
	a, b := write(t, testHeader, testRecords(12)), write(t, other, testRecords(12))
	header, _ := testHeader.encode()
	if len(a) != len(b) {
		t.Fatal("the files differ in length")
	}
	mixed := append(bytes.Clone(header), b[len(header):]...)
	if _, got, err := readAll(bytes.NewReader(mixed)); !errors.Is(err, ErrCorrupt) || len(got) != 0 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	data := write(t, testHeader, testRecords(12))
	header, _ := testHeader.encode()
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "byte 0: not a whole sketch file: it does not begin as a sketch file"},
		{[]byte("{\"text\":\"one\"}\n"), "byte 0: not a whole sketch file: it does not begin as a sketch file"},
		{bytes.Replace(data, []byte("version\t1"), []byte("version\t3"), 1), `byte 24: unknown version of the sketch-file format: it is "version\t3", this program knows 1 and 2: use a newer program`},
		{append([]byte(opening+"version\t1\nproblem\t"), bytes.Repeat([]byte("x"), maxHeader)...),
			"byte 0: not a whole sketch file: its header is longer than 65536 bytes"},
		{data[:len(header)+40], "byte 186: not a whole sketch file: it ends within the block that begins here"},
		{data[:len(data)-endSize],
			"byte 706: not a whole sketch file: it ends here, without its end: it is not complete"},
		{append(bytes.Clone(data), data...), "byte 746: not a whole sketch file: it continues after its end"},
	} {
		_, _, err := readAll(bytes.NewReader(c.data))
		if err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	broken := errors.New("broken")
	_, _, err := readAll(io.MultiReader(bytes.NewReader(data[:300]), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
		t.Errorf("a failure to read: %v", err)
	}
}

// TestAWriterRefuses what a reader could not make sense of.
func TestAWriterRefuses(t *testing.T) {
	for _, h := range []Header{
		{},
		{Parameters: []Parameter{{Name: "bands", Value: "0"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "65537"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}, {Name: "bands", Value: "3"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}, {Name: "a\tb", Value: "3"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}, {Name: "words", Value: "0"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}, {Name: "words", Value: "16385"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}, {Name: "words", Value: "x"}}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}}, Problems: []string{"a", "a"}},
		{Parameters: []Parameter{{Name: "bands", Value: "3"}}, Problems: []string{"a\nb"}},
	} {
		if _, err := NewWriter(io.Discard, h); err == nil {
			t.Errorf("%+v is written", h)
		}
	}
	w, err := NewWriter(io.Discard, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	if w.Add(make([]Key, 2)) == nil || w.Add(make([]Key, 3), 1) == nil ||
		w.AddWithout(0) == nil || w.AddWithout(3) == nil {
		t.Error("a record that cannot be is written")
	}
}

// TestTheLargestRecord writes the record with the most bands that there can be.
func TestTheLargestRecord(t *testing.T) {
	h := Header{Parameters: []Parameter{{Name: "bands", Value: "65536"}}}
	want := []record{{keys: make([]Key, maxBands)}, {keys: make([]Key, maxBands)}}
	want[1].keys[maxBands-1].Lo = 1
	if _, got, err := readAll(bytes.NewReader(write(t, h, want))); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d records, %v", len(got), err)
	}
}

var writeFormat = flag.Bool("write-format", false, "write the sample file of the present version")

// Files of every version stay readable, and are written as ever. If this fails, the format has
// changed without a new version.
func TestFormat(t *testing.T) {
	for _, h := range []Header{testHeader, extendedHeader} {
		path := filepath.Join("..", "..", "testdata", "format", "sketch-v"+h.version(), "sample.sketch")
		want := recordsOf(h, 23)
		written := write(t, h, want)
		if *writeFormat {
			os.MkdirAll(filepath.Dir(path), 0o777)
			if err := os.WriteFile(path, written, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stored, written) {
			t.Errorf("%s is written otherwise now", path)
		}
		if got, records, err := readAll(bytes.NewReader(stored)); err != nil || !reflect.DeepEqual(got, h) ||
			!reflect.DeepEqual(records, want) {
			t.Errorf("%s: %+v, %d records, %v", path, got, len(records), err)
		}
	}
}

// FuzzReader hands the reader a header, and blocks whose checksums are right, so that what is in
// them is reached.
func FuzzReader(f *testing.F) {
	header, _ := testHeader.encode()
	whole := write(f, testHeader, testRecords(7))
	f.Add(header, whole[len(header):len(whole)-endSize-checksumSize], uint64(7), false)
	f.Add(header, whole[len(header)+headSize:len(whole)-endSize-checksumSize], uint64(7), true)
	f.Add(header, []byte{0, 1, 2, 3, 0, 0, 0, 0}, uint64(4), true)
	extended, _ := extendedHeader.encode()
	f.Add(extended, whole[len(header):len(whole)-endSize-checksumSize], uint64(7), false)
	f.Add(extended, []byte{0, 1, 2, 3, 0, 0, 0, 0}, uint64(4), true)
	f.Add(bytes.Replace(header, []byte("3\n"), []byte("65536\n"), 1), []byte{1, 1}, uint64(2), true)
	f.Fuzz(func(t *testing.T, header, payload []byte, records uint64, framed bool) {
		text, sum := header, xxh3.Hash(header)
		if framed { // let the fuzzer past the checksums
			if at := bytes.LastIndex(header, []byte(checksumLine)); at >= 0 {
				sum = xxh3.Hash(header[:at])
				text = append(bytes.Clone(header[:at]), []byte(checksumLine+hex16(sum)+"\n")...)
			}
		}
		block := payload
		if framed {
			block = append(appendHead(nil, blockMagic, len(payload), records), payload...)
			block = binary.LittleEndian.AppendUint64(block, xxh3.HashSeed(block, sum))
		}
		data := append(bytes.Clone(text), block...)
		_, got, err := readAll(bytes.NewReader(data))
		if err == nil {
			t.Fatal("a file without its end is whole")
		}
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
		if len(got) > len(payload) {
			t.Fatalf("%d records come out of %d bytes", len(got), len(payload))
		}
	})
}

func hex16(n uint64) string {
	const digits = "0123456789abcdef"
	b := make([]byte, 16)
	for i := range b {
		b[i] = digits[n>>(60-4*i)&15]
	}
	return string(b)
}

func BenchmarkReader(b *testing.B) {
	data := write(b, testHeader, testRecords(50_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, _, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
