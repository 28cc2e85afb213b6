package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Source says where the records of a run come from, and how they are read and sketched.
type Source struct {
	formats.Source
	Paths  []string
	Std    files.Streams // standard input may have been read in part, which they remember
	Stream stream.Source // options of the stream, except those for sinks
	Sketching
	Faults Faults
	Typed  bool        // input comes from a terminal
	Quiet  bool        // nothing is announced
	files  sketchFiles // if sketches are read
	share  *inputShare // of the inputs that has been read; nil for sketches
	lost   *lostInputs // nil if the run fails when an input cannot be read to its end
}

// A Sketching says how texts become sketches: a function that makes a sketcher for each worker, and
// the kind of its sketches. If New is nil nothing is sketched.
type Sketching struct {
	New  func() stream.Sketcher
	Keys identity.KeyKind
}

// SketchingOf returns the Sketching of a filter. Its errors are errors of usage.
func SketchingOf(c *config.Filter) (s Sketching, err error) {
	s.New, s.Keys, err = method.SketcherOf(c.Method)
	return s, usage.Error(err)
}

// ofTexts has sketches made of such texts, where that makes a difference.
func (s *Sketching) ofTexts(c *config.Filter, t sketchers.Texts) error {
	if s.Keys.Bands == 0 { // they are not compared
		return nil
	}
	made, keys, changes, err := method.SketcherOfTexts(c.Method, t)
	if changes && err == nil {
		s.New, s.Keys = made, keys
	}
	return err
}

// Faults say what happens to records that have nothing to compare, and how many workers look.
type Faults struct {
	OnError, Empty string
	Threads        int
	pass           string // the flag that has a run continue despite unreadable records
	tokens         bool   // records have tokens instead of a text
}

func faultsOf(c *config.Filter, std files.Streams) Faults {
	return Faults{
		OnError: c.Input.OnError, Empty: c.Input.Empty, Threads: std.Threads(c.Input.Threads),
		pass: allowsUnreadable(c), tokens: c.Input.Tokens != "",
	}
}

// Needs are what a run wants of a source beyond its texts.
type Needs struct {
	SinkData stream.SinkData // what its sinks receive
	Whole    bool            // fail if an input cannot be read to its end
	// Limits returns limits that replace those of the source. It may be nil.
	Limits func(stream.Limits) stream.Limits
}

// SourceOfTexts returns a source of texts that another program passes in.
func SourceOfTexts(c *config.Filter, std files.Streams) (*Source, error) {
	by, err := SketchingOf(c)
	format := record.Framed("text", []string{"text"})
	if c.Rule.Within.Field != "" {
		format = record.Rows([]string{"text"}) // whose values the reader knows
	}
	return &Source{
		Std: std, Sketching: by, Faults: faultsOf(c, std), Quiet: c.Output.Quiet,
		Stream: stream.Source{Format: format, MaxRecord: c.Input.MaxRecord, Within: c.Rule.Within.Field},
	}, err
}

// OpenSource opens the source of a task. indexes are the user's names of the indexes of the run.
func OpenSource(
	ctx context.Context, c *config.Filter, what Task, std files.Streams, indexes ...string,
) (*Source, error) {
	by, err := what.Sketching(c)
	if err != nil {
		return nil, err
	}
	return openSource(ctx, c, by, what.Written(c), indexes, std)
}

// openSource opens the source of a filter. written are the files that will be written, none of
// which may be read. indexes are the user's names of the indexes of the run.
func openSource(
	ctx context.Context, c *config.Filter, by Sketching, written, indexes []string, std files.Streams,
) (s *Source, err error) {
	s = &Source{Std: std, Sketching: by, Faults: faultsOf(c, std), Quiet: c.Output.Quiet}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if s.Paths, err = std.Paths(c.Input.Paths); err != nil {
		return s, err
	}
	announceNotes(c.Notes, s.Quiet, std)
	AnnounceLeftOut(s.Quiet, std)
	if err := s.refuse(c, written, indexes); err != nil {
		return s, err
	}
	if c.Memory.Index != "" && slices.Contains(s.Paths, "-") && files.IsPipe(std.In) {
		s.Std.First = files.NewStdin(std.In)
	}
	if c.Input.Sketches {
		s.announceTerminal(c)
		return s, s.readSketches(ctx, c)
	}
	return s, s.readRecords(ctx, c)
}

// refuse refuses inputs that would be overwritten, and impossible outputs.
func (s *Source) refuse(c *config.Filter, written, indexes []string) error {
	if err := checkObjects(c, written); err != nil {
		return usage.Error(err)
	}
	if err := files.RefuseToMix(s.Paths, written, s.Std); err != nil {
		return err
	}
	if err := files.RefuseTwice(written, s.Std); err != nil {
		return usage.Error(err)
	}
	return usage.Error(files.RefuseInIndex(written, indexes))
}

