package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/quality/audit"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Trend predicts, from a sample, how much a rule of bands wrongly removes from a growing corpus.
// The more records there are, the more of them resemble a new one slightly, and the more often one
// of these gets enough votes by chance.
//
// The sample is judged several times, each time in a different random order and with different hash
// functions. The i-th record of an order has met i others, so an order shows how wrong removals
// grow. Removed records, or some of them, are compared exactly with all earlier ones.
type Trend struct {
	Text        sketch.Params // how texts are sketched; Seed is the first one used
	NewSketcher func(sketch.Params) (*sketch.Sketcher, error)
	Index       bloomlsh.Params // Capacity is set to the size of the sample
	Threshold   float64         // similarity with an earlier record that makes a duplicate
	Trials      int
}

// Growth is the result of a Trend.
type Growth struct {
	Records int // in the sample, with a text to compare
	Trials  int
	Removed Rise // of all removals
	Wrong   Rise // without an earlier record at the threshold
	Far     Rise // without one within FarBelow of the threshold
}

// FarBelow is the distance below the threshold at which a removal is certainly unwanted.
const FarBelow = .15

// A Rise says how often records are removed for some reason, and how that grows.
type Rise struct {
	Judged   int     // records in all trials
	Found    float64 // removed records; an estimate if not all removals were compared
	Exponent float64 // the rate at the n-th record is proportional to n to this power
}

// mostCompared bounds the removed records of a trial that are compared with all others. In a crowd
// each comparison costs as much as all elements of all sets.
const mostCompared = 100

// unfound is the mean of a Poisson variable that is 0 with probability .05.
const unfound = 3.

// At predicts the share of records removed from a corpus that many times the size of the sample. If
// nothing was found it returns an upper bound, and isBound is true.
func (r Rise) At(times float64) (share float64, isBound bool) {
	found := r.Found
	if isBound = found == 0; isBound {
		found = unfound
	}
	rate := min(1, found/float64(max(1, r.Judged)))
	// 1-(1-rate)^times^Exponent
	return -math.Expm1(math.Log1p(-rate) * math.Pow(times, r.Exponent)), isBound
}

// Find judges the sample.
func (t *Trend) Find(ctx context.Context, texts [][]byte) (g Growth, err error) {
	g.Trials = t.Trials
	trials := make([]trendTrial, t.Trials)
	for i := range trials {
		if err := ctx.Err(); err != nil {
			return g, err
		}
		if trials[i], err = t.judge(texts, i); err != nil {
			return g, err
		}
	}
	if err := t.compare(ctx, texts, trials); err != nil {
		return g, err
	}
	for _, trial := range trials {
		g.Records = trial.judged
	}
	g.Removed, g.Wrong = t.rise(trials, math.Inf(1)), t.rise(trials, t.Threshold)
	g.Far = t.rise(trials, t.Threshold-FarBelow)
	return g, nil
}

// A trendTrial is the sample in one order.
type trendTrial struct {
	at      []int32 // position of each text in the order
	judged  int     // texts with at least one token
	removed []int32 // positions
	asked   []int32 // those compared exactly, evenly spaced
	nearest audit.Nearest
}

// judge judges the sample in its i-th order.
func (t *Trend) judge(texts [][]byte, i int) (trial trendTrial, err error) {
	params, index := t.Text, t.Index
	if params.Seed += uint64(i); params.Secret != 0 {
		params.Seed = 0
	}
	index.Capacity = uint64(max(1, len(texts)))
	sketcher, err := t.NewSketcher(params)
	if err != nil {
		return trial, err
	}
	x, err := bloomlsh.New(index)
	if err != nil {
		return trial, err
	}
	defer func() {
		if closed := x.Close(); err == nil {
			err = closed
		}
	}()
	order := rand.New(rand.NewPCG(uint64(i), 1)).Perm(len(texts))
	trial.at = make([]int32, len(texts))
	var keys []bloomlsh.Key
	votes := make([]uint16, 1)
	for place, text := range order {
		trial.at[text] = int32(place)
		var ok bool
		if keys, ok = sketcher.BandKeys(keys[:0], texts[text]); !ok {
			continue
		}
		trial.judged++
		if _, err := x.Observe(keys, votes); err != nil {
			return trial, err
		}
		if int(votes[0]) >= t.Index.Votes {
			trial.removed = append(trial.removed, int32(place))
		}
	}
	n := len(trial.removed)
	for i := range min(n, mostCompared) {
		trial.asked = append(trial.asked, trial.removed[i*n/min(n, mostCompared)])
	}
	return trial, nil
}

// compare finds the similarity of each queried record with its nearest earlier one.
func (t *Trend) compare(ctx context.Context, texts [][]byte, trials []trendTrial) error {
	sketcher, err := t.NewSketcher(t.Text)
	if err != nil {
		return err
	}
	set := func(text int) []uint64 {
		elements := sketcher.Shingles(nil, texts[text])
		slices.Sort(elements)
		return slices.Compact(elements)
	}
	for i := range trials {
		trial := &trials[i]
		of := make([]int, len(texts)) // the text at each position
		for text, place := range trial.at {
			of[place] = text
		}
		for _, place := range trial.asked {
			trial.nearest.Query(uint64(place), set(of[place]))
		}
	}
	for text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		elements := set(text)
		for i := range trials {
			trials[i].nearest.Compare(uint64(trials[i].at[text]), elements)
		}
	}
	return nil
}

// rise counts removed records below a similarity, and how many are in the second half of their
// order: half if the rate is constant, three quarters if it grows linearly. Votes of one record
// cannot grow faster; those of several can.
func (t *Trend) rise(trials []trendTrial, below float64) (r Rise) {
	var first, second float64
	for i := range trials {
		trial := &trials[i]
		r.Judged += trial.judged
		weight := float64(len(trial.removed)) / float64(max(1, len(trial.asked)))
		for j, place := range trial.asked {
			switch {
			case trial.nearest.Similarity(j) >= below:
			case int(place) < len(trial.at)/2:
				first += weight
			default:
				second += weight
			}
		}
	}
	r.Found = first + second
	fastest := 1.
	if t.Index.Filter != bloomlsh.FilterTagged {
		fastest = float64(t.Index.Votes)
	}
	// four more, one of them in the first half, as a prior for few records
	r.Exponent = min(max(0, math.Log2((r.Found+4)/(first+1))-1), fastest)
	return r
}
