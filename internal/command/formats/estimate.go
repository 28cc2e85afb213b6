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

// How inputs are looked at, to say how many records they have.
const (
	leastEstimated = 16 << 20 // bytes of all inputs; fewer are not looked at
	sampledInputs  = 8
	beginningBytes = 1 << 20  // of an input, as it is on disk;
	mostUnpacked   = 64 << 20 // and decompressed: some streams are a thousand times as long
	mostRows       = 8        // that a byte of a file may be said to have
	samplePlaces   = 64       // of an input that is not compressed, and may be read from any place
)

// A sized input is one whose bytes can be read anywhere, so that they can be read again later.
type sized struct {
	path string
	at   io.ReaderAt
	size int64
}

// Estimate returns about how many records the inputs have, by how many the first bytes of some of
// them have. Objects that are not looked at are taken to be as large as those that are. It is 0
// where that cannot be known, of pipes and of servers that send an object in one piece, and where
// it is not worth looking. What is wrong with an input comes out when it is read for good.
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

// onDisk are the inputs on this machine. The sizes are not known if one of them is a pipe.
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

// sizeOf is how many bytes of a file are to be read.
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

// open opens an input that is looked at.
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

// density is how many records a byte has, by those of some inputs. These are looked at together,
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

// countBeginning counts the records that the first bytes of an input have. If what ends a record is
// the same everywhere it looks at several places of a file that is not compressed: many a file is
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

// endsAnywhere reports whether a record can be told from the next from any place on.
func (s *Source) endsAnywhere() bool {
	return s.Terminator() != "" && s.Multiline == ""
}

func (in sized) isOnDisk() bool { return !object.IsRemote(in.path) }

// beginning is the first bytes of an input. A server is asked for them once.
func (in sized) beginning() io.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(in.at, 0, beginningBytes), beginningBytes)
}

func (in sized) isCompressed() bool { return isCompressed(in.at) }

// countDocuments is countBeginning for web archives.
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

// unpack returns what src holds, decompressed if it is compressed, up to a limit.
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

// countIn counts the records of an input that may break off anywhere.
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
