package index

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// An index of groups has a log for each day. The functions in this file deal with these.

// isOfGroups reports whether an index is one of groups, which may have no day yet.
func isOfGroups(of []index.Parameter) bool { return describeMemory(of) == identity.MemoryOfGroups }

// writeTotal writes the totals of all days.
func writeTotal(out io.Writer, list []days.Day) {
	records, kept := uint64(0), uint64(0)
	for _, day := range list {
		records, kept = records+day.Records, kept+day.Kept
	}
	fmt.Fprintf(out, "records\t%s of %d days, of which %s were kept\n", units.Count(records), len(list),
		units.Count(kept))
}

// writeDays lists the last days.
func writeDays(out io.Writer, list []days.Day) error {
	if len(list) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nday\trecords\tkept\toutput\n")
	first := max(0, len(list)-shownRuns)
	if first > 0 {
		fmt.Fprintf(t, "…\t%d more\n", first)
	}
	for i, day := range list[first:] {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", first+i+1, units.Count(day.Records), units.Count(day.Kept),
			shown.Text(day.Written.Path))
	}
	return t.Flush()
}

// verifyDays reads and checks the whole logs of all days.
func verifyDays(from *index.Snapshot, list []days.Day) error {
	for i, day := range list {
		if err := days.Verify(from.OpenLog, i+1, day); err != nil {
			return err
		}
	}
	return nil
}
