package command

import (
	"context"
	"errors"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runAudit reads the records three times: to judge them, to take the sets of a sample of them, and
// to compare these with those of all earlier records.
func runAudit(ctx context.Context, c *config.Audit, std files.Streams) error {
	started := time.Now()
	a := &auditRun{c: c, std: std, of: audit.New(c.Sample, c.Seed, run.MeasureOf(&c.Filter))}
	err := a.createFiles()
	if err == nil {
		err = a.judge(ctx)
	}
	if err == nil {
		err = a.readSets(ctx)
	}
	if err == nil && len(c.Thresholds) > 0 {
		err = a.countAt(ctx)
	}
	if err == nil {
		err = a.tell(time.Since(started))
	}
	err = errors.Join(err, a.json.Finish(err == nil, false), a.page.Finish(err == nil, false))
	return files.NameLeft(err, a.json, a.page)
}

// createFiles begins the files that were asked for.
func (a *auditRun) createFiles() error {
	paths, err := a.std.Paths(a.c.Filter.Input.Paths)
	if err != nil {
		return err
	}
	if a.json, err = files.CreateResult(paths, a.c.JSON, a.std); err == nil {
		a.page, err = files.CreateResult(paths, a.c.Report, a.std)
	}
	return err
}

// An auditRun is the three passes over the records, and what they find.
type auditRun struct {
	c          *config.Audit
	std        files.Streams
	of         *audit.Audit
	json, page *files.Output  // nil if they were not asked for
	keys       method.KeyKind // of the run that is audited
	source     formats.Source // likewise
	removedAt  []uint64       // records that would be removed at each of the other thresholds
}

// judge draws the samples.
func (a *auditRun) judge(ctx context.Context) error {
	return run.Once(ctx, a.c.Filter, a.std, func(f *run.Run) error {
		a.keys, a.source = f.Keys, f.Source
		judge, number := f.Opts.Method.Judge, uint64(0)
		f.Opts.Method.Judge = stream.JudgeFunc(func(b stream.Batch, out []stream.Verdict) (judged int, err error) {
			judged, err = judge.Judge(b, out)
			for i := range judged {
				if number++; len(b.Sketch(i)) > 0 {
					a.of.Show(number, out[i].Duplicate)
				}
			}
			return judged, err
		})
		return nil
	})
}

// again is what a further pass reads: the fields that the first one has found.
func (a *auditRun) again(c config.Filter) config.Filter {
	return c.WithFields(a.source.Fields)
}

// readSets reads the sets of shingles twice: those that were drawn, and all for comparison.
func (a *auditRun) readSets(ctx context.Context) error {
	last := a.of.Draw()
	if last == 0 {
		return nil
	}
	for _, do := range []func(uint64, []uint64){a.of.Ask, a.of.Compare} {
		err := run.Once(ctx, a.again(a.c.Filter), a.std, func(f *run.Run) (err error) {
			f.Opts.Method, err = run.MethodOfSets(f.Config, last, do)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countAt counts what would be removed at other thresholds.
func (a *auditRun) countAt(ctx context.Context) error {
	a.removedAt = make([]uint64, len(a.c.Thresholds))
	return run.Once(ctx, a.again(a.c.Dry), a.std, func(f *run.Run) error {
		judge := f.Opts.Method.Judge
		f.Opts.Method.Judge = stream.JudgeFunc(func(b stream.Batch, out []stream.Verdict) (judged int, err error) {
			judged, err = judge.Judge(b, out)
			for _, v := range out[:judged] {
				for i, threshold := range a.c.Thresholds {
					if v.Duplicate && float64(v.Similarity) >= threshold {
						a.removedAt[i]++
					}
				}
			}
			return judged, err
		})
		return nil
	})
}
