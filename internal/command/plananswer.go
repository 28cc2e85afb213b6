package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// usualTextNanos is the CPU time for reading, sketching and writing a record of 2 KB, in
// nanoseconds, to which the time of the index is added. Both together make the 310,000 records a
// second of docs/design/scale.md.
const usualTextNanos = 2400

// writeAnswer writes what most people want to know about a plan: memory, disk, hours and errors,
// one line for each.
func (p planned) writeAnswer(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "documents\t%s\n", units.Count(p.Documents))
	if p.ExactPreset != "" {
		fmt.Fprintf(t, "memory\tat most %s: a run with --preset %s uses --memory exact\n", units.Bytes(p.ExactBytes),
			p.ExactPreset)
		fmt.Fprintf(t, "errors\tnone, but for texts of more than 68 different words: 2 %% of their copies are missed\n")
		fmt.Fprintf(t, "\nwith --memory bloom:\nmemory\t%s\n", units.Bytes(p.Memory))
	} else {
		fmt.Fprintf(t, "memory\t%s; at most %s with --memory exact\n", units.Bytes(p.Memory), units.Bytes(p.ExactBytes))
	}
	fmt.Fprintf(t, "disk\t%s, %s while its log is folded and until the next run ends\n", units.Bytes(p.Disk),
		units.Bytes(p.DiskToFold))
	fmt.Fprintf(t, "time\t%s\n", p.time())
	fmt.Fprintf(t, "errors\t%s\n", p.errors())
	return t.Flush()
}

// time says how long a run would take: on the machine that was asked about, with the limit on
// memory, or on one core.
func (p planned) time() string {
	if p.Machine != nil {
		return fmt.Sprintf("about %s on %s, within a factor of two", hours(p.Machine.Hours),
			units.Of(uint64(p.Machine.Cores), "core"))
	}
	if l := p.UnderLimit; l != nil && l.RecordsPerSecond > 0 {
		return fmt.Sprintf("at least %s with that --max-memory, from a disk of .9 GB/s",
			hours(float64(p.Documents)/float64(l.RecordsPerSecond)/3600))
	}
	each := usualTextNanos + p.NanosPerRecord
	return fmt.Sprintf("about %s on one core for records of 2 KB; --sample FILE --cores N measures yours",
		hours(float64(p.Documents)*each/1e9/3600))
}

// hours formats a number of hours in a suitable unit of time.
func hours(n float64) string {
	switch {
	case n < 1./60:
		return fmt.Sprintf("%.2g seconds", n*3600)
	case n < 1:
		return fmt.Sprintf("%.2g minutes", n*60)
	case n < 100:
		return fmt.Sprintf("%.2g hours", n)
	}
	return fmt.Sprintf("%.0f days", n/24)
}

// errors says how many verdicts would be wrong.
func (p planned) errors() string {
	text := fmt.Sprintf("%.2g %% of the removed have no earlier one at %g, %.2g %% of those that have one stay "+
		"(expected)", 100*(1-p.Precision), p.Threshold, 100*(1-p.Recall))
	if p.ExpectedFalseRemovals >= 1 {
		text += fmt.Sprintf("; the filters remove %.2g unlike any", p.ExpectedFalseRemovals)
	}
	return text
}
