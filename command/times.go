package command

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/formats"
	"github.com/mithril-stream/mithril-stream/stream"
)

// useTimes has the judge told when records were made, if the index forgets by that.
func (f *filterRun) useTimes() error {
	forget := f.c.Index.Forget
	if forget.ForgetAfter > 0 && forget.Time == "" && !formats.IsTimed(f.source.Name) {
		return fmt.Errorf("--forget-after needs --time FIELD: %s records do not say by themselves when they were made",
			f.source.Name)
	}
	return timeRecords(&f.opts, forget)
}

// timeRecords says where the times of records come from.
func timeRecords(opts *stream.Options, forget config.ForgetFlags) error {
	opts.Timed, opts.Time = forget.ForgetAfter > 0, forget.Time
	if err := stream.CheckID(opts.Format, forget.Time); err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	return nil
}
