package command

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/formats"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/quality/audit"
	"github.com/mithril-stream/mithril-stream/run"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runAudit reads the records three times: to judge them, to take the sets of a sample of them, and
// to compare these with those of all earlier records.
func runAudit(ctx context.Context, c *config.Audit, std files.Streams) error {
	started := time.Now()
	a := &auditRun{
		c: c, std: std, removed: audit.NewSample(c.Sample, c.Seed), kept: audit.NewSample(c.Sample, c.Seed+1),
	}
	err := a.createFiles()
	if err == nil {
		err = a.judge(ctx)
	}
	if err == nil {
		err = a.takeSets(ctx)
	}
	if err == nil {
		err = a.compare(ctx)
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
	paths, err := a.std.Paths(a.c.Filter.Inputs)
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
	c             *config.Audit
	std           files.Streams
	removed, kept *audit.Sample
	nearest       audit.Nearest
	order         []uint64       // the records of both samples, in the order of the stream
	tooLong       int            // of them, those whose sets are not kept
	last          uint64         // the last of them
	json, page    *files.Output  // nil if they were not asked for
	keys          method.KeyKind // of the run that is audited
	source        formats.Source // likewise
	removedAt     []uint64       // records that would be removed at each of the other thresholds
}

// judge draws the samples.
func (a *auditRun) judge(ctx context.Context) error {
	err := run.Once(ctx, a.c.Filter, a.std, func(f *run.Run) error {
		a.keys, a.source = f.Keys, f.Source
		f.Opts.Method.Judge = &sampler{judge: f.Opts.Method.Judge, removed: a.removed, kept: a.kept}
		return nil
	})
	a.order = slices.Sorted(slices.Values(append(slices.Clone(a.removed.Numbers), a.kept.Numbers...)))
	if len(a.order) > 0 {
		a.last = a.order[len(a.order)-1]
	}
	return err
}

// A sampler is a judge that shows what another one decides to two samples.
type sampler struct {
	judge         stream.Judge
	removed, kept *audit.Sample
	number        uint64
}

// Judge judges as the other judge does.
func (s *sampler) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	judged, err = s.judge.Judge(b, out)
	for i := range judged {
		s.number++
		switch {
		case len(b.Sketch(i)) == 0:
		case out[i].Duplicate:
			s.removed.Show(s.number)
		default:
			s.kept.Show(s.number)
		}
	}
	return judged, err
}

// takeSets takes the sets of shingles of the samples.
func (a *auditRun) takeSets(ctx context.Context) error {
	left := a.order
	return a.passOfSets(ctx, func(number uint64, set []uint64) {
		if len(left) > 0 && left[0] == number {
			if left = left[1:]; len(set) == 0 {
				a.tooLong++
			}
			a.nearest.Ask(number, set)
		}
	})
}

// compare compares all records with those of the samples that come after them.
func (a *auditRun) compare(ctx context.Context) error {
	return a.passOfSets(ctx, a.nearest.Compare)
}

// passOfSets calls do with the set of shingles of each record up to the last one of the samples. It
// is empty of a text with more of them than a set may have.
func (a *auditRun) passOfSets(ctx context.Context, do func(number uint64, set []uint64)) error {
	if len(a.order) == 0 {
		return nil
	}
	return run.Once(ctx, a.c.Filter, a.std, func(f *run.Run) error {
		sketcher, _, err := method.NewSketcher(f.Config)
		if err != nil {
			return err
		}
		p := sketcher.Params()
		f.Opts.Method = stream.Method{
			NewSketcher: func() stream.Sketcher {
				s, _ := method.ExtractedFrom(f.Config.Text.Markup, sketch.SignedSet{Sketcher: sketcher.Clone()})
				return s // the name of the markup is right
			},
			Judge: &setReader{do: do, words: sketch.SignedWords(p.NumPerm, p.Bands), last: a.last},
		}
		return nil
	})
}

// A setReader is a judge that only looks at sets of shingles.
type setReader struct {
	do     func(number uint64, set []uint64)
	words  int // of a sketch before its set
	number uint64
	last   uint64
}

// Judge hands over the sets. Nothing is a duplicate.
func (s *setReader) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	clear(out)
	for i := range out {
		if s.number == s.last {
			return i, run.ErrEnough
		}
		s.number++
		if words := b.Sketch(i); len(words) > 0 {
			s.do(s.number, words[s.words+1:])
		}
	}
	return len(out), nil
}

// countAt counts what would be removed at other thresholds.
func (a *auditRun) countAt(ctx context.Context) error {
	a.removedAt = make([]uint64, len(a.c.Thresholds))
	return run.Once(ctx, a.c.Dry, a.std, func(f *run.Run) error {
		f.Opts.Method.Judge = similarityCounter{f.Opts.Method.Judge, a}
		return nil
	})
}

// A similarityCounter is a judge that counts how similar another one finds records to be.
type similarityCounter struct {
	judge stream.Judge
	*auditRun
}

// Judge judges as the other judge does.
func (s similarityCounter) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	judged, err = s.judge.Judge(b, out)
	for _, v := range out[:judged] {
		for i, threshold := range s.c.Thresholds {
			if v.Duplicate && float64(v.Similarity) >= threshold {
				s.removedAt[i]++
			}
		}
	}
	return judged, err
}
