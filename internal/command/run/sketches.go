package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sketchFormat is the name of the format of sketch files.
const sketchFormat = "sketch"

// presetParameter names the preset that says how keys are remembered, which is not a part of their
// identity.
const presetParameter = "preset"

// A sketchWriter is a judge that writes sketches to a file instead of comparing them. Call open
// first.
type sketchWriter struct {
	*sketchfile.Writer
	bands    int
	problems []string // of the file; the first one has the number 1
}

// judge writes the band keys of a record and the words after them, or why it has none.
// Nothing is a duplicate.
func (s *sketchWriter) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	words := b.Sketch(i)
	if len(words) == 0 {
		return v, s.AddWithout(1 + slices.Index(s.problems, b.Problems[i].Name()))
	}
	return v, s.Add(stream.KeysOf(words[:2*s.bands]), words[2*s.bands:]...)
}

// open begins the file of sketches.
func (s *sketchWriter) open(c *config.Filter, keys identity.KeyKind, to *Outputs) (err error) {
	if c.Output.Sketches == "-" && term.IsTerminal(int(to.std.Out.Fd())) {
		return usage.Error(errors.New("sketches are not for a terminal: give -o FILE, or a pipe"))
	}
	h := sketchfile.Header{Problems: record.ProblemNames()}
	if c.Input.Tokens != "" {
		h.Problems = append(h.Problems, record.NotTokens.Name())
	}
	for _, p := range keys.Parameters() {
		h.Parameters = append(h.Parameters, sketchfile.Parameter(p))
	}
	if c.Output.SketchesOf != "" {
		h.Parameters = append(h.Parameters, sketchfile.Parameter{Name: presetParameter, Value: c.Output.SketchesOf})
	}
	s.bands, s.problems = keys.Bands, h.Problems
	if s.Writer, err = sketchfile.NewWriter(to.files.sketches, h); err != nil {
		return fmt.Errorf("write sketches: %w", err)
	}
	return nil
}

// SignatureWords returns the number of words that --signatures adds to the keys of a sketch.
func SignatureWords(p sketch.Params) int { return LengthWords + p.PackedWords() }

// SketchBytes returns the size of sketch files, without their heads, if all records have texts.
func SketchBytes(records uint64, bands, words int) uint64 {
	const key, word, problem = 16, 8, 1
	return records * uint64(key*bands+word*words+problem)
}

// sketchFiles is what is known about sketch files before they are read.
type sketchFiles struct {
	records uint64 // as they claim
	again   bool   // they can be opened again
}

// readSketches reads band keys from files. It first checks that the files are of one kind, and
// complete.
func (s *Source) readSketches(ctx context.Context, c *config.Filter) error {
	preset := ""
	for i, path := range s.Paths {
		of, err := openSketches(ctx, path, s.Std)
		if err != nil {
			return err
		}
		switch {
		case i == 0:
			s.Keys, preset = of.keys, of.preset
		case of.preset != preset:
			err = fmt.Errorf("%s cannot be mixed with %s: preset is %s there and %s here: sketch both with the same "+
				"options", object.Name(path), object.Name(s.Paths[0]), cmp.Or(preset, "none"),
				cmp.Or(of.preset, "none"))
		default:
			err = sameKeys(s.Paths[0], path, s.Keys, of.keys)
		}
		if err != nil {
			return errors.Join(err, of.Close())
		}
		s.files.records += of.records
		s.files.again = (i == 0 || s.files.again) && of.again
		input, err := of.input(ctx, path, s.Std)
		if err != nil {
			return err
		}
		s.Stream.Inputs = append(s.Stream.Inputs, input)
	}
	if preset != "" {
		if err := c.RememberAs(preset); err != nil {
			return err
		}
	}
	if votes := c.Rule.Votes; votes > s.Keys.Bands {
		return usage.Error(fmt.Errorf("--votes %d is more than the %d bands of the sketches", votes, s.Keys.Bands))
	} else if votes > 0 {
		s.Keys.Votes = votes
	}
	s.Stream.Format, s.Stream.MaxRecord = record.Framed("record", nil), c.Input.MaxRecord
	s.Dialect = sketchFormat
	if c.Input.FlagsIn != "" {
		return s.skipEarlier(ctx, c)
	}
	return nil
}

// input returns the file as an input. A file that can be opened again is closed until its turn, so
// that it holds neither a buffer nor a descriptor.
func (s *sketches) input(ctx context.Context, path string, std files.Streams) (stream.Input, error) {
	in := stream.Input{Name: s.name, OpenRecords: func() (stream.RecordReader, error) { return s, nil }}
	if !s.again {
		return in, nil
	}
	keys := s.keys
	in.OpenRecords = func() (stream.RecordReader, error) {
		again, err := openSketches(ctx, path, std)
		if err == nil {
			err = sameKeys(path, path, keys, again.keys)
		}
		return again, err
	}
	return in, s.Close()
}

