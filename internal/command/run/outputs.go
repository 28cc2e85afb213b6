package run

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Outputs are what a run writes: the files, how records get there, and what is committed with them.
type Outputs struct {
	files   *outputFiles
	streams []namedStream // that are committed together
	shards  *shards.Files // that kept records are divided into; nil if they are not
	tables  *formats.Tables
	std     files.Streams
	opts    stream.Options // of the source, the method and these outputs together
	commit  Commit
	runs    *runJournal   // nil if the run keeps no index
	ending  func() error  // called when all records are through; may be nil
	page    *Page         // nil without --report
	texts   *doubts.Texts // looks at the first ones; nil if nothing is removed by the likeness of texts
	// extracts looks at the main contents of pages; nil if none are extracted.
	extracts *doubts.Extracts
}

// Originals returns the file of --originals, or nil without that flag.
func (o *Outputs) Originals() *files.Output { return o.files.originals }

// notify has a sink told of every record, after those before.
func (o *Outputs) notify(sink stream.Sink) { o.opts.Sinks = append(o.opts.Sinks, sink) }

// Close gives up what is only of use while the run goes on.
func (o *Outputs) Close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.runs.close(), o.tables.Close())
}

// outputFiles are the files that a run writes.
type outputFiles struct {
	kept, duplicates, rejects, flags *files.Output
	sketches, originals              *files.Output
	counts                           *files.Output // is written in the end, and committed with them
	stats, report                    *files.Output
	start                            int64 // where in standard output's file the run began to write
	durable                          bool  // an index counts on them
}

// A named stream is one of those that are committed together with an index.
type namedStream struct {
	formats.Output
	file **files.Output
}

// streams are those that c asks for.
func (o *outputFiles) streams(f *config.Filter, kept *shards.Files) ([]namedStream, error) {
	var asked []namedStream
	c := f.Output
	if kept != nil {
		first, err := kept.Open(0)
		if err != nil {
			return nil, err
		}
		asked = append(asked, namedStream{first, &o.kept})
	}
	for _, s := range []struct {
		name, path string
		how        compress.Method
		file       **files.Output
	}{
		{formats.KeptOutput, c.Output, compress.Method(c.Compress), &o.kept},
		{"sketches", f.Output.Sketches, compress.Method{}, &o.sketches},
		{formats.DuplicatesOutput, c.Duplicates, compress.Method{}, &o.duplicates},
		{formats.RejectsOutput, c.Rejects, compress.Method{}, &o.rejects},
		{"flags", c.Flags, compress.Method{}, &o.flags},
		{"originals", f.Output.Originals, compress.Method{}, &o.originals},
	} {
		if s.path == "" {
			continue
		}
		method, err := formats.MethodOf(s.path, s.how)
		if err != nil {
			return nil, err
		}
		asked = append(asked, namedStream{formats.Output{Name: s.name, Path: s.path, Method: method}, s.file})
	}
	return asked, nil
}

// namesOf describes streams, so that a run is resumed with the same. Records are written in the
// format to, or as they came if it is empty.
func namesOf(streams []namedStream, to string, kept *shards.Files) []string {
	names := make([]string, len(streams))
	for i, s := range streams {
		names[i] = s.Name
		if to != "" && (s.Name == formats.KeptOutput || s.Name == formats.DuplicatesOutput) {
			names[i] += " in " + to
		}
		if s.Method.Format != "" {
			names[i] += " as " + s.Method.Format
		}
		if kept != nil && s.Name == formats.KeptOutput {
			names[i] += " in files of " + kept.String()
		}
	}
	return names
}

