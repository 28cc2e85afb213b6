package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// timesOf says where the times of records come from, if the memory or the counts use them.
func (s *Source) timesOf(c *config.Filter) (t stream.Times, err error) {
	forget, of, isText := c.Memory.Forget, c.Rule.Kinds, s.Name == "text"
	switch {
	case forget.After == 0 || forget.Time != "" || layout.IsTimed(s.Name):
	case isText:
		return t, fmt.Errorf("--forget-after needs --time line: that is the time which each line begins with")
	default:
		return t, fmt.Errorf("--forget-after needs --time FIELD: %s records do not say by themselves when they "+
			"were made", s.Name)
	}
	field := forget.Time
	if of != nil {
		field = of.Time
	}
	if s.AreJSON && field != "" && field.Field() != stream.LineTime {
		return t, fmt.Errorf("--time %s: %w", field, errAsLines)
	}
	if isText && field != "" {
		t.Timed = forget.After > 0 || of != nil
		t.LineTimes, err = lineTimes(s.Stream.Format, field)
		return t, err
	}
	if of != nil && of.Time != "" {
		t.Timed, t.Time = true, string(of.Time)
		return t, checkTime(s.Stream.Format, of.Time)
	}
	return TimesOf(s.Stream.Format, forget)
}

// lineTimes finds the times of lines of text.
func lineTimes(of record.Format, field spec.TimeField) (*stream.LineTimes, error) {
	if field.Field() != stream.LineTime {
		return nil, fmt.Errorf("--time %s: lines of text have no fields: give --time line for the time that each "+
			"begins with, or line:2026 with the year of the first, where times have none", field)
	}
	times := &stream.LineTimes{Year: field.Year()}
	if err := times.Check(of); err != nil {
		return nil, fmt.Errorf("--time %s: %w", field, err)
	}
	return times, nil
}

// TimesOf says where the times of records of a format come from for a memory that forgets.
func TimesOf(of record.Format, forget spec.Forget) (t stream.Times, err error) {
	if t.Timed = forget.After > 0; t.Timed {
		t.Time = string(forget.Time)
	}
	return t, checkTime(of, forget.Time)
}

func checkTime(of record.Format, field spec.TimeField) error {
	if field.Year() > 0 {
		return fmt.Errorf("--time %s: %w", field, stream.LineTimes{Year: field.Year()}.Check(of))
	}
	if err := record.CheckName(of, string(field)); err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	return nil
}
