package run

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// GateError is the failure of a run whose result is not what --max-duplicates and --max-doubts
// allow. Its outputs are not put in place, and its index is as it was.
type GateError struct{ says string }

func (e GateError) Error() string { return e.says }

// gate holds what has come out of a run against what is asked of it.
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

// percent is a share in percent, to three digits.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 3, 64) }
