// Package shards divides kept records into several files. It knows what the files are called, when
// one ends and the next begins, and what an earlier run has left.
package shards

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Files are the files that kept records are divided into. A nil *Files is for a run with a single
// output.
//
// A file gets its name when it is complete and the next one has begun, even if the run is not
// complete. What a resumed run wrote after its last checkpoint is written again.
type Files struct {
	layout.Shards
	of     Run
	inputs []string // of the inputs, without the directories they share, if each has a file

	packed  bool                    // records are compressed already
	protect func(path string) error // refuses to overwrite files that must stay
	rows    formats.NextOutput      // sends rows to the next file; nil if the stream writes records
	sizes   []uint64                // of the completed files, uncompressed
	done    []completed
}

// A Run describes the run that writes the files.
type Run struct {
	Records  layout.Settings // how the records are read and written
	Paths    []string        // of inputs
	Compress compress.Method // what --compress asks for
	Written  []string        // what else the run writes
	Indexes  []string        // directories of indexes, to which nothing may be written
	Std      files.Streams
	Kept     **files.Output // the current file
	Durable  bool           // an index relies on the files
}

// New determines the names of the files, and refuses options that make no sense. It returns nil if
// there is a single output.
func New(rule layout.Shards, of Run) (*Files, error) {
	if !rule.IsSet() {
		return nil, nil
	}
	s := &Files{Shards: rule, of: of, protect: func(string) error { return nil }}
	switch {
	case of.Records.KeepsRows() && rule.Bytes > 0:
		return nil, usage.Error(fmt.Errorf("--shard-size does not go with rows of %s, which are compressed by "+
			"columns: give --shard-records", of.Records.Written()))
	case s.Name == "":
		s.Name = s.defaultName(of.Records.Written())
	}
	if s.ByInput() {
		if err := s.nameInputs(of.Paths); err != nil {
			return nil, usage.Error(err)
		}
	}
	return s, s.check()
}

// Open describes the file with a number, and makes its directory.
func (s *Files) Open(number int) (formats.Output, error) {
	o := formats.Output{Name: formats.KeptOutput, Path: s.Path(number), Packed: s.packed}
	var err error
	o.Method, err = formats.MethodOf(o.Path, s.of.Compress)
	if err == nil {
		err = s.refuseOutside(o.Path)
	}
	if err == nil && !object.IsRemote(o.Path) {
		err = store.MakePath(filepath.Dir(o.Path), 0o777)
	}
	return o, err
}

// refuseOutside refuses to follow a link out of --output-dir.
func (s *Files) refuseOutside(path string) error {
	if object.IsRemote(s.OutputDir) {
		return nil
	}
	return files.RefuseOutside(s.OutputDir, path)
}

