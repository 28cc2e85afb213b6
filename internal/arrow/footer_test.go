package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestPolarsFormsHoldTheSame compares a stream with a file whose schema is in its footer alone, and
// whose dictionaries stand behind all batches.
func TestPolarsFormsHoldTheSame(t *testing.T) {
	file := read(t, "polars.ipc")
	if !needsFooter(file[:HeadBytes]) {
		t.Fatal("the file begins like a stream")
	}
	got, want := mustLines(t, file), mustLines(t, read(t, "polars.arrow"))
	if len(want) != 9 || strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("the file has\n%s instead of\n%s", got, want)
	}
	_, err := newReader(bytes.NewReader(file), newLimits(0))
	if err == nil || !strings.Contains(err.Error(), "read as a file") {
		t.Errorf("as a stream of bytes: %v", err)
	}
}

// TestFootersSayWhatSequencesSay reads files both ways.
func TestFootersSayWhatSequencesSay(t *testing.T) {
	for _, name := range []string{"types.ipc", "types-lz4.feather", "few-zstd.feather"} {
		data := read(t, name)
		r, err := newFileReader(bytes.NewReader(data), int64(len(data)), newLimits(0))
		if err != nil {
			t.Fatal(err)
		}
		got, err := rowsOf(r)
		if err != nil || strings.Join(got, "") != strings.Join(mustLines(t, data), "") {
			t.Errorf("%s: by its footer it has other rows, %v", name, err)
		}
	}
}

// blocksIn returns where the blocks of a file's footer stand: dictionaries, then record batches.
func blocksIn(t *testing.T, data []byte) (blocks []int) {
	t.Helper()
	end := len(data) - int(footerEnd)
	start := end - int(binary.LittleEndian.Uint32(data[end:]))
	root := rootOf(data[start:end])
	for _, slot := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		at, n := root.vector(slot, blockBytes)
		for i := range n {
			blocks = append(blocks, start+int(at)+blockBytes*i)
		}
	}
	return blocks
}

