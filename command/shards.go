package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/object"
)

// shards are the files that kept records are divided into. A nil *shards is that of a run whose
// output is one.
//
// A file has its name when it is through, also if the run is not: the next one has begun then. What
// a run that is resumed wrote after its last checkpoint is written again.
type shards struct {
	config.ShardFlags
	f          *filterRun
	compressed compress.Method         // what --compress asks for
	inputs     []string                // the names of inputs below what they have in common, if each has a file
	rows       divided                 // what writes rows to the files; nil if the stream writes records
	protect    func(path string) error // refuses to write over what another run has written; or nil
	sizes      []uint64                // of the files that are through, where rows are written to them
}

// Something divided ends an output, and begins the next, of that name.
type divided interface {
	Next(out io.Writer, path string) error
}

// useShards finds out what the files will be called, and refuses what cannot be meant.
func (f *filterRun) useShards() error {
	c := f.c
	if !c.Shards.IsSet() {
		return nil
	}
	s := &shards{ShardFlags: c.Shards, compressed: compress.Method(c.Output.Compress), f: f}
	switch written := f.formatWritten(); {
	case hasRows(written) && staysRows(c.Records) && c.Shards.ShardSize > 0:
		return usage.Error(fmt.Errorf("--shard-size does not go with rows of %s, which are compressed by "+
			"columns: give --shard-records", written))
	case s.Name == "":
		s.Name = s.defaultName(written)
	}
	if s.ByInput() {
		if err := s.nameInputs(f.paths); err != nil {
			return usage.Error(err)
		}
	}
	f.shards = s
	return s.check()
}

// formatWritten is the format of kept records.
func (f *filterRun) formatWritten() string {
	if to := f.c.Records.To; to != "" {
		return to
	}
	return f.c.Records.Name
}

// stream is the output as a file of that number.
func (s *shards) stream(number int) (namedStream, error) {
	n := namedStream{name: "output", file: &s.f.out.kept, path: s.path(number), packed: s.f.opts.Packed.Output}
	var err error
	n.method, err = methodOf(n.path, s.f.c.Output.Compress)
	if err == nil {
		err = s.refuseOutside(n.path)
	}
	if err == nil && !object.IsRemote(n.path) {
		err = os.MkdirAll(filepath.Dir(n.path), 0o777)
	}
	return n, err
}

// refuseOutside refuses to follow a link out of --output-dir.
func (s *shards) refuseOutside(path string) error {
	if object.IsRemote(s.OutputDir) {
		return nil
	}
	return files.RefuseOutside(s.OutputDir, path)
}

// check refuses names that would say something wrong, or that an input or another file has, as far
// as names are known before.
func (s *shards) check() error {
	if err := object.CheckScheme(s.OutputDir); err != nil {
		return usage.Error(err)
	}
	taken := map[string]int{}
	if err := s.refuseParts(); err != nil {
		return usage.Error(err)
	}
	for number := range max(1, len(s.inputs)) {
		path := s.path(number)
		if err := s.f.checkName(path, s.f.formatWritten()); err != nil {
			return usage.Error(err)
		}
		if other, ok := taken[path]; ok {
			return usage.Error(fmt.Errorf("%s and %s would both be written to %s: add {shard} to --name",
				files.InputName(s.f.paths[other]), files.InputName(s.f.paths[number]), path))
		}
		taken[path] = number
		if err := s.checkCompression(path); err != nil {
			return usage.Error(err)
		}
		if err := errors.Join(s.refuseOutside(path), s.refuse(path)); err != nil {
			return err
		}
	}
	return nil
}