// open opens every file before anything is read: a wrong path should not come out after hours. A
// run that is resumed goes on with its files; last is nil for a new one.
func (o *outputFiles) open(c *config.Filter, streams []namedStream, std files.Streams, last *State) error {
	o.durable = c.Memory.Index != ""
	for i, s := range streams {
		var err error
		var length uint64
		var tail string
		if last != nil {
			length, tail = last.written(i)
		}
		switch {
		case s.Path == "-":
			*s.file, err = o.openStdout(s.Compression(), std, last)
		case last != nil:
			*s.file, err = files.Reopen(s.Path, s.Compression(), std.Cores.Count(), length, tail)
		default:
			*s.file, err = std.Create(s.Path, s.Compression(), std.Cores.Count(), o.durable)
		}
		if err != nil {
			return errors.Join(err, o.finish(false))
		}
		(*s.file).SetContents(s.Packed, o.durable)
	}
	return o.openWritten(c, std)
}

// openWritten opens what is written in the end.
func (o *outputFiles) openWritten(c *config.Filter, std files.Streams) error {
	for _, of := range []struct {
		path    string
		file    **files.Output
		durable bool
	}{{c.Output.Counts, &o.counts, o.durable}, {c.Output.Stats, &o.stats, false}, {c.Report.Report, &o.report, false}} {
		if of.path == "" {
			continue
		}
		how, err := compress.ByName(of.path)
		if err = usage.Error(err); err == nil {
			*of.file, err = std.Create(of.path, how, 1, of.durable)
		}
		if err != nil {
			return errors.Join(err, o.abandon())
		}
	}
	return nil
}

// openStdout begins or goes on with standard output, which is the first of the streams.
func (o *outputFiles) openStdout(m compress.Method, std files.Streams, last *State) (*files.Output, error) {
	if last == nil {
		var err error
		if o.start, err = std.StartOf("-"); err != nil {
			return nil, err
		}
		return std.NewStdout(m)
	}
	o.start = last.Start
	committed, tail := last.written(0)
	return std.ContinueStdout(m, o.start, committed, tail)
}

// all are the files that are committed together.
func (o *outputFiles) all() []*files.Output {
	return []*files.Output{o.kept, o.sketches, o.duplicates, o.rejects, o.flags, o.originals}
}

// main is the first of them.
func (o *outputFiles) main() *files.Output {
	for _, f := range o.all() {
		if f != nil {
			return f
		}
	}
	return nil
}

// lengths are the lengths of the files that there are, in the order of their streams, and the
// hashes of their last bytes, where these can be read back.
func (o *outputFiles) lengths() (lengths []uint64, tails []string) {
	for _, f := range o.all() {
		if f == nil {
			continue
		}
		lengths, tails = append(lengths, f.Size()), append(tails, f.Tail())
	}
	return lengths, tails
}

// sync makes everything written durable.
func (o *outputFiles) sync() error {
	var errs []error
	for _, f := range o.all() {
		errs = append(errs, f.Sync())
	}
	return errors.Join(errs...)
}

// abandon leaves all files unfinished, when the run has not begun.
func (o *outputFiles) abandon() error {
	return errors.Join(o.finish(false), o.stats.Finish(false, false), o.report.Finish(false, false))
}

// nameLeft adds to an error which files are left unfinished.
func (o *outputFiles) nameLeft(err error) error {
	return files.NameUnfinished(err, append(o.all(), o.counts, o.stats, o.report)...)
}

// finish puts the files in place after a run that is complete, and leaves them as FILE.partial
// after one that is not.
func (o *outputFiles) finish(complete bool) error {
	var errs []error
	for _, f := range append(o.all(), o.counts) {
		errs = append(errs, f.Finish(complete, o.durable))
	}
	return errors.Join(errs...)
}

// checkObjects refuses to go on with objects, which are not there before they are complete.
func checkObjects(c *config.Filter, written []string) error {
	if !isResumable(c) {
		return nil
	}
	for _, path := range append(written, c.Output.Shards.OutputDir) {
		if object.IsRemote(path) {
			return fmt.Errorf("--checkpoint and --resume cannot go on with %s, which is there only when it is "+
				"complete: leave them out, or write a file", object.Name(path))
		}
	}
	return nil
}
