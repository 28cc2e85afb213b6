package command

import (
	"context"
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runAudit reads the records repeatedly: to judge them, to take the sets of a sample of them, to
// compare these with those of all earlier records, and to measure what is lost.
func runAudit(ctx context.Context, c *config.Audit, std files.Streams) error {
	started := time.Now()
	a := &auditRun{c: c, std: std, of: audit.New(c.Sample, c.Seed, run.MeasureOf(&c.Filter))}
	err := a.createFiles()
	if err == nil {
		err = a.judge(ctx)
	}
	if err == nil {
		err = a.measure(ctx)
	}
	if err == nil && len(c.Thresholds) > 0 {
		err = a.countAt(ctx)
	}
	if err == nil {
		err = a.report(time.Since(started))
	}
	err = errors.Join(err, a.json.Finish(err == nil, false), a.page.Finish(err == nil, false))
	return files.NameUnfinished(err, a.json, a.page)
}

// createFiles notes the inputs, and begins the files that were asked for.
func (a *auditRun) createFiles() error {
	paths, err := a.std.Paths(a.c.Filter.Input.Paths)
	if err != nil {
		return err
	}
	a.std.See(paths)
	if a.json, err = files.CreateResult(paths, a.c.JSON, a.std); err == nil {
		a.page, err = files.CreateResult(paths, a.c.Report, a.std)
	}
	return err
}

// An auditRun holds the passes over the records, and what they find.
type auditRun struct {
	c          *config.Audit
	std        files.Streams
	of         *audit.Audit
	loss       *audit.LossFinding
	json, page *files.Output // nil if they were not asked for
	source     *run.Source   // of the audited run, once it has been read
	stats      stream.Stats  // of that run
	removedAt  []uint64      // records that would be removed at each of the other thresholds
}

// judge draws the samples.
func (a *auditRun) judge(ctx context.Context) error {
	number := uint64(0)
	return a.readJudged(ctx, a.c.Filter, func(b stream.Batch, out []stream.Verdict) {
		for i := range out {
			if number++; len(b.Sketch(i)) > 0 {
				a.of.Show(number, out[i].Duplicate)
			} else {
				a.of.Pass(number)
			}
		}
	})
}

// readJudged judges all records as a run of the filter would, and calls look with the verdicts.
func (a *auditRun) readJudged(
	ctx context.Context, c config.Filter, look func(b stream.Batch, out []stream.Verdict),
) error {
	by, err := run.SketchingOf(&c)
	if err != nil {
		return err
	}
	var m *run.Method
	a.stats, err = run.Read(ctx, &c, by, a.std, func(from *run.Source) (r run.Reading, err error) {
		if m, err = run.OpenMethod(ctx, &c, from); err != nil {
			return r, err
		}
		if a.source == nil {
			a.source = from
		}
		judge := func(b stream.Batch, out []stream.Verdict) (judged int, err error) {
			judged, err = m.Stream.Judge.Decide(b, out)
			look(b, out[:judged])
			return judged, err
		}
		return run.Reading{Method: stream.Method{Judge: stream.Judge{Decide: judge}}, Needs: m.Needs}, nil
	})
	return errors.Join(err, m.Close())
}

// secondPass returns the configuration of a further pass, with the fields that the first one has
// found.
func (a *auditRun) secondPass(c config.Filter) config.Filter {
	return c.WithFields(a.source.Fields)
}

// measure compares the samples, and measures what is lost.
func (a *auditRun) measure(ctx context.Context) (err error) {
	c := a.secondPass(a.c.Filter)
	read := func(r run.Reading) error {
		_, err := run.Read(ctx, &c, run.Sketching{}, a.std, func(*run.Source) (run.Reading, error) { return r, nil })
		return err
	}
	if err = run.CompareSample(a.of, &c, read); err == nil {
		a.loss, err = run.MeasureLoss(a.of, &c, read)
	}
	return err
}

// countAt counts what would be removed at other thresholds.
func (a *auditRun) countAt(ctx context.Context) error {
	a.removedAt = make([]uint64, len(a.c.Thresholds))
	records := uint64(0)
	err := a.readJudged(ctx, a.secondPass(a.c.Dry), func(_ stream.Batch, out []stream.Verdict) {
		records += uint64(len(out))
		for _, v := range out {
			for i, threshold := range a.c.Thresholds {
				if v.Duplicate && float64(v.Similarity) >= threshold {
					a.removedAt[i]++
				}
			}
		}
	})
	if err == nil && records != a.of.Records() {
		err = audit.ErrChanged
	}
	return err
}
