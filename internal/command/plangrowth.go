package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

const (
	leastTimed = 2000 // records that a sample needs for its times to be meaningful
	timedTwice = 2    // passes over each part; the faster one counts
)

// A sampledTime is the CPU time of a run with one memory and how it grows, measured on a quarter,
// half and all of the sample.
type sampledTime struct {
	Memory   string        `json:"memory"`
	Exponent float64       `json:"exponent"` // of the time over the number of records
	Sizes    []timeOfSizes `json:"sizes"`
}

// timeOfSizes is the CPU time for each number of documents.
type timeOfSizes struct {
	Documents float64 `json:"documents"`
	Seconds   float64 `json:"seconds"`
}

// planTimes measures the sample with each memory. It returns nothing for a small sample.
func planTimes(ctx context.Context, c *config.Plan, std files.Streams, records int) (all []sampledTime, err error) {
	if records < leastTimed {
		return nil, nil
	}
	for _, filter := range c.Timed {
		var seconds [3]float64
		for i := range seconds {
			if seconds[i], err = secondsOf(ctx, filter, std, records>>(len(seconds)-1-i)); err != nil {
				return nil, err
			}
		}
		all = append(all, timeOf(filter.Memory.Kind, float64(records), seconds))
	}
	return all, nil
}

// timeOf fits f + a·nᵉ to the time of a quarter, half and all of n records. Growth that the
// measurement cannot distinguish from linear growth counts as linear.
func timeOf(memory string, n float64, seconds [3]float64) sampledTime {
	first, second := max(0, seconds[1]-seconds[0]), max(0, seconds[2]-seconds[1])
	exponent := 1.
	if first > 0 && second > 2*first {
		exponent = math.Log2(second / first)
	}
	grows := second / (1 - math.Exp2(-exponent)) // a·nᵉ
	t := sampledTime{Memory: memory, Exponent: exponent}
	for _, times := range []float64{1, 10, 100} {
		t.Sizes = append(t.Sizes, timeOfSizes{n * times, seconds[2] + grows*(math.Pow(times, exponent)-1)})
	}
	return t
}

// secondsOf returns the CPU time for judging the first n records of the sample as a run would.
func secondsOf(ctx context.Context, c config.Filter, std files.Streams, n int) (least float64, err error) {
	least = math.Inf(1)
	for range timedTwice {
		by, err := run.SketchingOf(&c)
		if err != nil {
			return 0, err
		}
		var m *run.Method
		left, before := n, files.CPUTime()
		_, err = run.Read(ctx, &c, by, std, func(from *run.Source) (r run.Reading, err error) {
			if m, err = run.OpenMethod(ctx, &c, from); err != nil {
				return r, err
			}
			count := stream.SinkFunc(func(*stream.Decided) error {
				if left--; left <= 0 {
					return run.ErrEnough
				}
				return nil
			})
			return run.Reading{
				Method: stream.Method{Judge: m.Stream.Judge}, Needs: m.Needs, Sinks: []stream.Sink{count},
			}, nil
		})
		spent := float64(files.CPUTime()-before) / 1e9
		if m != nil {
			err = errors.Join(err, m.Close())
		}
		if err != nil {
			return 0, err
		}
		least = min(least, spent)
	}
	return least, nil
}

// writeTimes writes how long runs would take.
func writeTimes(out io.Writer, all []sampledTime) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprint(out, "CPU time here, if it grows on as from a quarter of the sample to all of it:\n\n")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "memory")
	for _, at := range all[0].Sizes {
		fmt.Fprintf(t, "\t%s", units.Of(uint64(at.Documents), "record"))
	}
	fmt.Fprintln(t, "\ttwice the records take")
	for _, of := range all {
		fmt.Fprint(t, of.Memory)
		for _, at := range of.Sizes {
			fmt.Fprintf(t, "\t%s", hours(at.Seconds/3600))
		}
		fmt.Fprintf(t, "\t%.2g times\n", math.Exp2(of.Exponent))
	}
	return t.Flush()
}
