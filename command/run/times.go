package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// useTimes has the judge told when records were made, if the index forgets by that.
func (f *Run) useTimes() error {
	forget := f.Config.Index.Forget
	if forget.ForgetAfter > 0 && forget.Time == "" && !formats.IsTimed(f.Source.Name) {
		return fmt.Errorf("--forget-after needs --time FIELD: %s records do not say by themselves when they were made",
			f.Source.Name)
	}
	if of := f.Config.Kinds; of != nil && of.Time != "" {
		f.Opts.Timed, f.Opts.Time = true, of.Time
		return checkTime(f.Opts, of.Time)
	}
	return TimeRecords(&f.Opts, forget)
}

// TimeRecords says where the times of records come from.
func TimeRecords(opts *stream.Options, forget config.ForgetFlags) error {
	if opts.Timed = forget.ForgetAfter > 0; opts.Timed {
		opts.Time = forget.Time
	}
	return checkTime(*opts, forget.Time)
}

func checkTime(opts stream.Options, field string) error {
	if err := stream.CheckID(opts.Format, field); err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	return nil
}
