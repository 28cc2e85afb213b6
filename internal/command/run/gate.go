package run

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A GateError ends a run whose result exceeds --max-duplicates or --max-doubts. Its outputs are not
// put in place, and its index does not change.
type GateError struct{ says string }

func (e GateError) Error() string { return e.says }

// gate compares the result of a run with the limits.
func (w *work) gate(o outcome) error {
	asked := w.Config.Report.GateFlags
	if most := asked.MaxDuplicates; most != nil && o.stats.Records > 0 {
		if share := float64(o.stats.Duplicates) / float64(o.stats.Records); share > float64(*most) {
			return GateError{fmt.Sprintf("%s of %s are duplicates, %s %%, and --max-duplicates allows %s %%",
				units.Count(o.stats.Duplicates), units.Of(o.stats.Records, "record"), percent(share),
				percent(float64(*most)))}
		}
	}
	if most := asked.MaxDoubts; most != nil && len(o.doubts.all) > *most {
		return GateError{fmt.Sprintf("the run raises %s, and --max-doubts allows %d: %s",
			units.Of(uint64(len(o.doubts.all)), "doubt"), *most, o.doubts.all[0])}
	}
	return nil
}

// percent formats a share in percent, to three digits.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 3, 64) }
