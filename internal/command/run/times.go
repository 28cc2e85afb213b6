package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/stream"
)

// useTimes has the judge told when records were made, if it goes by that, and the counts of groups.
func (f *Run) useTimes() error {
	forget, of, isText := f.Config.Memory.Forget, f.Config.Rule.Kinds, f.Source.Name == "text"
	switch {
	case forget.After == 0 || forget.Time != "" || layout.IsTimed(f.Source.Name):
	case isText:
		return fmt.Errorf("--forget-after needs --time line: that is the time which each line begins with")
	default:
		return fmt.Errorf("--forget-after needs --time FIELD: %s records do not say by themselves when they were made",
			f.Source.Name)
	}
	field := forget.Time
	if of != nil {
		field = of.Time
	}
	if isText && field != "" {
		f.Opts.Timed = forget.After > 0 || of != nil
		return useLineTimes(&f.Opts, field)
	}
	if of != nil && of.Time != "" {
		f.Opts.Timed, f.Opts.Time = true, string(of.Time)
		return checkTime(f.Opts, of.Time)
	}
	return TimeRecords(&f.Opts, forget)
}

// useLineTimes has lines say when they were made.
func useLineTimes(opts *stream.Options, field spec.TimeField) error {
	if field.Field() != stream.LineTime {
		return fmt.Errorf("--time %s: lines of text have no fields: give --time line for the time that each begins "+
			"with, or line:2026 with the year of the first, where times have none", field)
	}
	opts.LineTimes = &stream.LineTimes{Year: field.Year()}
	if err := opts.LineTimes.Check(opts.Format); err != nil {
		return fmt.Errorf("--time %s: %w", field, err)
	}
	return nil
}

// TimeRecords says where the times of records come from.
func TimeRecords(opts *stream.Options, forget spec.Forget) error {
	if opts.Timed = forget.After > 0; opts.Timed {
		opts.Time = string(forget.Time)
	}
	return checkTime(*opts, forget.Time)
}

func checkTime(opts stream.Options, field spec.TimeField) error {
	if field.Year() > 0 {
		return fmt.Errorf("--time %s: %w", field, stream.LineTimes{Year: field.Year()}.Check(opts.Format))
	}
	if err := stream.CheckID(opts.Format, string(field)); err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	return nil
}
