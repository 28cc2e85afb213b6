package lsh

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
)

// The ways to tune, the values of TuneOptions.How.
const (
	// a pair at the threshold is caught with the given probability; of such rules, the least
	// removal below it
	TuneForRecall   = "recall"
	TuneForBalanced = "balanced" // the least sum of the two areas of error, of rules of one vote: see TuneBalanced
	// the best F1 of the removals, under the profile: a record too many weighs as much as one too
	// few
	TuneForF1 = "f1"
	// the best F2: a duplicate that stays weighs four times as much as another record that goes
	TuneForF2 = "f2"
)

// TuneOptions say which rule Tune looks for.
type TuneOptions struct {
	How       string  // one of the Tune constants
	Threshold float64 // Jaccard similarity from which two records should count as duplicates
	Recall    float64 // with TuneForRecall: the least probability to catch a pair at the threshold, by itself
	// slots of a signature; bands use as many of them as possible. 0 chooses the best number within
	// the limits
	NumPerm int
	Votes   int // of a duplicate; 0 is what serves best
	// of the earlier records that a record meets; not used by TuneForBalanced, nor by TuneForRecall
	// of one vote
	Profile Profile
	Limits  Limits // of what the rule may cost; not used where TuneRecall or TuneBalanced gives it
}

// Limits bound what the rules that Tune looks through may cost.
type Limits struct {
	NumPerm int     // slots of a signature, if TuneOptions leave them open; 1 to 1024
	FPRate  float64 // of the index, for which the next two hold
	Bytes   float64 // of an index a record, for ideal Bloom filters
	Lines   float64 // cache lines that a record asks, and thereby bands; 1 to 1024
}

// DefaultLimits hold the default rule of one vote, 14 bands of 9 rows, and signatures of twice its
// length.
func DefaultLimits() Limits { return Limits{NumPerm: 256, FPRate: 1e-8, Bytes: 80, Lines: 64} }

// singleVoteNumPerm is the length of the signature of rules of one vote, if it is left open.
const singleVoteNumPerm = 128

// defaultBanding is what Tune finds for its default options, written down because every start of
// the program would wait for it.
var defaultBanding = Banding{NumPerm: 256, Bands: 32, Rows: 8, Votes: 8}

// DefaultTuneOptions are the options that the program has by default. Recall is set for those who
// change How.
func DefaultTuneOptions() TuneOptions {
	return TuneOptions{
		How: TuneForF2, Threshold: .85, Recall: .95, Profile: profiles[DefaultProfile], Limits: DefaultLimits(),
	}
}

// Tune returns the best rule in the sense of the options. It is deterministic; a rule that is as
// good as another within rounding is taken for its fewer slots, or fewer bands. Rules of one vote
// come from TuneRecall and TuneBalanced, with 128 slots if their number is left open, unless a way
// that has them beside others finds one to be the best.
func Tune(o TuneOptions) (Banding, error) {
	if reflect.DeepEqual(o, DefaultTuneOptions()) {
		return defaultBanding, nil
	}
	if err := o.validate(); err != nil {
		return Banding{}, err
	}
	if o.How == TuneForBalanced || o.How == TuneForRecall && o.Votes == 1 {
		return o.singleVote()
	}
	return o.search()
}

func (o TuneOptions) validate() error {
	if err := checkTuning(o.Threshold, max(o.NumPerm, 1)); err != nil {
		return err
	}
	l := o.Limits
	switch {
	case o.How != TuneForRecall && o.How != TuneForBalanced && o.How != TuneForF1 && o.How != TuneForF2:
		return fmt.Errorf("tune: %q is none of %s, %s, %s and %s", o.How, TuneForRecall, TuneForBalanced, TuneForF1,
			TuneForF2)
	case o.How == TuneForRecall && !(o.Recall > 0 && o.Recall < 1):
		return fmt.Errorf("recall %g is not between 0 and 1", o.Recall)
	case o.NumPerm < 0:
		return fmt.Errorf("%d permutations: at least 1 is needed, or 0 for what serves best", o.NumPerm)
	case o.Votes < 0 || o.How == TuneForBalanced && o.Votes > 1:
		return fmt.Errorf("votes: %d cannot be had with tune %s", o.Votes, o.How)
	case l.NumPerm < 1 || l.NumPerm > maxTuned || !(l.Lines >= 1 && l.Lines <= maxTuned):
		return fmt.Errorf("limits of %d permutations and %g lines: each is 1 to %d", l.NumPerm, l.Lines, maxTuned)
	case !(l.FPRate >= MinFPRate && l.FPRate < 1):
		return fmt.Errorf("fp-rate: %g is not at least %g and below 1", l.FPRate, MinFPRate)
	}
	return nil
}

// maxTuned bounds the search, and keeps 2^-bands within the range of a float64.
const maxTuned = 1024

func (o TuneOptions) singleVote() (Banding, error) {
	b := Banding{NumPerm: cmp.Or(o.NumPerm, singleVoteNumPerm), Votes: 1}
	var err error
	if o.How == TuneForBalanced {
		b.Bands, b.Rows, err = TuneBalanced(o.Threshold, b.NumPerm)
	} else {
		b.Bands, b.Rows, err = TuneRecall(o.Threshold, o.Recall, b.NumPerm)
	}
	return b, err
}

