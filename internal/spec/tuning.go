package spec

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Tuning says how signatures are cut into bands, and how many of these make a duplicate. While
// Bands is 0, Bands, Rows and Votes follow from the other values.
type Tuning struct {
	Threshold  float64 `rule:"yes" not:"similarity,simhash,tlsh" run:"same" range:"(0,1]" placeholder:"J" brief:"Similarity that makes a duplicate (default: 0.85)" help:"The Jaccard similarity from which two texts count as duplicates. (default: 0.85)"`
	Tune       string  `rule:"yes" not:"bands" values:"f2,f1,recall,balanced" placeholder:"HOW" help:"@flags/tune"`
	Recall     float64 `rule:"yes" not:"bands" range:"(0,1)" placeholder:"P" help:"@flags/recall"`
	Profile    string  `rule:"yes" not:"bands" values:"boilerplate,distinct,templates" placeholder:"NAME" help:"@flags/profile"`
	NumPerm    int     `rule:"yes" not:"bands" range:"[1,65536]" aliases:"permutations" placeholder:"K" help:"Length of a MinHash signature. (default: 256, or what fits the threshold best)"`
	LeastSlots int     `kong:"-"` // of a signature, if NumPerm is left open
	IsOpen     bool    `kong:"-"` // nothing but the threshold was given
	Bands      int     `rule:"yes" not:"bands" range:"[1,)" outside:"--bands and --rows must both be given, both at least 1" placeholder:"B" help:"Number of bands, instead of tuning; needs --rows."`
	Rows       int     `rule:"yes" not:"bands" range:"[1,)" outside:"--bands and --rows must both be given, both at least 1" placeholder:"R" help:"Signature slots per band, instead of tuning; needs --bands."`
	Votes      int     `rule:"yes" not:"bands" range:"[1,)" placeholder:"C" help:"@flags/votes"`
}

// Complete fills in what the user left alone. An option overrides the preset. Bands, rows and votes
// follow from the threshold, the tuning method and the number of permutations: if one of these is
// given they are tuned again, and the others stay those of the preset.
func (t *Tuning) Complete(r sketch.Recipe) {
	if t.Recall != 0 {
		t.Tune = cmp.Or(t.Tune, lsh.TuneForRecall)
	}
	tuned := t.differs(r)
	switch {
	case t.Bands != 0 || t.Rows != 0: // the user's own
		t.NumPerm = cmp.Or(t.NumPerm, t.used(r))
		t.Votes = cmp.Or(t.Votes, 1)
	case r.Name == "" && t.Votes != 0: // how many bands they are of is for the tuner
	case !tuned:
		t.Bands, t.Rows = r.Params.Bands, r.Params.Rows
		t.NumPerm, t.Votes = cmp.Or(t.NumPerm, r.Params.NumPerm), cmp.Or(t.Votes, r.Votes)
	}
	if r.Name != "" && r.Votes == 1 {
		t.NumPerm, t.Votes = cmp.Or(t.NumPerm, r.Params.NumPerm), cmp.Or(t.Votes, 1)
		t.Tune = cmp.Or(t.Tune, r.Tune, lsh.TuneForRecall)
	}
	defaults, _ := sketch.Preset("")
	t.Threshold = cmp.Or(t.Threshold, r.Threshold, defaults.Threshold)
	t.Tune = cmp.Or(t.Tune, r.Tune, defaults.Tune)
	t.Recall, t.Profile = cmp.Or(t.Recall, DefaultRecall), cmp.Or(t.Profile, lsh.DefaultProfile)
}

// differs reports whether the user asks for bands other than those of the recipe: to name what a
// preset has anyway changes nothing.
func (t *Tuning) differs(r sketch.Recipe) bool {
	if r.Name == "" {
		r = sketch.Recipe{}
	}
	return t.Threshold != 0 && t.Threshold != r.Threshold || t.Tune != "" && t.Tune != r.Tune ||
		t.NumPerm != 0 && t.NumPerm != r.Params.NumPerm || t.Profile != ""
}

// used is the number of permutations for the user's own bands and rows: as many as they use, and of
// a preset no fewer than it has.
func (t *Tuning) used(r sketch.Recipe) int {
	if r.Name == "" {
		return t.Bands * t.Rows
	}
	return max(t.Bands*t.Rows, r.Params.NumPerm)
}

