package formats

import (
	"bufio"
	"context"
	"io"
	"os"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
	"github.com/mithril-stream/mithril-stream/internal/warc"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Limits for estimating how many records the inputs have.
const (
	leastEstimated = 16 << 20 // bytes of all inputs; the records of fewer are not estimated
	sampledInputs  = 8
	beginningBytes = 1 << 20  // of an input, as it is on disk
	mostUnpacked   = 64 << 20 // of these, decompressed: some streams become a thousand times as long
	mostRows       = 8        // that a file may claim to have for each of its bytes
	samplePlaces   = 64       // in an uncompressed input whose records can be read from any place
)

// A sized is an input of known size that can be read at any offset, so that it can be read again
// later.
type sized struct {
	path string
	at   io.ReaderAt
	size int64
}

// Estimate estimates how many records the inputs have from samples of some of them. It assumes that
// objects are as large on average as those in the sample. It returns 0 if the number cannot be
// known, as for pipes and for servers that send an object in one piece, or is not worth estimating.
// Errors are reported when an input is read for good.
func (s *Source) Estimate(ctx context.Context) (records uint64) {
	paths, count := s.request.Paths, of(s.Name).count
	onDisk, isKnown := s.onDisk()
	if count == nil || !isKnown {
		return 0
	}
	var inputs []sized
	defer func() {
		for _, in := range inputs {
			in.close()
		}
	}()
	var objects, objectBytes int64
	for i := 0; i < len(paths); i += max(1, len(paths)/sampledInputs) {
		in, err := s.open(paths[i])
		if err != nil {
			return 0
		}
		if inputs = append(inputs, in); !in.isOnDisk() {
			objects, objectBytes = objects+1, objectBytes+in.size
		}
	}
	total := float64(onDisk.bytes)
	if objects > 0 {
		total += float64(objectBytes) / float64(objects) * float64(len(paths)-onDisk.files)
	}
	if total < leastEstimated {
		return 0
	}
	return uint64(s.density(ctx, inputs, count) * total)
}

// onDisk counts the inputs on this machine, and their bytes. isKnown is false if one of them is a
// pipe.
func (s *Source) onDisk() (local struct {
	files int
	bytes int64
}, isKnown bool) {
	for _, path := range s.request.Paths {
		if object.IsRemote(path) {
			continue
		}
		size, err := s.sizeOf(path)
		if err != nil {
			return local, false
		}
		local.files, local.bytes = local.files+1, local.bytes+size
	}
	return local, true
}

// sizeOf returns how many bytes of a file are to be read.
func (s *Source) sizeOf(path string) (int64, error) {
	info, err := files.Stat(path, s.std.In)
	switch {
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, errReadOnce
	case path != "-":
		return info.Size(), nil
	}
	at, err := s.std.In.Seek(0, io.SeekCurrent)
	return max(0, info.Size()-at), err
}

// open opens an input for sampling.
func (s *Source) open(path string) (in sized, err error) {
	in.path = path
	if object.IsRemote(path) {
		at, err := s.std.Objects.At(path)
		in.at, in.size = at, at.Size()
		return in, err
	}
	if in.size, err = s.sizeOf(path); err != nil {
		return in, err
	}
	if path == "-" {
		at, err := s.std.In.Seek(0, io.SeekCurrent)
		in.at = io.NewSectionReader(s.std.In, at, in.size)
		return in, err
	}
	in.at, err = os.Open(path)
	return in, err
}

func (in sized) close() {
	if file, isFile := in.at.(*os.File); isFile {
		file.Close()
	}
}

// density returns the number of records per byte in some inputs. It samples them concurrently,
// since servers take their time.
func (s *Source) density(ctx context.Context, inputs []sized, count countFunc) float64 {
	records, bytes := make([]float64, len(inputs)), make([]float64, len(inputs))
	var looks sync.WaitGroup
	for i, in := range inputs {
		looks.Go(func() { records[i], bytes[i] = count(ctx, s, in) })
	}
	looks.Wait()
	var allRecords, allBytes float64
	for i := range inputs {
		allRecords, allBytes = allRecords+records[i], allBytes+bytes[i]
	}
	if allBytes == 0 {
		return 0
	}
	return allRecords / allBytes
}

// A countFunc counts the records of an input, or of some of its bytes.
type countFunc func(ctx context.Context, s *Source, in sized) (records, bytes float64)

// countBeginning counts the records in the first bytes of an input. If all records end the same
// way, it instead looks at several places of an uncompressed file, since many files consist of
// several files, one after the other.
func countBeginning(ctx context.Context, s *Source, in sized) (records, bytes float64) {
	places := []io.Reader{in.beginning()}
	if s.endsAnywhere() && in.size > beginningBytes && in.isOnDisk() && !in.isCompressed() {
		places = places[:0]
		for i := range int64(samplePlaces) {
			at := (in.size - beginningBytes/samplePlaces) / (samplePlaces - 1) * i
			places = append(places, io.NewSectionReader(in.at, at, beginningBytes/samplePlaces))
		}
	}
	open := func() (io.ReadCloser, error) { return s.unpack(io.MultiReader(places...)) }
	return s.countIn(ctx, stream.Input{Name: in.path, Open: open}), float64(min(in.size, beginningBytes))
}

// endsAnywhere reports whether records can be separated from any offset on.
func (s *Source) endsAnywhere() bool {
	return s.Terminator() != "" && s.Multiline == ""
}

func (in sized) isOnDisk() bool { return !object.IsRemote(in.path) }

// beginning returns a reader of the first bytes of an input. It needs a single request to a server.
func (in sized) beginning() io.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(in.at, 0, beginningBytes), beginningBytes)
}

func (in sized) isCompressed() bool { return isCompressed(in.at) }

// countDocuments is like countBeginning, but for web archives.
func countDocuments(ctx context.Context, s *Source, in sized) (records, bytes float64) {
	open := func() (stream.RecordReader, error) {
		src, err := s.unpack(in.beginning())
		if err != nil {
			return nil, err
		}
		return warc.Records(src, s.request.MaxRecord, nil), nil
	}
	return s.countIn(ctx, stream.Input{Name: in.path, OpenRecords: open}), float64(min(in.size, beginningBytes))
}

// unpack returns a reader of the contents of src, decompressed if necessary, up to a limit.
func (s *Source) unpack(src io.Reader) (io.ReadCloser, error) {
	r, err := compress.NewReader(io.NopCloser(src), "", s.std.MaxWindow)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, mostUnpacked), r}, nil
}

// countIn counts the records of an input that may be cut off anywhere.
func (s *Source) countIn(ctx context.Context, in stream.Input) float64 {
	run, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: []stream.Input{in}, Format: s.Format, MaxRecord: s.request.MaxRecord, OnLost: func(stream.Place) {},
		},
		Method: stream.Method{Judge: stream.KeepAll()}, Threads: 1,
	})
	if err != nil {
		return 0
	}
	stats, _ := run.Do(ctx)
	return float64(stats.Records)
}

// countParquet takes the number of rows from the end of a file.
func countParquet(_ context.Context, _ *Source, in sized) (records, bytes float64) {
	if at, isObject := in.at.(object.At); isObject {
		var err error
		if in.at, err = at.Ends(headBytes, footerBytes); err != nil {
			return 0, 0
		}
	}
	file, err := parquet.Open(in.at, in.size)
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	return min(float64(file.Rows()), mostRows*float64(in.size)), float64(in.size)
}