// search looks at every rule within the limits. Rules of the fewest slots come first, and a later
// one must be better by more than rounding, which differs between processors.
func (o TuneOptions) search() (Banding, error) {
	meetings := o.Profile.meetings()
	var best Banding
	least := math.Inf(1)
	most := int(o.Limits.Lines)
	for _, shape := range o.shapes() {
		if shape.Bands > most || o.Votes > shape.Bands {
			continue
		}
		forecasts := shape.forecasts(o.Threshold, meetings, o.Profile)
		for votes := max(o.Votes, 1); votes <= shape.Bands; votes++ {
			shape.Votes = votes
			if loss := o.loss(shape, forecasts[votes]); loss < least*(1-1e-9) && o.affords(shape) {
				least, best = loss, shape
			}
			if o.Votes != 0 {
				break
			}
		}
	}
	if best.Bands == 0 {
		return best, fmt.Errorf("no rule of %s serves at threshold %g within the limits: use more permutations, a "+
			"lower recall, or wider limits",
			o.slots(), o.Threshold)
	}
	return best, nil
}

func (o TuneOptions) slots() string {
	if o.NumPerm == 0 {
		return fmt.Sprintf("at most %d permutations", o.Limits.NumPerm)
	}
	return fmt.Sprintf("%d permutations", o.NumPerm)
}

// shapes are the bandings to look at, without votes, by slots and then by bands.
func (o TuneOptions) shapes() (shapes []Banding) {
	if o.NumPerm != 0 {
		for rows := o.NumPerm; rows >= 1; rows-- {
			shapes = append(shapes, Banding{NumPerm: o.NumPerm, Bands: o.NumPerm / rows, Rows: rows})
		}
		return shapes
	}
	for slots := 1; slots <= o.Limits.NumPerm; slots++ {
		for bands := 1; bands <= slots; bands++ {
			if slots%bands == 0 {
				shapes = append(shapes, Banding{NumPerm: slots, Bands: bands, Rows: slots / bands})
			}
		}
	}
	return shapes
}

// affords says whether a rule is within the limits.
func (o TuneOptions) affords(b Banding) bool {
	cost := b.Cost(o.Limits.FPRate)
	return cost.Bytes <= o.Limits.Bytes && cost.Lines <= o.Limits.Lines
}

// leastCaught is the probability to catch a pair at the threshold below which a rule is taken only
// if none within the limits has more. In a profile most duplicates are nearly equal, so a rule that
// misses all others may have the best score there, and would not be one for the threshold that was
// asked for.
const leastCaught = 1. / 3

// loss is what is to be least; infinite for a rule that does not serve.
func (o TuneOptions) loss(b Banding, got forecast) float64 {
	caught := b.Catch(o.Threshold)
	if o.How == TuneForRecall {
		if caught < o.Recall-1e-12 {
			return math.Inf(1)
		}
		return got.removedBelow
	}
	loss := 1 - got.score(map[string]float64{TuneForF1: 1, TuneForF2: 2}[o.How])
	if caught < leastCaught-1e-12 {
		loss++ // above that of all others
	}
	return loss
}

// A forecast is what a rule makes of the records of a profile, as shares of all of them.
type forecast struct {
	removed, missed float64 // of those that have an earlier record at the threshold or above
	removedBelow    float64 // of the others
}

// score is the F-measure (van Rijsbergen, Information Retrieval, 1979): precision and recall in
// one, with recall taken as beta times as important.
func (f forecast) score(beta float64) float64 {
	weighed := beta * beta
	right := (1 + weighed) * f.removed
	if right == 0 {
		return 0
	}
	return right / (right + weighed*f.missed + f.removedBelow)
}

// forecasts returns the forecast of each number of votes.
func (b Banding) forecasts(threshold float64, meetings []meeting, p Profile) []forecast {
	// shares of records by the votes that they get
	above, below := make([]float64, b.Bands+1), make([]float64, b.Bands+1)
	crowd := crowdHit(p.Others, b.Rows)
	for _, m := range meetings {
		shares := below
		if m.jaccard >= threshold {
			shares = above
		}
		hit := math.Pow(m.jaccard, float64(b.Rows))
		if p.Crowded > 0 {
			addBinomial(shares, m.share*p.Crowded, Either(hit, crowd))
		}
		addBinomial(shares, m.share*(1-p.Crowded), hit)
	}
	var sum forecast
	for _, share := range above {
		sum.missed += share
	}
	list := make([]forecast, b.Bands+1)
	for votes := b.Bands; votes >= 0; votes-- {
		sum.removed += above[votes]
		sum.missed = max(0, sum.missed-above[votes])
		sum.removedBelow += below[votes]
		list[votes] = sum
	}
	return list
}

// addBinomial adds weight·P(Binomial(n, p) = i) to each of the n+1 sums. The recurrence starts at
// the end that cannot underflow, and leaves out what no sum would notice.
func addBinomial(sums []float64, weight, p float64) {
	n := len(sums) - 1
	mean, tiny := int(float64(n)*p), weight*1e-20
	if p > .5 {
		odds := (1 - p) / p
		term := weight * math.Pow(p, float64(n))
		for i := n; i >= 0 && (term > tiny || i > mean); i-- {
			sums[i] += term
			term *= odds * float64(i) / float64(n-i+1)
		}
		return
	}
	odds := p / (1 - p)
	term := weight * math.Pow(1-p, float64(n))
	for i := 0; i <= n && (term > tiny || i <= mean); i++ {
		sums[i] += term
		term *= odds * float64(n-i) / float64(i+1)
	}
}