// ForCandidates is for a memory that verifies what it finds: there one shared band is enough to
// look at a pair, so that nearly all of those at the threshold are found.
func (t *Tuning) ForCandidates(preset string) {
	if preset == "" && t.Tune == "" && t.Bands == 0 && t.Votes == 0 {
		t.Tune, t.Votes = lsh.TuneForRecall, 1
	}
}

// ForSignatures is ForCandidates where signatures say how similar candidates are, unless sets of
// shingles do.
func (t *Tuning) ForSignatures(preset string, by Verification) {
	isTuned := t.Tune != "" || t.Votes != 0
	t.IsOpen = !isTuned && t.NumPerm == 0 && t.Bands == 0 && t.Rows == 0 && t.Recall == 0 && t.Profile == ""
	t.ForCandidates(preset)
	switch {
	case preset != "" || t.NumPerm != 0 || t.Bands != 0 || isTuned && by.ComparesSets():
	case by.ComparesSets():
		t.NumPerm, t.Recall = SlotsWithSets(t.Threshold), cmp.Or(t.Recall, RecallWithSets)
	default:
		t.LeastSlots = UsualSlots
	}
}

// ForMemory is one of both: Bloom filters, with which MemoryAuto ends, need no slots beside those
// of bands.
func (t *Tuning) ForMemory(preset, memory string, by Verification) {
	if memory == MemoryAuto {
		t.ForCandidates(preset)
		return
	}
	t.ForSignatures(preset, by)
}

// WithoutSets is the tuning of an index that compares signatures, where the user has left open what
// is compared.
func (t Tuning) WithoutSets(r sketch.Recipe) *Tuning {
	t.ForSignatures(r.Name, Verification{Verify: VerifySignature})
	t.Complete(r)
	return &t
}

// BandingAfter is the rule of Bloom filters over signatures that were made to find candidates:
// tuned like any other rule, for signatures of that length.
func (t Tuning) BandingAfter(candidates Tuning, r sketch.Recipe) (lsh.Banding, error) {
	found, err := candidates.Banding()
	if err != nil {
		return found, err
	}
	t.NumPerm = cmp.Or(t.NumPerm, found.NumPerm)
	t.Complete(r)
	return t.Banding()
}

// Check refuses what has no meaning whatever the tuning does with it.
func (t Tuning) Check() error {
	switch {
	case t.Tune != lsh.TuneForF2 && t.Tune != lsh.TuneForF1 &&
		t.Tune != lsh.TuneForRecall && t.Tune != lsh.TuneForBalanced:
		return fmt.Errorf("--tune %s is not known: use f2, f1, recall or balanced", t.Tune)
	case (t.Bands == 0) != (t.Rows == 0):
		return errors.New("--bands and --rows must both be given, both at least 1")
	case t.Bands > 0 && (t.Bands > t.NumPerm || t.Rows > t.NumPerm || t.Bands*t.Rows > t.NumPerm):
		return fmt.Errorf("--bands %d times --rows %d is more than --num-perm %d: raise --num-perm or leave it out",
			t.Bands, t.Rows, t.NumPerm)
	case t.Bands > 0 && t.Votes > t.Bands:
		return fmt.Errorf("--votes %d must be between 1 and the number of bands, %d", t.Votes, t.Bands)
	case t.Votes > 1 && t.Tune == lsh.TuneForBalanced && t.Bands == 0:
		return fmt.Errorf("--tune balanced is about one vote, not %d: use f2, f1 or recall", t.Votes)
	}
	if _, err := lsh.ParseProfile(t.Profile); err != nil {
		return fmt.Errorf("--profile %s: %w: use one of %s, or something like 0.05:1000@0.3",
			t.Profile, err, strings.Join(lsh.ProfileNames(), ", "))
	}
	return nil
}

// Banding returns the rule over bands, tuned where the values leave it open.
func (t Tuning) Banding() (lsh.Banding, error) {
	if t.Bands > 0 {
		return lsh.Banding{NumPerm: t.NumPerm, Bands: t.Bands, Rows: t.Rows, Votes: max(1, t.Votes)}, nil
	}
	o := lsh.DefaultTuneOptions()
	o.How, o.Threshold, o.Recall, o.NumPerm, o.Votes = t.Tune, t.Threshold, t.Recall, t.NumPerm, t.Votes
	var err error
	if o.Profile, err = lsh.ParseProfile(t.Profile); err != nil {
		return lsh.Banding{}, err
	}
	rule, err := lsh.Tune(o)
	rule.NumPerm = max(rule.NumPerm, t.LeastSlots)
	return rule, err
}
