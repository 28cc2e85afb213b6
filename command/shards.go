package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
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
	compressed compress.Method // what --compress asks for
	inputs     []string        // the names of inputs below what they have in common, if each has a file
	sizes      []uint64        // of the files that are through
}

// useShards finds out what the files will be called, and refuses what cannot be meant.
func (f *filterRun) useShards() error {
	c := f.c
	if !c.Shards.IsSet() {
		return nil
	}
	s := &shards{ShardFlags: c.Shards, compressed: compress.Method(c.Output.Compress), f: f}
	switch written := f.formatWritten(); {
	case isColumned(c.Records.To):
		return config.Usage(fmt.Errorf("%s is written in the end, to one file: leave --output-dir out, or add "+
			"--to jsonl", written))
	case hasRows(written) && c.Shards.ShardSize > 0:
		return config.Usage(fmt.Errorf("--shard-size does not go with rows of %s, which are compressed by "+
			"columns: give --shard-records", written))
	case written == warcFormat:
		return config.Usage(errors.New("--output-dir does not divide web archives: add --to jsonl, or give each " +
			"a run of its own"))
	case s.Name == "":
		s.Name = s.defaultName(written)
	}
	if s.ByInput() {
		if err := s.nameInputs(f.paths); err != nil {
			return config.Usage(err)
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

// defaultName is what files are called if the user has not said it.
func (s *shards) defaultName(format string) string {
	ending := map[string]string{"text": ".txt", "file": ".txt"}[format]
	if ending == "" {
		ending = "." + format
	}
	ending += map[string]string{"gzip": ".gz", "zstd": ".zst"}[s.compressed.Format]
	switch {
	case !s.ByInput():
		return "part-" + config.NumberPart + ending
	case s.f.c.Records.To != "" || s.compressed.Format != "":
		return config.NameOfStem + ending
	}
	return config.NameOfInput
}

// nameInputs names inputs by what follows the directories that all of them are in.
func (s *shards) nameInputs(paths []string) error {
	var parts [][]string
	for _, path := range paths {
		if path == "-" {
			path = "stdin." + s.f.c.Records.Name
		} else if _, rest, ok := strings.Cut(object.Name(path), "://"); ok {
			path = rest
		}
		parts = append(parts, strings.Split(filepath.ToSlash(filepath.Clean(path)), "/"))
	}
	common := 0
	for ; ; common++ {
		if slices.ContainsFunc(parts, func(p []string) bool {
			return len(p) <= common+1 || p[common] != parts[0][common]
		}) {
			break
		}
	}
	for i, p := range parts {
		rest := slices.DeleteFunc(slices.Clone(p[common:]), func(part string) bool { return part == "" })
		name := filepath.Join(rest...)
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s leads out of --output-dir: give the inputs by paths without ../ in them",
				inputName(paths[i]))
		}
		s.inputs = append(s.inputs, name)
	}
	return nil
}

// path is that of a file, by its number from 0.
func (s *shards) path(number int) string {
	input, stem := "", ""
	if s.ByInput() {
		input = s.inputs[number]
		stem = compress.TrimSuffix(input)
		if formatByName(stem) != "" {
			stem = strings.TrimSuffix(stem, filepath.Ext(stem))
		}
	}
	name := strings.NewReplacer(config.NameOfInput, input, config.NameOfStem, stem,
		config.NumberPart, fmt.Sprintf("%05d", number)).Replace(s.Name)
	if object.IsRemote(s.OutputDir) {
		return strings.TrimSuffix(s.OutputDir, "/") + "/" + filepath.ToSlash(name)
	}
	return filepath.Join(s.OutputDir, name)
}

// stream is the output as a file of that number.
func (s *shards) stream(number int) (namedStream, error) {
	n := namedStream{name: "output", file: &s.f.out.kept, path: s.path(number)}
	var err error
	n.method, err = methodOf(n.path, s.f.c.Output.Compress)
	if err == nil && !object.IsRemote(n.path) {
		err = os.MkdirAll(filepath.Dir(n.path), 0o777)
	}
	return n, err
}

// check refuses names that would say something wrong, or that an input or another file has, as far
// as names are known before.
func (s *shards) check() error {
	if err := object.CheckScheme(s.OutputDir); err != nil {
		return config.Usage(err)
	}
	taken := map[string]int{}
	for number := range max(1, len(s.inputs)) {
		path := s.path(number)
		if err := s.f.checkName(path, s.f.formatWritten()); err != nil {
			return config.Usage(err)
		}
		if other, ok := taken[path]; ok {
			return config.Usage(fmt.Errorf("%s and %s would both be written to %s: add {shard} to --name",
				inputName(s.f.paths[other]), inputName(s.f.paths[number]), path))
		}
		taken[path] = number
		if err := s.refuse(path); err != nil {
			return err
		}
	}
	return nil
}

// refuse refuses to write to a file that is read, or written for something else.
func (s *shards) refuse(path string) error {
	if err := refuseToMix(s.f.paths, []string{path}, s.f.std); err != nil {
		return err
	}
	return refuseTwice(append(s.f.c.Written(), path), s.f.std)
}

// take has a run divide its output.
func (s *shards) take(opts *stream.Options) {
	if s == nil {
		return
	}
	opts.Shards = &stream.Shards{Records: uint64(s.ShardRecords), Bytes: uint64(s.ShardSize), Next: s.next}
}

// next puts the file at hand in its place, and begins the next.
func (s *shards) next(number int) (io.Writer, error) {
	out, done := &s.f.out, s.f.out.kept
	if !s.f.table.leavesAsRows() {
		if err := s.end(done); err != nil {
			return nil, err
		}
	}
	n, err := s.stream(number)
	if err == nil {
		err = s.refuse(n.path)
	}
	if err != nil {
		return nil, err
	}
	file, err := s.f.std.createOutFile(n.path, n.method, s.f.std.Cores.count(), out.durable)
	if err != nil {
		return nil, err
	}
	file.durable = out.durable
	if s.f.table.leavesAsRows() {
		if err := s.f.table.sink.Next(file.writer()); err != nil {
			return nil, errors.Join(err, file.finish(false, false))
		}
		if err := s.end(done); err != nil {
			return nil, errors.Join(err, file.finish(false, false))
		}
	}
	out.kept = file
	return file.writer(), nil
}

// end puts a file in its place.
func (s *shards) end(done *outFile) error {
	s.f.out.kept = nil
	err := done.finish(true, s.f.out.durable)
	s.sizes = append(s.sizes, done.length)
	return err
}

// A shardStats is what is said about a file in the statistics.
type shardStats struct {
	File    string `json:"file"`
	Records uint64 `json:"records"` // that came while it was written
	Written uint64 `json:"written"` // of them, those that are in it
	Bytes   uint64 `json:"bytes"`   // of these, before they are compressed; of column files those of the file
}

// stats describes the files.
func (s *shards) stats(of stream.Stats) (list []shardStats) {
	if s == nil {
		return nil
	}
	sizes := append(slices.Clone(s.sizes), s.f.out.kept.size())
	for number, shard := range append(slices.Clone(of.Shards), of.Shard) {
		if s.f.table.leavesAsRows() && number < len(sizes) {
			shard.Bytes = sizes[number]
		}
		list = append(list, shardStats{s.path(number), shard.Read, shard.Written, shard.Bytes})
	}
	return list
}
