package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An input is recognized by its decompressed bytes, whatever its name or compression, also when it
// comes through a pipe. If the files themselves are known, nothing is read. Otherwise the input is
// read as long as it agrees with that of an earlier run; the first bytes of a new input differ from
// all others.

// A beginning is an earlier run whose input is a prefix of this one's.
type recordedPrefix struct {
	run   *journal.Run
	whole bool // a record ends where the input of that run ended
}

// contentsOf returns what identifies the inputs, except for their contents, which are known once
// they have been read. One of several inputs that cannot be opened is left to the run, which
// continues without it. against are the user's names of the indexes that are searched besides the
// run's own.
func contentsOf(c *config.Filter, from *Source, against []string) (journal.Source, error) {
	sum := xxh3.HashString128(wayText(c, from.Source, against))
	source := journal.Source{Reading: fmt.Sprintf("%016x%016x", sum.Hi, sum.Lo)}
	if len(from.Paths) > journal.MostFiles {
		return source, nil
	}
	if name := c.Input.FlagsIn; name != "" {
		contents, err := contentsOfFlags(name, from.Std)
		if err != nil {
			return source, err
		}
		source.Files = append(source.Files, contents)
	}
	for _, path := range from.Paths {
		contents, err := from.Std.ContentsOf(path)
		isMissing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
		if err != nil && !(isMissing && len(from.Paths) > 1) {
			return source, fmt.Errorf("look at %s, to see whether the index has read it before: %w",
				files.InputName(path), err)
		}
		source.Files = append(source.Files, contents)
	}
	return source, nil
}

// firstOfWay is the number of settings on the first line of a way, set or not. Each further one has
// a line of its own if it is set, so a new flag does not change existing ways.
const firstOfWay = 7

// wayText returns the text whose hash is the way.
func wayText(c *config.Filter, r formats.Source, against []string) string {
	settings := c.ReadingSettings(map[string]any{
		"--format": r.Dialect, "--field": r.Fields, "--record-separator": r.Separator, "--against": against,
	})
	var b strings.Builder
	for i, s := range settings {
		value, end := fmt.Sprint(s.Value), " "
		switch s.Value.(type) {
		case string, []string:
			value = fmt.Sprintf("%q", s.Value)
		}
		if i >= firstOfWay-1 {
			end = "\n"
		}
		if i < firstOfWay || s.IsSet() {
			b.WriteString(value + end)
		}
	}
	return b.String()
}

// areBytes reports whether inputs are read as streams of bytes.
func areBytes(inputs []stream.Input) bool {
	return !slices.ContainsFunc(inputs, func(in stream.Input) bool { return in.Open == nil })
}

// isOnePipe reports whether the only input is standard input, and that is a pipe: then its bytes
// identify it in any format.
func (s *Source) isOnePipe() bool {
	return len(s.Paths) == 1 && s.Paths[0] == "-" && s.Std.First != nil
}

// hashed returns inputs whose bytes are hashed as they are read, if they are streams of bytes or
// one pipe; otherwise there is no hasher.
func (s *Source) hashed(inputs []stream.Input) ([]stream.Input, *journal.Hasher) {
	separator := s.Terminator()
	switch {
	case areBytes(inputs):
		return hashInputs(inputs, separator)
	case s.isOnePipe():
		h := journal.NewHasher(separator)
		s.Std.First.Tee(h)
		return inputs, h
	}
	return inputs, nil
}

// hashInputs returns inputs whose bytes are hashed as they are read.
func hashInputs(inputs []stream.Input, separator string) ([]stream.Input, *journal.Hasher) {
	inputs, h := slices.Clone(inputs), journal.NewHasher(separator)
	for i, in := range inputs {
		inputs[i].Open = func() (io.ReadCloser, error) {
			if i > 0 {
				io.WriteString(h, h.Between())
			}
			src, err := in.Open()
			if err != nil {
				return nil, err
			}
			return &hashedReader{src, h}, nil
		}
	}
	return inputs, h
}

type hashedReader struct {
	io.ReadCloser
	h *journal.Hasher
}

func (r *hashedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.h.Write(p[:n])
	return n, err
}