// sketches are the records of a sketch file.
type sketches struct {
	*sketchfile.Reader
	src      io.Closer
	name     string
	keys     identity.KeyKind
	preset   string           // that says how keys are remembered; may be empty
	problems []record.Problem // by their numbers in the file, from 1
	again    bool             // the file can be opened again
	records  uint64           // the number of records it claims to have; 0 if unknown
}

func openSketches(ctx context.Context, path string, std files.Streams) (*sketches, error) {
	s := &sketches{name: std.InputName(path)}
	src, err := files.OpenStoppable(ctx, path, std)
	if err != nil {
		return nil, err
	}
	if err = s.readHeader(src); err == nil {
		s.again, s.records, err = hasEnd(src, path)
	}
	if err != nil {
		if errors.Is(err, sketchfile.ErrForeign) {
			err = fmt.Errorf("%w: leave the command out to judge records, or make sketches of them with "+
				"mithril-stream sketch", err)
		}
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), src.Close())
	}
	return s, nil
}

// hasEnd checks the end of a file that allows random access, without reading the rest; such a file
// can be opened again. A record has at least a byte.
func hasEnd(src io.Reader, path string) (again bool, records uint64, err error) {
	file, ok := src.(*os.File)
	if !ok || path == "-" {
		return false, 0, nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, 0, err
	}
	records, err = sketchfile.Count(file, info.Size())
	return true, min(records, uint64(info.Size())), err
}

func (s *sketches) readHeader(src io.ReadCloser) (err error) {
	s.src = src
	if s.Reader, err = sketchfile.NewReader(src); err != nil {
		return err
	}
	h := s.Header()
	s.keys.Bands = h.Bands()
	s.keys.Votes = 1 // files without the parameter use the only rule that existed then
	s.keys.Words = h.Words()
	for _, p := range h.Parameters {
		switch p.Name {
		case identity.BandsParameter, identity.WordsParameter:
		case presetParameter:
			s.preset = p.Value
		case bloomlsh.ThresholdParameter:
			if s.keys.Threshold, err = strconv.ParseFloat(p.Value, 64); err != nil {
				return fmt.Errorf("%w: %s is %q, not a number", sketchfile.ErrCorrupt, p.Name, p.Value)
			}
		case identity.VotesParameter:
			if s.keys.Votes, err = strconv.Atoi(p.Value); err != nil || s.keys.Votes < 1 ||
				s.keys.Votes > s.keys.Bands {
				return fmt.Errorf("%w: %s is %q, not a number from 1 to %d",
					sketchfile.ErrCorrupt, identity.VotesParameter, p.Value, s.keys.Bands)
			}
		default:
			s.keys.Identity = append(s.keys.Identity, bloomlsh.Parameter(p))
		}
	}
	for _, name := range h.Problems {
		p, ok := record.ProblemNamed(name)
		if !ok {
			return fmt.Errorf("%w: it has records with the problem %q: use a newer program", sketchfile.ErrVersion,
				name)
		}
		s.problems = append(s.problems, p)
	}
	return nil
}

// sketchBatch is the number of words of band keys that are read at a time.
const sketchBatch = 32 << 10

// ReadRecords reads the next records.
func (s *sketches) ReadRecords(_ context.Context, to *stream.Records) error {
	from := s.Offset()
	defer func() { to.Bytes = uint64(s.Offset() - from) }()
	for len(to.Sketches)+len(to.List) < sketchBatch {
		keys, problem, err := s.Next()
		if err != nil {
			return err
		}
		r := stream.Record{Sketch: record.Span{Start: len(to.Sketches)}}
		if problem > 0 {
			r.Problem = s.problems[problem-1]
		}
		for _, key := range keys {
			to.Sketches = append(to.Sketches, key.Hi, key.Lo)
		}
		if keys != nil {
			to.Sketches = append(to.Sketches, s.Words()...)
		}
		r.Sketch.End = len(to.Sketches)
		to.List = append(to.List, r)
	}
	return nil
}

// Skip skips the records of an earlier run.
func (s *sketches) Skip(at stream.Position) error {
	for range at.Records {
		if _, _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sketches) Close() error { return s.src.Close() }

// sameKeys returns an error that names each parameter in which two files differ.
func sameKeys(first, path string, wanted, got identity.KeyKind) error {
	differences := parameter.Differences(got.Parameters(), wanted.Parameters(), "there")
	if len(differences) == 0 {
		return nil
	}
	return fmt.Errorf("%s cannot be mixed with %s: %s: sketch both with the same options", object.Name(path),
		object.Name(first), strings.Join(differences, ", "))
}