// readRecords chooses how records are read.
func (s *Source) readRecords(ctx context.Context, c *config.Filter) (err error) {
	wanted := RequestOf(c, s.Paths)
	if s.Source, err = formats.Choose(ctx, wanted, s.Std); err != nil {
		return err
	}
	if s.First != nil {
		s.Std.First = s.First
	}
	if err := s.ofTexts(c, sketchers.Texts{Several: s.HasSeveralTexts(), Dims: s.Dims}); err != nil {
		return err
	}
	AnnounceField(s.Source, s.Quiet, s.Std)
	s.announcePathColumns(wanted)
	s.share = &inputShare{paths: s.Paths, std: s.Std}
	s.share.follow(s.Inputs)
	s.Stream = stream.Source{
		Inputs: s.Inputs, Format: s.Format, Union: s.Union, MaxRecord: c.Input.MaxRecord, IsFatal: endsOnDamage(c),
	}
	if s.New != nil { // otherwise records are copied without being compared
		s.Stream.Within = c.Rule.Within.Field
	}
	if c.Input.Verdicts == "" {
		s.Stream.Limits = limitsOf(c)
	}
	s.announceTerminal(c)
	if err := s.CheckFields("--within", c.Rule.Within.Field); err != nil {
		return err
	}
	if len(c.Input.Paths) > 0 && c.Input.OnError != stream.ErrorFail {
		s.lost = newLostInputs(s)
		s.Stream.OnLost = s.lost.add
	}
	s.Stream.Times, err = s.timesOf(c)
	return usage.Error(err)
}

// Close releases the memory of reading ahead and sketching.
func (s *Source) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.Keys.Close(), s.Source.Close())
}

// errAsLines says why JSON Lines have no fields, though they have members.
var errAsLines = errors.New("--equal compares lines as they are and looks for no fields in them: add --field {} to " +
	"compare all fields of records, or --field NAME to compare one")

// CheckFields refuses fields that a flag names if records cannot have them.
func (s *Source) CheckFields(flag string, fields ...string) error {
	for _, field := range fields {
		err := record.CheckName(s.Stream.Format, field)
		if err != nil && s.AreJSON {
			err = errAsLines
		}
		if err != nil {
			return usage.Error(fmt.Errorf("%s: %w", flag, err))
		}
	}
	return nil
}

// Options returns the options of a stream that reads the source for these needs.
func (s *Source) Options(n Needs) stream.Options {
	opts := stream.Options{
		Source: s.Stream, Method: stream.Method{NewSketcher: s.New},
		OnError: s.Faults.OnError, Empty: s.Faults.Empty, Threads: s.Faults.Threads,
	}
	opts.Form = stream.Form{Convert: s.Convert, Check: s.Check, Array: s.Array}
	opts.SinkData = n.SinkData
	if n.Whole {
		opts.OnLost = nil
	}
	if n.Limits != nil {
		opts.Limits = n.Limits(opts.Limits)
	}
	return opts
}

// optionsAgain returns the options of a stream that reads a source a second time, after its records
// have been judged.
func (s *Source) optionsAgain() stream.Options {
	opts := s.Options(Needs{})
	opts.Form, opts.Unreadable = stream.Form{}, 0
	opts.OnLost = func(stream.Place) {} // it was reported when the records were judged
	return opts
}

// isLive reports whether to show progress on a terminal. It is not shown if the input is typed,
// since it would overwrite that line.
func isLive(out *os.File, quiet, typed bool) bool {
	return !quiet && !typed && term.IsTerminal(int(out.Fd()))
}

// lostInputs collects the inputs that cannot be read to their ends.
type lostInputs struct {
	out     *os.File
	quiet   bool
	live    bool          // out is a terminal that shows progress
	last    string        // the name of the last input
	isNamed bool          // one was reported
	unnamed *stream.Place // in the first one that was not reported
}

func newLostInputs(s *Source) *lostInputs {
	return &lostInputs{
		out: s.Std.Err, quiet: s.Quiet, live: isLive(s.Std.Err, s.Quiet, s.Typed),
		last: s.Inputs[len(s.Inputs)-1].Name,
	}
}

// add reports an input while the run continues. The error at the end names the last one.
func (l *lostInputs) add(at stream.Place) {
	if l.quiet || at.Input == l.last {
		if l.unnamed == nil {
			l.unnamed = &at
		}
		return
	}
	l.isNamed = true
	if l.live {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
	shown.Notice(l.out, "%s%s; going on with the next input", at, mayBeWrong(at))
}

// failed returns an error with the number of inputs that could not be read to their ends, which
// names one that was not reported yet.
func (l *lostInputs) failed(s stream.Stats, inputs int) LostError {
	e := LostError{count: s.Lost, inputs: inputs}
	if l != nil {
		e.place = l.unnamed
	}
	if e.place == nil && (l == nil || !l.isNamed) { // of a run that this one continues
		e.place = s.FirstLost
	}
	e.isFirst = e.place != nil && *e.place == *s.FirstLost
	return e
}
