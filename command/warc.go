package command

import (
	"context"
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/object"
	"github.com/mithril-stream/mithril-stream/stream/warc"
)

// warcFormat is the name of the format of web archives.
const warcFormat = "warc"

// An archive is an input that may be opened before its turn, to see how it is compressed.
type archive struct {
	path  string
	std   files.Streams
	stdin io.ReadCloser
	src   io.ReadCloser // nil if it is not open
	err   error
}

// open opens the archive, once.
func (a *archive) open() (io.ReadCloser, error) {
	if a.src != nil || a.err != nil {
		return a.src, a.err
	}
	if a.path == "-" {
		a.src, a.err = compress.NewMemberReader(a.stdin, "", a.std.MaxWindow)
		return a.src, a.err
	}
	f, err := a.std.OpenRaw(a.path)
	if err == nil {
		if a.src, err = compress.NewMemberReader(f, object.Name(a.path), a.std.MaxWindow); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	a.err = err
	return a.src, a.err
}

// isGzip reports whether the archive is a gzip stream. Of standard input it waits for the first
// bytes.
func (a *archive) isGzip(ctx context.Context) (bool, error) {
	opened := make(chan bool, 1)
	go func() {
		src, _ := a.open() // what is wrong comes out in its turn
		_, members := src.(*compress.Members)
		opened <- members
	}()
	select {
	case members := <-opened:
		return members, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// openArchives makes web archives the inputs of the run, and decides which of the streams are gzip
// members: those that are gzip by their names or by --compress, and standard output where that is
// how the first input comes.
func (f *filterRun) openArchives(ctx context.Context, streams []namedStream) error {
	archives := make([]*archive, len(f.paths))
	for i, path := range f.paths {
		archives[i] = &archive{path: path, std: f.std, stdin: f.std.Reader()}
	}
	for i := range streams {
		s := &streams[i]
		if s.name == "output" && s.path == "-" && !f.c.Output.Compress.IsSet() && !f.opts.Convert {
			members, err := archives[0].isGzip(ctx)
			if err != nil {
				return err
			}
			if members {
				s.method.Format = "gzip"
			}
		}
		if s.method.Format == "gzip" {
			s.packed = f.pack(s.name)
		}
	}
	level := 0
	if f.c.Output.Compress.Format == "gzip" {
		level = f.c.Output.Compress.Level
	}
	if f.opts.Packed != (stream.Packed{}) {
		f.opts.NewPacker = func() stream.Packer { return compress.NewPacker(level) }
	}
	f.opts.Inputs = make([]stream.Input, len(archives))
	for i, a := range archives {
		f.opts.Inputs[i] = f.recordsOf(a, level)
	}
	return nil
}

// pack makes records leave as gzip members of their own, where a stream is one of records.
func (f *filterRun) pack(name string) bool {
	switch {
	case name == "output" && !f.opts.Convert:
		f.opts.Packed.Output = true
	case name == "duplicates" && !f.opts.Convert:
		f.opts.Packed.Duplicates = true
	case name == "rejects":
		f.opts.Packed.Rejects = true
	default:
		return false
	}
	return true
}

func (f *filterRun) recordsOf(a *archive, level int) stream.Input {
	name := a.path
	if name == "-" {
		name = "stdin"
	}
	return stream.Input{Name: name, OpenRecords: func() (stream.RecordReader, error) {
		src, err := a.open()
		if err != nil {
			return nil, err
		}
		var packer *compress.Packer
		if f.opts.NewPacker != nil {
			packer = compress.NewPacker(level)
		}
		return warc.Records(src, f.opts.MaxRecord, packer), nil
	}}
}
