package run

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// UnreadableRecords is the number of records at the beginning of a run after which, if none of them
// can be read, the format or the field is considered wrong.
const UnreadableRecords = 100

// UnreadableLimit returns that number, or 0 if the user has said what happens to unreadable
// records.
func UnreadableLimit(c *config.Filter) int {
	if c.Input.OnErrorGiven || c.Input.MaxUnreadable == 1 {
		return 0
	}
	return UnreadableRecords
}

// inputLimit returns the limit for each of several inputs. A run that follows verdicts knows no
// fields.
func inputLimit(c *config.Filter) int {
	if c.Input.Verdicts != "" {
		return 0
	}
	return UnreadableLimit(c)
}

// The default share of unreadable records above which a run fails, and the least number of them: a
// few say nothing about a field.
const (
	unreadableShare = .5
	unreadableLeast = 20
)

// limitsOf returns the limits on unreadable records.
func limitsOf(c *config.Filter) stream.Limits {
	l := stream.Limits{Unreadable: UnreadableLimit(c), NeedsFields: true}
	switch {
	case l.Unreadable == 0:
	case c.Input.MaxUnreadable > 0:
		l.UnreadableShare = c.Input.MaxUnreadable
	default:
		l.UnreadableShare, l.UnreadableLeast = unreadableShare, unreadableLeast
	}
	return l
}

// allowsUnreadable is the flag that has a run continue despite unreadable records.
func allowsUnreadable(c *config.Filter) string {
	if c.Input.HasOnError {
		return "--on-error keep"
	}
	return "--max-unreadable 1"
}

// ExplainUnreadable adds to such an error what was found instead, and what to do.
func (s *Source) ExplainUnreadable(err error) error {
	var unreadable *stream.UnreadableError
	if !errors.As(err, &unreadable) {
		return s.explainFields(err)
	}
	if unreadable.Problem.IsNotUTF8() {
		return fmt.Errorf("%w (no record was written)", err)
	}
	auto := formats.FieldsIn(s.Settings, unreadable.Head, s.Stream.MaxRecord)
	advice := formats.DescribeInput(unreadable.Head, s.Dialect, s.TextFields(), auto)
	if unreadable.Problem == record.Annotated {
		advice = "take its members mithril_… out first, as with jq -c 'del(.mithril_duplicate)', " +
			"or leave --annotate out"
	}
	if unreadable.Problem == record.NoTime {
		advice = "give --time the field that has it, as RFC 3339, a date or seconds since 1970"
	}
	if unreadable.Problem == record.NoTime && s.Stream.LineTimes != nil {
		advice = "leave --time line out where lines do not begin with times"
	}
	if s.Faults.tokens {
		advice = "give --tokens the field that has a list of integers, as in [464, 7850]"
	}
	if unreadable.Problem.IsCutOff() {
		advice = "get the complete input"
	}
	if damage := s.damageBehind(unreadable); damage != nil {
		advice = damage.Error() + ", so these may not be records: get the file again"
	}
	advice = cmp.Or(advice, "give --format or --field")
	return fmt.Errorf("%w: %s; or %s to pass such records on (no record was written)", err, advice,
		s.Faults.pass)
}

// explainFields adds to the error of a run that reached its end what to do.
func (s *Source) explainFields(err error) error {
	var share *stream.ShareError
	var fields *stream.NoFieldError
	switch {
	case errors.As(err, &share):
		return fmt.Errorf("%w: that is more than the share of %g that --max-unreadable allows: give the field that "+
			"has the text, or %s", err, s.Stream.UnreadableShare, s.Faults.pass)
	case errors.As(err, &fields):
		line, _, _ := bytes.Cut(bytes.TrimPrefix(fields.Head, []byte("\xef\xbb\xbf")), []byte("\n"))
		advice := "name another one"
		if names := formats.MemberNames(line); len(names) > 0 {
			advice = "the first record has the members " + strings.Join(names, ", ")
		}
		return fmt.Errorf("%w: %s; a field with a text that may be absent is written with ?, as in --field input?", err,
			advice)
	}
	return err
}

// damageLook bounds the search for damage in a file whose first records cannot be read, in bytes
// after decompression.
const damageLook = 64 << 20

// damageBehind looks for damage in a compressed file that explains why its first records cannot be
// read: gzip, zstd and xz detect wrong data only where it ends, and the run has stopped before
// that. It returns nil if the file is intact or cannot be read again.
func (s *Source) damageBehind(unreadable *stream.UnreadableError) *compress.DamageError {
	for _, path := range s.Paths {
		if object.Name(path) != unreadable.First.Input {
			continue
		}
		if !object.IsRemote(path) && !areRegular(path) {
			return nil
		}
		in, err := s.Std.Open(path)
		if err == nil {
			_, err = io.CopyN(io.Discard, in, damageLook)
			in.Close()
		}
		if damage := (*compress.DamageError)(nil); errors.As(err, &damage) {
			return damage
		}
		return nil
	}
	return nil
}