// check refuses names that contradict the contents, or that an input or another file has, as far as
// names are known in advance.
func (s *Files) check() error {
	if err := object.CheckScheme(s.OutputDir); err != nil {
		return usage.Error(err)
	}
	taken := map[string]int{}
	if err := s.refuseParts(); err != nil {
		return usage.Error(err)
	}
	for number := range max(1, len(s.inputs)) {
		path := s.Path(number)
		if err := s.of.Records.CheckName(path); err != nil {
			return usage.Error(err)
		}
		if other, ok := taken[path]; ok {
			return usage.Error(fmt.Errorf("%s and %s would both be written to %s: add {shard} to --name",
				files.InputName(s.of.Paths[other]), files.InputName(s.of.Paths[number]), path))
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

// checkCompression refuses names that contradict the contents: that a column file was compressed as
// a whole, or that one archive consists of gzip members and another does not. Records are packed
// for all of them or for none.
func (s *Files) checkCompression(path string) error {
	written, asked := s.of.Records.Written(), s.of.Compress
	if layout.IsColumnar(written) {
		return layout.CheckNotCompressed(written, asked, path)
	}
	method, err := formats.MethodOf(path, asked)
	if err != nil || !layout.IsArchive(written) {
		return err
	}
	first, err := formats.MethodOf(s.Path(0), asked)
	if isPacked := first.Format == "gzip"; err == nil && isPacked != (method.Format == "gzip") {
		err = fmt.Errorf("by their names, one of %s and %s would be made of gzip members and the other would not: add "+
			"--name '{stem}.warc.gz', or '{stem}.warc'", s.Path(0), path)
	}
	return err
}

// Protect makes refuse decide which files must not be overwritten. It is called at once for the
// names that are already known, and for every file that begins. left is the number of files of an
// earlier run, if they may be overwritten.
func (s *Files) Protect(left int, refuse func(path string) error) error {
	s.protect = refuse
	known := max(1, len(s.inputs))
	if !s.ByInput() {
		known = max(known, left)
	}
	for number := range known {
		if err := refuse(s.Path(number)); err != nil {
			return err
		}
	}
	return nil
}

// refuse refuses to write to a file that is read, or written for something else.
func (s *Files) refuse(path string) error {
	if err := files.RefuseToMix(s.of.Paths, []string{path}, s.of.Std); err != nil {
		return err
	}
	if err := files.RefuseInIndex([]string{path}, s.of.Indexes); err != nil {
		return usage.Error(err)
	}
	return files.RefuseTwice(append(slices.Clone(s.of.Written), path), s.of.Std)
}

// Configure makes a run divide its output.
func (s *Files) Configure(opts *stream.Options) {
	if s == nil {
		return
	}
	s.packed = opts.Packed.Output
	opts.Shards = &stream.Shards{Records: s.Records, Bytes: s.Bytes, Next: s.next}
}

// NotifyRows sets the function that sends rows to each file that begins. It is nil if the stream
// writes the records.
func (s *Files) NotifyRows(rows formats.NextOutput) {
	if s != nil {
		s.rows = rows
	}
}

// next completes the current file and begins the next one. A writer of rows has to end its file
// first.
func (s *Files) next(done stream.Shard, number int) (io.Writer, error) {
	s.LeaveOut(done)
	file, err := s.create(number)
	if err != nil {
		return nil, err
	}
	if s.rows != nil {
		err = s.rows(file.Writer(), file.Path)
	}
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, errors.Join(err, file.Finish(false, false))
	}
	*s.of.Kept = file
	return file.Writer(), nil
}

// LeaveOut keeps the current file from getting its name if no record of its input could be read. A
// valid file without records would look as if all records had been removed.
func (s *Files) LeaveOut(current stream.Shard) {
	if s.IsUnread(current) {
		(*s.of.Kept).LeaveOut()
	}
}

// IsUnread reports whether a shard has no file because its input could not be read.
func (s *Files) IsUnread(of stream.Shard) bool {
	return s != nil && s.ByInput() && of.Lost != "" && of.Read == 0
}

// create begins a file.
func (s *Files) create(number int) (*files.Output, error) {
	o, err := s.Open(number)
	if err == nil {
		err = s.refuse(o.Path)
	}
	if err == nil {
		err = s.protect(o.Path)
	}
	if err != nil {
		return nil, err
	}
	file, err := s.of.Std.Create(o.Path, o.Compression(), s.of.Std.Cores.Count(), s.of.Durable)
	if err != nil {
		return nil, err
	}
	file.SetContents(o.Packed, s.of.Durable)
	return file, nil
}

// end completes the current file.
func (s *Files) end() error {
	done := *s.of.Kept
	*s.of.Kept = nil
	s.sizes = append(s.sizes, done.Uncompressed())
	return errors.Join(done.Finish(true, s.of.Durable), s.note(done.Path))
}

// SizeBefore returns the total size of the completed files.
func (s *Files) SizeBefore() (sum uint64) {
	if s == nil {
		return 0
	}
	for _, size := range s.sizes {
		sum += size
	}
	return sum
}

// Stats describes a file in the statistics.
type Stats struct {
	File    string `json:"file"`
	Records uint64 `json:"records"` // read for this file
	Written uint64 `json:"written"` // of these, the ones in the file
	// Bytes is the size of these before compression. For web archives it is the size of the gzip
	// members, and for column files the size of the file.
	Bytes uint64 `json:"bytes"`
	Lost  string `json:"input_not_read_to_its_end,omitempty"` // and why
}

// Stats describes the files.
func (s *Files) Stats(of stream.Stats) (list []Stats) {
	if s == nil {
		return nil
	}
	sizes := append(slices.Clone(s.sizes), (*s.of.Kept).Uncompressed())
	for number, shard := range append(slices.Clone(of.Shards), of.Shard) {
		if s.rows != nil {
			shard.Bytes = 0 // of a file that a failed run has not reached
			if number < len(sizes) {
				shard.Bytes = sizes[number]
			}
		}
		list = append(list, Stats{s.Path(number), shard.Read, shard.Written, shard.Bytes, shard.Lost})
	}
	return list
}