// TestFootersThatLie has blocks stand where they cannot.
func TestFootersThatLie(t *testing.T) {
	data := read(t, "polars.ipc")
	blocks := blocksIn(t, data)
	first, second := blocks[len(blocks)-3], blocks[len(blocks)-2]
	put := binary.LittleEndian.PutUint64
	for name, c := range map[string]struct {
		change func(d []byte)
		err    string
	}{
		"behind the end":     {func(d []byte) { put(d[first:], 1<<40) }, "would have"},
		"before the file":    {func(d []byte) { put(d[first:], math.MaxUint64) }, "at byte -1"},
		"at the end of all":  {func(d []byte) { put(d[first:], math.MaxInt64) }, "which is more than there are"},
		"in the magic bytes": {func(d []byte) { put(d[first:], 4) }, "at byte 4, before"},
		"a body of 8 EiB":    {func(d []byte) { put(d[first+16:], math.MaxInt64) }, "damaged"},
		"a negative body":    {func(d []byte) { put(d[first+16:], math.MaxUint64) }, "damaged"},
		"no head":            {func(d []byte) { put(d[first+8:], 0) }, "damaged"},
		"twice the same": {func(d []byte) { copy(d[second:second+blockBytes], d[first:]) },
			"before another one ends"},
		"a dictionary": {func(d []byte) { swap(d, first, blocks[0]) }, "it is not what the footer says"},
		"too short a place": {func(d []byte) { put(d[first+16:], 8) },
			"it is cut off in the middle of a message"},
		"a long footer": {func(d []byte) { binary.LittleEndian.PutUint32(d[len(d)-10:], math.MaxUint32) },
			"its footer would have 4294967295 bytes"},
		"an empty footer": {func(d []byte) { binary.LittleEndian.PutUint32(d[len(d)-10:], 0) },
			"its footer: its metadata"},
	} {
		damaged := slices.Clone(data)
		c.change(damaged)
		if _, err := linesOf(damaged); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func swap(d []byte, a, b int) {
	other := slices.Clone(d[a : a+blockBytes])
	copy(d[a:a+blockBytes], d[b:b+blockBytes])
	copy(d[b:b+blockBytes], other)
}

// TestBatchesComeInTheOrderOfTheFooter has the footer name the second batch before the first.
func TestBatchesComeInTheOrderOfTheFooter(t *testing.T) {
	data := read(t, "polars.ipc")
	lines := mustLines(t, data)
	blocks := blocksIn(t, data)
	swap(data, blocks[len(blocks)-3], blocks[len(blocks)-2])
	want := slices.Concat(lines[4:8], lines[:4], lines[8:])
	if got := mustLines(t, data); !slices.Equal(got, want) {
		t.Errorf("the rows are\n%s", got)
	}
}

// TestFilesAreResumed skips rows of a file that is read by its footer, and of another one.
func TestFilesAreResumed(t *testing.T) {
	data := read(t, "polars.ipc")
	lines := mustLines(t, data)
	open := func(data []byte) stream.RecordReader {
		return openBytes(t, NewTable(asJSON()), data)
	}
	var records stream.Records
	if err := open(data).ReadRecords(t.Context(), &records); err != nil {
		t.Fatal(err)
	}
	at := stream.Position{Name: "a", Records: 5, Head: records.Head}
	r := open(data)
	records = stream.Records{}
	if err := errors.Join(r.Skip(at), r.ReadRecords(t.Context(), &records)); err != nil {
		t.Fatal(err)
	}
	first := records.List[0].Raw
	if got := string(records.Buf[first.Start:first.End]); got != lines[5] {
		t.Errorf("the next row is %s", got)
	}
	blocks := blocksIn(t, data)
	swap(data, blocks[len(blocks)-3], blocks[len(blocks)-2])
	if err := open(data).Skip(at); err == nil || !strings.Contains(err.Error(), "or has changed") {
		t.Errorf("a file with its batches in another order is taken for the same: %v", err)
	}
}

// TestFilesThatShrink has the file cut while it is read.
func TestFilesThatShrink(t *testing.T) {
	data := read(t, "polars.ipc")
	r, err := newFileReader(bytes.NewReader(data), int64(len(data)), newLimits(0))
	if err != nil {
		t.Fatal(err)
	}
	r.in.file = bytes.NewReader(data[:100])
	if _, err := r.Read(); !errors.Is(err, errBreaksOff) {
		t.Error(err)
	}
	_, err = newFileReader(bytes.NewReader(data[:100]), int64(len(data)), newLimits(0))
	if !errors.Is(err, errBreaksOff) {
		t.Error(err)
	}
	if _, err := r.Read(); errors.Is(err, io.EOF) {
		t.Error("what broke off has come to its end")
	}
}

// TestFilesOfOtherWriters reads files whose messages do not stand as in a stream: without a schema
// before the batches, as those of JavaScript, and without an end mark behind them.
func TestFilesOfOtherWriters(t *testing.T) {
	file := read(t, "types.ipc")
	if !IsFile(file) || needsFooter(file) {
		t.Fatal("the test needs a file whose schema stands before its batches")
	}
	want := strings.Join(mustLines(t, file), "")
	footer, err := readFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	first, last := footer.blocks[0], footer.blocks[len(footer.blocks)-1]
	schemaless := slices.Clone(file)
	copy(schemaless[8:first.at], file[first.at:first.at+first.size])
	end := last.at + last.size
	unmarked := slices.Concat(file[:end], file[footer.at:])
	cut := file[:end]
	for name, c := range map[string]struct {
		data []byte
		ends error
	}{"without a schema": {schemaless, io.EOF}, "without an end mark": {unmarked, io.EOF}, "cut": {cut, errNoFooter}} {
		table := NewTable(asJSON())
		r, err := table.OpenFile(name, bytes.NewReader(c.data), int64(len(c.data)), func() error { return nil })
		var lines strings.Builder
		for err == nil {
			var records stream.Records
			err = r.ReadRecords(context.Background(), &records)
			for _, rec := range records.List {
				lines.Write(records.Buf[rec.Raw.Start:rec.Raw.End])
			}
		}
		if !errors.Is(err, c.ends) || lines.String() != want {
			t.Errorf("%s: %v, %s", name, err, firstDifference(lines.String(), want))
		}
	}
}

// TestMessagesOfFilesAreReadAtOnce reads a message that is larger than what is allocated before
// data arrives: in a file its size is known.
func TestMessagesOfFilesAreReadAtOnce(t *testing.T) {
	const size = 5 * readAtOnce
	var file bytes.Buffer
	b, err := NewBuilder(&file, []columns.Column{{Name: "s", Kind: columns.String}}, File)
	if err != nil {
		t.Fatal(err)
	}
	b.Bytes(make([]byte, size))
	if err := errors.Join(b.EndRow(), b.Close()); err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) (rows int, taken uint64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := newFileReader(bytes.NewReader(data), int64(len(data)), newLimits(0))
		if err != nil {
			t.Fatal(err)
		}
		batch, err := r.Read()
		runtime.ReadMemStats(&after)
		if err == nil {
			rows = batch.Rows()
		}
		return rows, after.TotalAlloc - before.TotalAlloc, err
	}
	if rows, taken, err := read(file.Bytes()); rows != 1 || err != nil || taken > size+size/8 {
		t.Errorf("%d rows, %v: took %d bytes to read %d", rows, err, taken, size)
	}
	lying := slices.Clone(file.Bytes())
	block := lying[blocksIn(t, lying)[0]:]
	message := rootOf(lying[binary.LittleEndian.Uint64(block)+8:])
	binary.LittleEndian.PutUint64(message.Bytes[message.Pos+message.slot(messageBodyLength):], 1<<30-8)
	if _, taken, err := read(lying); !errors.Is(err, errBreaksOff) || taken > 2*size+size/8 {
		t.Errorf("a body of 1 GiB: %v, took %d bytes", err, taken)
	}
}
