package formats

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/stream"
)

const (
	// sampledBytes is how much of the inputs is read to find the field, after decompression: the
	// same share of each, and more of one whose first record is longer. Of a pipe,
	// files.HeadBytes are read before decompression.
	sampledBytes = 1 << 20

	// mostSampled is how many inputs are sampled, and mostSlow the same if each takes
	// requests to a server, or is a file of columns. leastSampled is read of each.
	mostSampled  = 64
	mostSlow     = 8
	leastSampled = 64 << 10

	// sampledLong bounds how much is read because records are long, before the last input.
	sampledLong = 64 << 20
)

var (
	errReadOnce   = errors.New("it can be read only once: name the field")
	errNoneIsRead = errors.New("none of its first records can be read: name the field")
)

// A finder looks for the field with the text.
type finder struct {
	Request
	std   files.Streams
	share int   // bytes that are read of each input
	read  int64 // bytes that were read
}

// samples returns the records at the beginnings of some inputs that have any. If they cannot be
// read, it returns the path of the input and an error. Once one input has records, another one that
// cannot be read is left out: what is wrong with it is reported when it is read.
func (f *finder) samples(ctx context.Context) (all []textfield.Sample, path string, err error) {
	chosen, others := f.sampledPaths()
	f.share = max(leastSampled, sampledBytes/max(1, len(chosen)))
	for _, path = range chosen {
		records, err := f.firstRecords(ctx, path)
		switch {
		case err != nil && (len(all) == 0 || ctx.Err() != nil):
			return nil, path, err
		case len(records) > 0:
			all = append(all, textfield.Sample{Input: files.InputName(path), Records: records})
		}
	}
	if len(all) > 0 {
		return all, "", nil
	}
	f.Paths = others
	path, records, err := f.firstWithRecords(ctx)
	if len(records) > 0 {
		all = append(all, textfield.Sample{Input: files.InputName(path), Records: records})
	}
	return all, path, err
}

// sampledPaths returns the inputs that are sampled: the first one, and some that are evenly
// distributed among the others.
func (f *finder) sampledPaths() (chosen, others []string) {
	most := mostSampled
	if layout.IsColumnar(f.Name) || slices.ContainsFunc(f.Paths, object.IsRemote) {
		most = mostSlow
	}
	if most = min(most, len(f.Paths)); most < 2 {
		return f.Paths, nil
	}
	next := 0
	for i, path := range f.Paths {
		if i == next*(len(f.Paths)-1)/(most-1) {
			chosen = append(chosen, path)
			next++
		} else {
			others = append(others, path)
		}
	}
	return chosen, others
}

// firstWithRecords returns the first input that has records, and the records at its beginning. If
// no input has records, it returns the last one.
func (f *finder) firstWithRecords(ctx context.Context) (path string, records [][]byte, err error) {
	f.share = sampledBytes
	for _, path = range f.Paths {
		if records, err = f.firstRecords(ctx, path); err != nil || len(records) > 0 {
			break
		}
	}
	return path, records, err
}

// firstRecords returns the records at the beginning of an input as JSON objects. They are read
// again later.
func (f *finder) firstRecords(ctx context.Context, path string) ([][]byte, error) {
	if layout.IsColumnar(f.Name) {
		return f.firstRows(ctx, path)
	}
	for size := f.share; ; size *= 2 {
		sample, isAll, err := f.beginningOf(ctx, path, size)
		if err != nil {
			return nil, err
		}
		records := f.recordsOf(ctx, sample, isAll)
		if len(records) > 0 || isAll {
			f.read += int64(len(sample))
			return records, nil
		}
		if len(sample) > f.MaxRecord || f.read+int64(2*len(sample)) > sampledLong+int64(2*f.MaxRecord) {
			return nil, errNoneIsRead
		}
	}
}

// firstRows returns some of the rows of a file as JSON objects.
func (f *finder) firstRows(ctx context.Context, path string) ([][]byte, error) {
	if info, err := os.Stat(path); !object.IsRemote(path) && err == nil && !info.Mode().IsRegular() || path == "-" {
		return nil, errReadOnce
	}
	table := of(f.Name).rows(columnar.RowNeeds{MaxRecord: f.MaxRecord, AsJSON: true, Unwritten: true})
	rows, err := table.Open(files.InputName(path), path, f.std)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var first stream.Records
	if err := rows.ReadRecords(ctx, &first); err != nil && err != io.EOF {
		return nil, err
	}
	var records [][]byte
	for _, r := range first.List {
		records = append(records, first.Buf[r.Raw.Start:r.Raw.End])
	}
	return records, nil
}

// beginningOf reads the beginning of an input without consuming it. isAll reports that there is
// nothing after it.
func (f *finder) beginningOf(ctx context.Context, path string, size int) (sample []byte, isAll bool, err error) {
	in, isAll, err := f.openBeginning(ctx, path, size)
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	sample, err = io.ReadAll(io.LimitReader(in, int64(size)))
	if len(sample) > 0 {
		err = nil // one that comes later is reported when the input is read
	}
	return sample, isAll && len(sample) < size, err
}

// openBeginning opens the first bytes of an input, at least size unless it has fewer or is a pipe.
// isAll reports that nothing follows them.
func (f *finder) openBeginning(ctx context.Context, path string, size int) (in io.ReadCloser, isAll bool, err error) {
	if path != "-" {
		info, err := os.Stat(path)
		if !object.IsRemote(path) && err == nil && !info.Mode().IsRegular() {
			return nil, false, errReadOnce
		}
		in, err = f.std.Open(path)
		return in, true, err
	}
	info, err := f.std.In.Stat()
	switch {
	case err != nil:
		return nil, false, err
	case info.Mode().IsRegular():
		in, err = f.std.OpenAgain(path)
		return in, true, err
	case !files.IsPipe(f.std.In):
		return nil, false, errReadOnce
	}
	if f.std.First == nil {
		f.std.First = files.NewStdin(f.std.In)
	}
	size = size / f.share * files.HeadBytes
	if err := f.std.First.Fill(ctx, size); err != nil {
		return nil, false, err
	}
	first := f.std.First.Buffered()
	in, err = compress.NewReader(io.NopCloser(bytes.NewReader(first)), "", f.std.MaxWindow)
	return in, len(first) < size, err
}

// recordsOf returns the records at the beginning of an input as JSON objects. isAll says that the
// sample is the whole input, so that its last record is complete.
func (f *finder) recordsOf(ctx context.Context, sample []byte, isAll bool) (records [][]byte) {
	s := f.Settings
	s.Fields = []string{"text"}
	if of(s.Name).Has(layout.Columns) {
		s.Fields = []string{"1"} // any column will do
	}
	format, err := Cut(s, f.MaxRecord)
	if err != nil {
		return nil
	}
	if !isAll && !layout.Of(s.Name).Has(layout.Array) {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	var objects bytes.Buffer
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: []stream.Input{{Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(sample)), nil
			}}},
			Format: format, MaxRecord: f.MaxRecord,
		},
		Method:  stream.Method{Judge: stream.KeepAll()},
		Outputs: stream.Outputs{Output: &objects, Form: stream.Form{Convert: true}}, Threads: 1,
	})
	if err != nil {
		return nil
	}
	run.Do(ctx) // it ends after the last complete record
	return bytes.FieldsFunc(objects.Bytes(), func(r rune) bool { return r == '\n' })
}