// checkCompression refuses names that say what is not written: that a column file was compressed as
// a whole, or that one archive is of gzip members and another one is not. Records are packed for
// all of them or for none.
func (s *shards) checkCompression(path string) error {
	written, asked := s.f.formatWritten(), s.f.c.Output.Compress
	if hasRows(written) {
		return checkNotCompressed(written, s.f.c.Output, path)
	}
	method, err := methodOf(path, asked)
	if err != nil || written != warcFormat {
		return err
	}
	first, err := methodOf(s.path(0), asked)
	if isPacked := first.Format == "gzip"; err == nil && isPacked != (method.Format == "gzip") {
		err = fmt.Errorf("by their names one of %s and %s would be of gzip members, and the other one not: add "+
			"--name '{stem}.warc.gz', or '{stem}.warc'", s.path(0), path)
	}
	return err
}

// protectKnown refuses to write over what other runs have written, as far as names are known.
func (s *shards) protectKnown() error {
	for number := range max(1, len(s.inputs)) {
		if err := s.protect(s.path(number)); err != nil {
			return err
		}
	}
	return nil
}

// refuse refuses to write to a file that is read, or written for something else.
func (s *shards) refuse(path string) error {
	if err := files.RefuseToMix(s.f.paths, []string{path}, s.f.std); err != nil {
		return err
	}
	if err := files.RefuseInIndex([]string{path}, s.f.indexNames()); err != nil {
		return usage.Error(err)
	}
	return files.RefuseTwice(append(s.f.c.Written(), path), s.f.std)
}

// take has a run divide its output.
func (s *shards) take(opts *stream.Options) {
	if s == nil {
		return
	}
	opts.Shards = &stream.Shards{Records: uint64(s.ShardRecords), Bytes: uint64(s.ShardSize), Next: s.next}
}

// next puts the file at hand in its place, and begins the next. What writes rows has to end its
// file first, and then writes to the next one.
func (s *shards) next(number int) (io.Writer, error) {
	file, err := s.create(number)
	if err != nil {
		return nil, err
	}
	if s.rows != nil {
		err = s.rows.Next(file.Writer(), file.Path)
	}
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, errors.Join(err, file.Finish(false, false))
	}
	s.f.out.kept = file
	return file.Writer(), nil
}

// create begins a file.
func (s *shards) create(number int) (*files.Output, error) {
	n, err := s.stream(number)
	if err == nil {
		err = s.refuse(n.path)
	}
	if err == nil && s.protect != nil {
		err = s.protect(n.path)
	}
	if err != nil {
		return nil, err
	}
	durable := s.f.out.durable
	file, err := s.f.std.Create(n.path, n.compression(), s.f.std.Cores.Count(), durable)
	if err != nil {
		return nil, err
	}
	file.Hold(n.packed, durable)
	return file, nil
}

// end puts the file at hand in its place.
func (s *shards) end() error {
	done := s.f.out.kept
	s.f.out.kept = nil
	s.sizes = append(s.sizes, done.Uncompressed())
	return done.Finish(true, s.f.out.durable)
}

// sizeBefore is that of the files that are through.
func (s *shards) sizeBefore() (sum uint64) {
	if s == nil {
		return 0
	}
	for _, size := range s.sizes {
		sum += size
	}
	return sum
}

// A shardStats is what is said about a file in the statistics.
type shardStats struct {
	File    string `json:"file"`
	Records uint64 `json:"records"` // that came while it was written
	Written uint64 `json:"written"` // of them, those that are in it
	// of these, before they are compressed; of web archives those of gzip members, and of column
	// files those of the file
	Bytes uint64 `json:"bytes"`
	Lost  string `json:"input_not_read_to_its_end,omitempty"` // and why
}

// stats describes the files.
func (s *shards) stats(of stream.Stats) (list []shardStats) {
	if s == nil {
		return nil
	}
	sizes := append(slices.Clone(s.sizes), s.f.out.kept.Uncompressed())
	for number, shard := range append(slices.Clone(of.Shards), of.Shard) {
		if s.rows != nil {
			shard.Bytes = 0 // of a file that a run which failed has not come to
			if number < len(sizes) {
				shard.Bytes = sizes[number]
			}
		}
		list = append(list, shardStats{s.path(number), shard.Read, shard.Written, shard.Bytes, shard.Lost})
	}
	return list
}