// recognise finds the runs that had the same input as this one, or a prefix of it, the longest
// last. It returns inputs to use in place of the given ones, which begin with the bytes that it has
// read from those that cannot be read again.
func (s *Source) recognise(
	ctx context.Context, of *journal.Journal, source journal.Source,
) (same []*journal.Run, begins []recordedPrefix, inputs []stream.Input, err error) {
	inputs = s.Stream.Inputs
	inBytes := areBytes(inputs) || s.isOnePipe() // the bytes identify the input of an interrupted run
	if same := of.SameFiles(source, !inBytes); len(same) > 0 {
		return same, nil, inputs, nil
	}
	for _, run := range of.BeganWith(source) {
		begins = append(begins, recordedPrefix{run, true})
	}
	var known []*journal.Content
	for _, run := range of.Runs {
		if run.Reading == source.Reading {
			known = append(known, run.Content)
		} else {
			known = append(known, nil)
		}
	}
	if !inBytes || len(begins) > 0 {
		return nil, begins, inputs, nil
	}
	r := recognition{from: s, matcher: journal.NewMatcher(s.Terminator(), known), inputs: slices.Clone(inputs)}
	atEnd, err := files.Await(ctx, r.readInputs)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range of.Runs {
		run := &of.Runs[i]
		if atEnd && r.matcher.Same(i) {
			same = append(same, run)
		} else if b := r.matcher.Prefix(i); b != nil {
			begins = append(begins, recordedPrefix{run, b.Whole})
		}
	}
	slices.SortStableFunc(begins, func(a, b recordedPrefix) int { return int(a.run.Records) - int(b.run.Records) })
	return same, begins, r.inputs, nil
}

// A recognition reads the inputs as long as they may be inputs of earlier runs.
type recognition struct {
	from    *Source
	matcher *journal.Matcher
	inputs  []stream.Input // readable from their beginnings
}

// readInputs reports whether all was read to the end.
func (r *recognition) readInputs() (atEnd bool, err error) {
	for i := range r.inputs {
		if !r.matcher.Undecided() {
			return false, nil
		}
		if i > 0 {
			r.matcher.Next()
		}
		more, err := r.readInput(i)
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// readInput reads an input to its end, or until it matches no earlier run. The run will meet
// damaged and missing inputs again, but perhaps not an error of the system: then it would take the
// input for a new one and remove all its records.
func (r *recognition) readInput(i int) (toEnd bool, err error) {
	in, std := &r.inputs[i], r.from.Std
	if !areBytes(r.inputs) {
		return r.readPipe(i)
	}
	open, again := in.Open, true
	if path := r.from.Paths[i]; path == "-" {
		if again = isRegular(std.In); again {
			open = func() (io.ReadCloser, error) { return std.OpenAgain(path) }
		}
	} else if !object.IsRemote(path) {
		info, err := os.Stat(path)
		again = err != nil || info.Mode().IsRegular()
	}
	src, err := open()
	if err != nil {
		return false, r.unrecognised(i, err)
	}
	if again {
		defer src.Close()
		return r.readWhile(i, src, io.Discard)
	}
	kept := &files.Rewinder{}
	if toEnd, err = r.readWhile(i, src, kept); err != nil {
		return false, errors.Join(err, kept.Close(), src.Close())
	}
	in.Open = func() (io.ReadCloser, error) { return kept.Reopen(src) }
	return toEnd, nil
}

// readPipe is readInput for standard input that is a pipe.
func (r *recognition) readPipe(i int) (toEnd bool, err error) {
	kept, first := &files.Rewinder{}, r.from.Std.First
	if toEnd, err = r.readWhile(i, first, kept); err != nil {
		return false, errors.Join(err, kept.Close())
	}
	before, err := kept.Reopen(io.NopCloser(bytes.NewReader(nil)))
	if err == nil {
		first.Unread(before)
	}
	return toEnd, err
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// unrecognised returns the error for an input that could not be compared with those of earlier runs
// because of an error of the system.
func (r *recognition) unrecognised(i int, err error) error {
	isOfSystem := errors.As(err, new(syscall.Errno))
	if !isOfSystem || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("look at %s, to see whether the index has read it before: %w: run the command again, or add "+
		"--repeat judge to have it judged as a new input", files.InputName(r.from.Paths[i]), err)
}

// readWhile reads an input while more bytes are needed to recognize it.
func (r *recognition) readWhile(i int, src io.Reader, kept io.Writer) (toEnd bool, err error) {
	buf := make([]byte, 256<<10)
	for r.matcher.Undecided() {
		n, failed := src.Read(buf)
		if _, err := kept.Write(buf[:n]); err != nil {
			return false, fmt.Errorf("keep the beginning of %s: %w", files.InputName(r.from.Paths[i]), err)
		}
		r.matcher.Write(buf[:n])
		if failed != nil {
			return failed == io.EOF, r.unrecognised(i, failed)
		}
	}
	return false, nil
}
