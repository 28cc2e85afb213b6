package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
)

const (
	mostSampled  = 50_000 // records of --sample
	leastSampled = 100
	sampleTrials = 8
)

// sampled is what `plan --sample --json` says about the sample.
type sampled struct {
	Records int         `json:"records"`
	Trials  int         `json:"trials"`
	Sizes   []sampledAt `json:"sizes"`
	// Times are left out for a sample that is small, or can be read only once.
	Times []sampledTime `json:"times,omitempty"`
}

// sampledAt predicts what is removed from a corpus of that many documents, as shares of them.
type sampledAt struct {
	Documents float64      `json:"documents"`
	Removed   sampledShare `json:"removed"`
	Below     sampledShare `json:"below_threshold"`
	FarBelow  sampledShare `json:"far_below_threshold"` // by eval.FarBelow
}

// sampledShare is a share of records, or a bound on it if none was found.
type sampledShare struct {
	Share   float64 `json:"share"`
	IsBound bool    `json:"is_bound"`
}

func shareOf(r eval.Rise, times float64) (s sampledShare) {
	s.Share, s.IsBound = r.At(times)
	return s
}

// atMost limits the share of a part to the share of the whole, which is predicted separately.
func (s sampledShare) atMost(whole sampledShare) sampledShare {
	s.Share = min(s.Share, whole.Share)
	return s
}

func (s sampledShare) String() string {
	text := fmt.Sprintf("%.2g %%", 100*s.Share)
	switch {
	case s.Share >= .995:
		text = "nearly all"
	case s.IsBound:
		return "< " + text
	}
	return text
}

// planSample judges the sample by the rule that is planned for.
func planSample(ctx context.Context, c *config.Plan, std files.Streams, index bloomlsh.Params) (*sampled, error) {
	texts, err := readSample(ctx, c.Filtering, std)
	if err != nil {
		return nil, err
	}
	sketcher, _, err := sketchers.New(c.Filtering.Method)
	if err != nil {
		return nil, usage.Error(err)
	}
	trend := eval.Trend{
		Text: sketcher.Params(), NewSketcher: sketchers.With, Index: index, Threshold: c.Threshold,
		Trials: sampleTrials,
	}
	g, err := trend.Find(ctx, texts)
	if err != nil {
		return nil, err
	}
	if g.Records < leastSampled {
		return nil, fmt.Errorf("%s: %d records have a text, and at least %d are needed", shown.Text(c.Sample[0]),
			g.Records, leastSampled)
	}
	s := &sampled{Records: g.Records, Trials: g.Trials}
	for _, times := range []float64{1, 10, 100, 1000, float64(c.Documents) / float64(g.Records)} {
		if times < 1 {
			continue
		}
		removed := shareOf(g.Removed, times)
		s.Sizes = append(s.Sizes, sampledAt{
			Documents: times * float64(g.Records), Removed: removed,
			Below: shareOf(g.Wrong, times).atMost(removed), FarBelow: shareOf(g.Far, times).atMost(removed),
		})
	}
	s.Times, err = planTimes(ctx, c, std, g.Records)
	return s, err
}

// readSample reads the texts of the sample.
func readSample(ctx context.Context, c config.Filter, std files.Streams) (texts [][]byte, err error) {
	reader := &labelReader{most: mostSampled}
	if reader.extractor, err = markup.New(c.Rule.Text.Markup); err != nil {
		return nil, usage.Error(err)
	}
	_, err = run.Read(ctx, &c, run.Sketching{}, std, func(*run.Source) (run.Reading, error) {
		return reader.reading(c.Input.MaxRecord, nil), nil
	})
	if errors.Is(err, run.ErrEnough) {
		err = nil
	}
	return reader.texts, err
}

// write writes what the sample predicts.
func (s *sampled) write(out io.Writer, threshold float64) error {
	if s == nil {
		return nil
	}
	fmt.Fprintf(out, "the sample: %s, judged in %d random orders; what of so many is removed, if they are "+
		"alike:\n\n", units.Of(uint64(s.Records), "record"), s.Trials)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "records\tremoved\twith no earlier one at %.2g\tat %.2g\n", threshold, threshold-eval.FarBelow)
	for _, at := range s.Sizes {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", units.Count(uint64(math.Round(at.Documents))), at.Removed, at.Below,
			at.FarBelow)
	}
	fmt.Fprintln(t)
	return errors.Join(t.Flush(), writeTimes(out, s.Times))
}
