package formats

import (
	"context"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/warc"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An archive is an input that may be opened before its turn, to see how it is compressed.
type archive struct {
	path string
	std  files.Streams
	src  io.ReadCloser // nil if it is not open
	err  error         // why it cannot be opened
}

// open opens the archive, unless that has already been tried.
func (a *archive) open() {
	if a.src != nil || a.err != nil {
		return
	}
	f, name := a.std.Reader(), ""
	if a.path != "-" {
		name = object.Name(a.path)
		if f, a.err = a.std.OpenRaw(a.path); a.err != nil {
			return
		}
	}
	src, err := compress.NewMemberReader(f, name, a.std.MaxWindow)
	switch {
	case err == nil:
		a.src = src
	case a.path == "-":
		a.err = err
	default:
		a.err = errors.Join(err, f.Close())
	}
}

// reader returns the archive, which it opens if necessary. The next call opens it again and reads
// from the beginning.
func (a *archive) reader() (src io.ReadCloser, err error) {
	a.open()
	src, err = a.src, a.err
	a.src, a.err = nil, nil
	return src, err
}

// isGzip reports whether the archive is a gzip stream. On standard input, it waits for the first
// bytes.
func (a *archive) isGzip(ctx context.Context) (bool, error) {
	return files.Await(ctx, func() (bool, error) {
		a.open() // an error is reported when it is the archive's turn
		_, members := a.src.(*compress.Members)
		return members, nil
	})
}

// archives holds the inputs of a run, and whether and how their records become gzip members.
type archives struct {
	inputs []*archive
	level  int  // of the members
	packs  bool // records become gzip members
}

// readArchives makes the inputs of a run from web archives.
func readArchives(s *Source) error {
	of, most := &archives{}, s.request.MaxRecord
	s.archives = of
	for _, path := range s.request.Paths {
		a := &archive{path: path, std: s.std}
		of.inputs = append(of.inputs, a)
		name := files.Inputs([]string{path}, s.std)[0].Name
		s.Inputs = append(s.Inputs, stream.Input{Name: name, OpenRecords: func() (stream.RecordReader, error) {
			src, err := a.reader()
			if err != nil {
				return nil, err
			}
			var packer *compress.Packer
			if of.packs {
				packer = compress.NewPacker(of.level)
			}
			return warc.Records(src, most, packer), nil
		}})
	}
	return nil
}

// Pack decides whether an output takes the records of archives as gzip members of their own. It
// does so if it is gzip by its name or by --compress, or if it is standard output and the first
// input is gzip. Other records are never packed.
func (s *Source) Pack(ctx context.Context, opts *stream.Options, o *Output) error {
	if s.archives == nil {
		return nil
	}
	asked, isKept := s.request.Compress, o.Name == KeptOutput
	if isKept && o.Path == "-" && asked.Format == "" && !s.Convert {
		members, err := s.archives.inputs[0].isGzip(ctx)
		if err != nil {
			return err
		}
		if members {
			o.Method.Format = "gzip"
		}
	}
	if o.Method.Format != "gzip" {
		return nil
	}
	switch {
	case isKept && !s.Convert:
		opts.Packed.Output = true
	case o.Name == DuplicatesOutput && !s.Convert:
		opts.Packed.Duplicates = true
	case o.Name == RejectsOutput:
		opts.Packed.Rejects = true
	default:
		return nil
	}
	level := 0
	if asked.Format == "gzip" {
		level = asked.Level
	}
	o.Packed, s.archives.packs, s.archives.level = true, true, level
	opts.NewPacker = func() stream.Packer { return compress.NewPacker(level).Append }
	return nil
}
