package formats

import (
	"context"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
	"github.com/mithril-stream/mithril-stream/stream/warc"
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
// them have. It is 0 where that cannot be known, of pipes and objects, and where it is not worth
// looking. What is wrong with an input comes out when it is read for good.
func (s *Source) Estimate(ctx context.Context) (records uint64) {
	count := of(s.Name).count
	sizes, total := s.sizes()
	if count == nil || total < leastEstimated {
		return 0
	}
	var sampled, bytes float64
	step := max(1, len(sizes)/sampledInputs)
	for i := 0; i < len(sizes) && ctx.Err() == nil; i += step {
		n, from := s.sample(ctx, s.wanted.Paths[i], sizes[i], count)
		sampled, bytes = sampled+n, bytes+from
	}
	if bytes == 0 {
		return 0
	}
	return uint64(sampled / bytes * float64(total))
}

// sizes are the sizes of the inputs on disk; total is 0 if one of them is not known.
func (s *Source) sizes() (sizes []int64, total int64) {
	for _, path := range s.wanted.Paths {
		info, err := files.Stat(path, s.std.In)
		if err != nil || !info.Mode().IsRegular() {
			return nil, 0
		}
		size := info.Size()
		if path == "-" {
			at, err := s.std.In.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, 0
			}
			size = max(0, size-at)
		}
		sizes, total = append(sizes, size), total+size
	}
	return sizes, total
}

// sample counts the records of some bytes of an input.
func (s *Source) sample(ctx context.Context, path string, size int64, count countFunc) (records, bytes float64) {
	if path == "-" {
		at, err := s.std.In.Seek(0, io.SeekCurrent)
		if err != nil {
			return 0, 0
		}
		return count(ctx, s, sized{path, io.NewSectionReader(s.std.In, at, size), size})
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	return count(ctx, s, sized{path, f, size})
}

// A countFunc counts the records of an input, or of some of its bytes.
type countFunc func(ctx context.Context, s *Source, in sized) (records, bytes float64)

// countBeginning counts the records that the first bytes of an input have. If what ends a record
// is the same everywhere it looks at several places of what is not compressed: many a file is
// several files, one after the other.
func countBeginning(ctx context.Context, s *Source, in sized) (records, bytes float64) {
	places := []io.Reader{io.NewSectionReader(in.at, 0, beginningBytes)}
	if s.endsAnywhere() && in.size > beginningBytes && !in.isCompressed() {
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
func (s *Source) endsAnywhere() bool { return s.Name == "text" || of(s.Name).terminator != "" }

func (in sized) isCompressed() bool {
	head := make([]byte, 16)
	n, _ := in.at.ReadAt(head, 0)
	return compress.IsCompressed(head[:n])
}

// countDocuments is countBeginning for web archives.
func countDocuments(ctx context.Context, s *Source, in sized) (records, bytes float64) {
	open := func() (stream.RecordReader, error) {
		src, err := s.unpack(io.NewSectionReader(in.at, 0, beginningBytes))
		if err != nil {
			return nil, err
		}
		return warc.Records(src, s.wanted.MaxRecord, nil), nil
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
			Inputs: []stream.Input{in}, Format: s.Format, MaxRecord: s.wanted.MaxRecord, Lost: func(stream.Place) {},
		},
		Method: stream.Method{Judge: unjudged{}}, Threads: 1,
	})
	if err != nil {
		return 0
	}
	stats, _ := run.Do(ctx)
	return float64(stats.Records)
}

// unjudged is the judge of records that are only counted.
type unjudged struct{}

func (unjudged) Judge(_ stream.Batch, out []stream.Verdict) (int, error) {
	clear(out)
	return len(out), nil
}

// countParquet takes the number of rows from the end of a file.
func countParquet(_ context.Context, _ *Source, in sized) (records, bytes float64) {
	file, err := parquet.Open(in.at, in.size)
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	return min(float64(file.Rows()), mostRows*float64(in.size)), float64(in.size)
}
