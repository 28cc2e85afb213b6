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
	"github.com/mithril-stream/mithril-stream/internal/written"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Outputs are the outputs of a run: the files, how records get there, and what is committed with
// them.
type Outputs struct {
	files     *outputFiles
	streams   []namedStream // committed together
	shards    *shards.Files // that kept records are divided into; nil if they are not
	tables    *formats.Tables
	std       files.Streams
	opts      stream.Options // of the source, the method and these outputs together
	commit    Commit
	runs      *runJournal      // nil if the run keeps no index
	onlyRead  []pastRuns       // of the indexes that the run does not write to
	completed []written.Output // files of kept records that have their names, as of the last checkpoint
	ending    func() error     // called after the last record; may be nil
	page      *Page            // nil without --report
	texts     *doubts.Texts    // looks at the first ones; nil if texts are not compared for similarity
	// extracts looks at the main contents of pages; nil if none are extracted.
	extracts *doubts.Extracts
	hidden   *doubts.Extracts // of pages by their sources; nil without markup
	equals   *doubts.Equals   // nil unless texts are compared by their words
}

// Originals returns the file of --originals, or nil without that flag.
func (o *Outputs) Originals() *files.Output { return o.files.originals }

// notify adds a sink, after those added before.
func (o *Outputs) notify(sink stream.Sink) { o.opts.Sinks = append(o.opts.Sinks, sink) }

// Close releases what only a running stream needs.
func (o *Outputs) Close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.runs.close(), closePastRuns(o.onlyRead), o.tables.Close())
}

// outputFiles are the files that a run writes.
type outputFiles struct {
	kept, duplicates, rejects, flags *files.Output
	sketches, originals              *files.Output
	counts                           *files.Output // is written at the end, and committed with them
	stats, report                    *files.Output
	start                            int64 // offset in the file of standard output at which the run began
	durable                          bool  // an index relies on them
}

// A namedStream is an output that is committed together with an index.
type namedStream struct {
	formats.Output
	file **files.Output
}

// streams returns the streams that c asks for.
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

// namesOf describes streams, so that a run is only resumed with the same ones. Records are written
// in the format to, or unchanged if it is empty.
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

// open opens every file before anything is read, so that a wrong path does not fail a run after
// hours. A resumed run continues its files; last is nil for a new one.
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

// openWritten opens files that are written at the end.
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

// openStdout begins or continues standard output, which is the first stream.
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

// all returns the files that are committed together.
func (o *outputFiles) all() []*files.Output {
	return []*files.Output{o.kept, o.sketches, o.duplicates, o.rejects, o.flags, o.originals}
}

// main returns the first of these files.
func (o *outputFiles) main() *files.Output {
	for _, f := range o.all() {
		if f != nil {
			return f
		}
	}
	return nil
}

// lengths returns the lengths of all files, in the order of their streams, and the hashes of their
// last bytes, if they can be read back.
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

// abandon leaves all files unfinished if the run has not begun.
func (o *outputFiles) abandon() error {
	return errors.Join(o.finish(false), o.stats.Finish(false, false), o.report.Finish(false, false))
}

// nameLeft adds to an error which files are left unfinished.
func (o *outputFiles) nameLeft(err error) error {
	return files.NameUnfinished(err, append(o.all(), o.counts, o.stats, o.report)...)
}

// finish puts the files in place if the run is complete, and leaves them as FILE.partial otherwise.
func (o *outputFiles) finish(complete bool) error {
	var errs []error
	for _, f := range append(o.all(), o.counts) {
		errs = append(errs, f.Finish(complete, o.durable))
	}
	return errors.Join(errs...)
}

// checkObjects refuses to continue objects, which do not exist until they are complete.
func checkObjects(c *config.Filter, written []string) error {
	if !isResumable(c) {
		return nil
	}
	for _, path := range append(written, c.Output.Shards.OutputDir) {
		if object.IsRemote(path) {
			return fmt.Errorf("--checkpoint and --resume cannot continue %s, which exists only when it is complete: "+
				"leave them out, or write a file", object.Name(path))
		}
	}
	return nil
}
