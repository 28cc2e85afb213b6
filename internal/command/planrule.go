package command

import (
	"fmt"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// plannedRule says which pairs of records the rule finds.
type plannedRule struct {
	Threshold         float64 `json:"threshold"`
	NumPerm           int     `json:"num_perm"`
	Bands             int     `json:"bands"`
	Rows              int     `json:"rows"`
	Votes             int     `json:"votes"`
	CaughtAtThreshold float64 `json:"caught_at_threshold"`
}

func planRule(rule lsh.Banding, threshold float64, curve lsh.Curve) plannedRule {
	return plannedRule{
		Threshold: threshold, NumPerm: rule.NumPerm, Bands: rule.Bands, Rows: rule.Rows, Votes: rule.Votes,
		CaughtAtThreshold: curve.At(threshold),
	}
}

func (p plannedRule) write(t io.Writer) {
	fmt.Fprintf(t, "a duplicate has\tseen at least %d of its %d bands of %d rows (%d permutations, threshold %g)\n",
		p.Votes, p.Bands, p.Rows, p.NumPerm, p.Threshold)
	fmt.Fprintf(t, "a pair at the threshold\tis caught with probability %.3f\n", p.CaughtAtThreshold)
}

// plannedQuality says how good the verdicts are expected to be for a profile of similarities.
type plannedQuality struct {
	Profile          string  `json:"profile"`
	Precision        float64 `json:"expected_precision"`
	Recall           float64 `json:"expected_recall"`
	DifferentRemoved float64 `json:"expected_share_of_different_removed"`
}

func planQuality(rule lsh.Banding, c *config.Plan, profile lsh.Profile, filter string) plannedQuality {
	if filter == bloomlsh.FilterTagged {
		profile.Crowded = 0 // votes of different groups do not add up
	}
	f := rule.Forecast(c.Threshold, profile)
	return plannedQuality{
		Profile: c.Profile, Precision: f.Precision, Recall: f.Recall, DifferentRemoved: f.Different,
	}
}

func (p plannedQuality) write(t io.Writer) {
	fmt.Fprintf(t, "similar but different\t%.2g %% of the records without an earlier one at the threshold are removed "+
		"(profile %s)\n", 100*p.DifferentRemoved, p.Profile)
	fmt.Fprintf(t, "precision, recall\t%.3f and %.3f expected there\n", p.Precision, p.Recall)
}

// Bits of a band key.
const (
	hashKeyBits = 128
	sumKeyBits  = 61
)

// plannedErrors says how long the index takes, and how often it errs by the error model.
type plannedErrors struct {
	NanosPerRecord        float64 `json:"index_nanoseconds_a_record"`
	ExpectedFalseRemovals float64 `json:"expected_false_removals"`
	LSHFalsePositives     float64 `json:"fp_lsh"`
	LSHFalseNegatives     float64 `json:"fn_lsh"`
	FilterRate            float64 `json:"fp_filters"`
	OneShort              float64 `json:"fp_filters_one_vote_short"`
	CollisionRate         float64 `json:"fp_collisions"`
	FalsePositives        float64 `json:"fp"`
	FalseNegatives        float64 `json:"fn"`
}

func planErrors(c *config.Plan, params bloomlsh.Params, rows int, index bloomlsh.Plan) plannedErrors {
	bits := hashKeyBits
	if c.BandKey == "sum" {
		bits = sumKeyBits
	}
	m := bloomlsh.ModelErrors(params, rows, c.Threshold, uint64(c.Documents), bits)
	return plannedErrors{
		NanosPerRecord: index.NanosPerRecord, ExpectedFalseRemovals: index.ExpectedFalseRemovals,
		LSHFalsePositives: m.LSHFalsePositives, LSHFalseNegatives: m.LSHFalseNegatives,
		FilterRate: m.Filters, OneShort: m.OneShort, CollisionRate: m.Collisions,
		FalsePositives: m.FalsePositives, FalseNegatives: m.FalseNegatives,
	}
}

func (p plannedErrors) write(t io.Writer) {
	fmt.Fprintf(t, "index speed\tabout %s records/s on one core\n",
		units.Count(uint64(math.Round(1e6/p.NanosPerRecord))*1000))
	fmt.Fprintf(t, "unseen records removed\t%.3g expected over the whole run, by the filters\n",
		p.ExpectedFalseRemovals)
	fmt.Fprintf(t, "\nerror model (arXiv 2411.04257, docs/design/errors.md)\t\n")
	fmt.Fprintf(t, "false positives of the bands (1)\t%.4g\n", p.LSHFalsePositives)
	fmt.Fprintf(t, "false negatives of the bands (2)\t%.4g\n", p.LSHFalseNegatives)
	fmt.Fprintf(t, "the full filters\t%.4g; %.4g for a record that lacks one vote\n", p.FilterRate, p.OneShort)
	fmt.Fprintf(t, "equal keys of unlike bands\t%.4g\n", p.CollisionRate)
	fmt.Fprintf(t, "false positives, all (3)\t%.4g\n", p.FalsePositives)
	fmt.Fprintf(t, "false negatives, all (4)\t%.4g\n\n", p.FalseNegatives)
}
