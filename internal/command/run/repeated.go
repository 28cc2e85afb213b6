package run

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// replayed returns the run whose verdicts are all repeated, or nil.
func (j *runJournal) replayed() *journal.Run {
	if j == nil || j.replayer == nil {
		return nil
	}
	return j.repeated
}

// noteOfRepeat says that an input was read before. Since that decides about all its records, it is
// said even under --quiet.
func (j *runJournal) noteOfRepeat() string {
	if j == nil || j.replayer == nil && j.known == nil {
		return ""
	}
	if run := cmp.Or(j.known, j.repeated); run.Records == 0 {
		return ""
	}
	return strings.TrimPrefix(j.summary(), "; ")
}

// summary says, in the line at the end, how an earlier run relates to this one; it is usually
// empty.
func (j *runJournal) summary() string {
	switch {
	case j == nil:
	case j.replayer != nil:
		return fmt.Sprintf("; the index knows this input from run %d of %s: the same verdicts again, and the index is "+
			"as it was", j.repeated.Number, j.repeated.Ended.Format(time.DateTime))
	case j.continuation != nil:
		return fmt.Sprintf("; the first %s are those of run %d of %s: the same verdicts again, and its output goes on",
			units.Of(j.continuation.Again(), "record"), j.repeated.Number, j.repeated.Ended.Format(time.DateTime))
	case j.known != nil:
		return fmt.Sprintf("; the index knows this input from run %d of %s, whose output is not replaced: here is "+
			"only what is new (--repeat replay gives that output again)", j.known.Number,
			j.known.Ended.Format(time.DateTime))
	case j.prefix != nil:
		return fmt.Sprintf("; the first %s are those of run %d of %s, whose output is another "+
			"one: here is only "+
			"what is new", units.Of(j.prefix.Records, "record"), j.prefix.Number, j.prefix.Ended.Format(time.DateTime))
	}
	return ""
}

// repeats returns the number of the run whose verdicts are all repeated, or 0.
func (j *runJournal) repeats() uint64 {
	if run := j.replayed(); run != nil {
		return run.Number
	}
	return 0
}

// extends returns the number of the run that this one continues, or 0.
func (j *runJournal) extends() uint64 {
	if j == nil || j.continuation == nil {
		return 0
	}
	return j.repeated.Number
}
