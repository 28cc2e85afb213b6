package command

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// The sample is read repeatedly, until one of these limits is reached.
const (
	enoughCPU  = 1e9 // ns
	mostPasses = 10
)

// recordCost is the average cost of a record of the sample on this machine: CPU time in
// nanoseconds, and bytes.
type recordCost struct {
	all     float64 // of all goroutines: reading, sketching, judging
	ordered float64 // of the goroutine that judges records and passes them on in order
	judge   float64 // of that, for asking the index
	bytes   float64
}

// measureCost runs the sample as the filter would, but without writing, and keeps the cheapest
// pass.
func measureCost(ctx context.Context, c *config.Plan, std files.Streams, index bloomlsh.Params) (recordCost, error) {
	best := recordCost{all: math.Inf(1), ordered: math.Inf(1), judge: math.Inf(1)}
	spent := 0.
	for range mostPasses {
		cost, total, err := costOfPass(ctx, c, std, index)
		if err != nil {
			return best, err
		}
		best.all, best.bytes = min(best.all, cost.all), cost.bytes
		if cost.ordered < best.ordered {
			best.ordered, best.judge = cost.ordered, cost.judge
		}
		if spent += total; spent > enoughCPU {
			break
		}
	}
	return best, nil
}

func costOfPass(
	ctx context.Context, c *config.Plan, std files.Streams, p bloomlsh.Params,
) (cost recordCost, total float64, err error) {
	p.Capacity, p.KeepGenerations, p.ForgetAfter = mostSampled, 0, 0
	index, err := bloomlsh.New(p)
	if err != nil {
		return cost, 0, usage.Error(err)
	}
	by, err := run.SketchingOf(&c.Filtering)
	if err != nil {
		return cost, 0, usage.Error(err)
	}
	watch := &committerWatch{judge: stream.ByVotes(stream.BandIndex{Observe: index.Observe}, p.Votes)}
	before := files.CPUTime()
	stats, err := run.Read(ctx, &c.Filtering, by, std, func(*run.Source) (run.Reading, error) {
		sinks := []stream.Sink{stream.SinkFunc(watch.Observe)}
		return run.Reading{Method: stream.Method{Judge: watch.Judge()}, Sinks: sinks}, nil
	})
	if err != nil {
		return cost, 0, err
	}
	if watch.records == 0 {
		return cost, 0, fmt.Errorf("%s cannot be read a second time: give a file", shown.Text(c.Sample[0]))
	}
	total = float64(files.CPUTime() - before)
	n := float64(watch.records)
	return recordCost{
		all: total / n, ordered: watch.ordered / n, judge: watch.judging / n,
		bytes: float64(stats.BytesIn) / float64(max(1, stats.Records)),
	}, total, nil
}

// A committerWatch measures the goroutine that commits records, from the judge's first record of a
// batch to the sinks' last one. That goroutine calls both the judge and the sinks.
type committerWatch struct {
	judge            stream.Judge
	records          uint64
	begun            moment // when the batch began
	left             int    // records of the batch that have not reached the sinks yet
	ordered, judging float64
}

// A moment is a time, and the CPU time of the current thread.
type moment struct {
	wall time.Time
	cpu  int64
}

func now() moment { return moment{time.Now(), files.ThreadCPUTime()} }

// since returns the CPU time since then, in nanoseconds. If the goroutine has moved to another
// thread, whose clock says nothing, the result is at most the time that has passed.
func (m moment) since() float64 {
	cpu := files.ThreadCPUTime() - m.cpu
	return float64(max(0, min(cpu, int64(time.Since(m.wall)))))
}

// Judge returns the judge that is measured.
func (w *committerWatch) Judge() stream.Judge {
	judge := w.judge
	judge.Decide = w.decide
	return judge
}

func (w *committerWatch) decide(b stream.Batch, out []stream.Verdict) (int, error) {
	w.begun, w.left = now(), len(out)
	judged, err := w.judge.Decide(b, out)
	w.judging += w.begun.since()
	return judged, err
}

// Observe counts a record.
func (w *committerWatch) Observe(*stream.Decided) error {
	if w.left--; w.left == 0 {
		w.ordered += w.begun.since()
	}
	if w.records++; w.records == mostSampled {
		return run.ErrEnough
	}
	return nil
}
