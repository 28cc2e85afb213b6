package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// outputs are the files that a run writes.
type outputs struct {
	kept                              io.Writer
	main                              *outFile // behind kept, if it is not standard output
	stdout                            *os.File // behind kept, if it is
	start                             int64    // where in stdout's file the run began to write
	duplicates, rejects, flags, stats *outFile
	durable                           bool // an index counts on them
}

// openOutputs opens every file before anything is read: a wrong path should not come out after hours. A run that is resumed goes on
// with its files; last is nil for a new one.
func openOutputs(c *config.Filter, std Streams, last *progress) (*outputs, error) {
	o := &outputs{durable: c.Index.Index != ""}
	if err := o.open(c, std, last); err != nil {
		return nil, errors.Join(err, o.finish(false))
	}
	return o, nil
}

func (o *outputs) open(c *config.Filter, std Streams, last *progress) error {
	if c.Output.Output == "-" {
		if err := o.openStdout(std, last); err != nil {
			return err
		}
	}
	var written stream.Written
	if last != nil {
		written = last.Stats.Written
	}
	for _, f := range []struct {
		file    **outFile
		path    string
		written uint64
	}{
		{&o.main, c.Output.Output, written.Output},
		{&o.duplicates, c.Output.Duplicates, written.Duplicates},
		{&o.rejects, c.Output.Rejects, written.Rejects},
		{&o.flags, c.Output.Flags, written.Flags},
	} {
		if f.path == "" || f.path == "-" {
			continue
		}
		var err error
		if last != nil {
			*f.file, err = reopenOutFile(f.path, f.written)
		} else {
			*f.file, err = createOutFile(f.path, c.Index.Checkpoint.IsSet() || c.Index.Resume)
		}
		if err != nil {
			return err
		}
	}
	if o.main != nil {
		o.kept = o.main
	}
	if c.Output.Stats == "" {
		return nil
	}
	var err error
	o.stats, err = createOutFile(c.Output.Stats, false)
	return err
}

// openStdout begins or goes on with standard output. If it is a file it can be resumed like any other, if the shell appends to it.
func (o *outputs) openStdout(std Streams, last *progress) error {
	o.kept, o.stdout = std.Out, std.Out
	info, err := std.Out.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if last == nil {
		o.start = info.Size()
		return nil
	}
	o.start = last.Start
	err = cutBack(std.Out, "standard output", last.Start+int64(last.Stats.Written.Output))
	if err != nil {
		return fmt.Errorf("%w (append to it with >>, or use -o)", err)
	}
	return nil
}

// streamsOf names what a run writes, so that it is resumed with the same.
func streamsOf(c config.OutputFlags) []string {
	names := []string{"output"}
	for _, f := range []struct{ path, name string }{{c.Duplicates, "duplicates"}, {c.Rejects, "rejects"}, {c.Flags, "flags"}} {
		if f.path != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// sync makes everything written durable.
func (o *outputs) sync() error {
	var errs []error
	if o.stdout != nil {
		errs = append(errs, syncFile(o.stdout))
	}
	for _, f := range []*outFile{o.main, o.duplicates, o.rejects, o.flags} {
		if f != nil {
			errs = append(errs, syncFile(f.File))
		}
	}
	return errors.Join(errs...)
}

// finish puts the files in place after a run that is complete, and leaves them as FILE.partial after one that is not.
func (o *outputs) finish(complete bool) error {
	var errs []error
	if o.stdout != nil {
		if complete && o.durable {
			errs = append(errs, syncFile(o.stdout))
		}
		if err := o.stdout.Close(); err != nil && complete { // some file systems report a failed write only here
			errs = append(errs, fmt.Errorf("close output: %w", err))
		}
	}
	for _, f := range []*outFile{o.main, o.duplicates, o.rejects, o.flags} {
		errs = append(errs, f.finish(complete, o.durable))
	}
	return errors.Join(errs...)
}
