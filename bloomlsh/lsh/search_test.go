package lsh

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is written down is what the search finds.
func TestTuneDefault(t *testing.T) {
	found, err := DefaultTuneOptions().search()
	if err != nil || found != defaultBanding {
		t.Errorf("the search finds %+v, %v, written down is %+v", found, err, defaultBanding)
	}
	if got, err := Tune(DefaultTuneOptions()); err != nil || got != defaultBanding {
		t.Errorf("Tune: %+v, %v", got, err)
	}
}

func TestTuneIsOfTheOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*TuneOptions)
		want   Banding
	}{
		{"recall", func(o *TuneOptions) { o.How = TuneForRecall }, Banding{248, 31, 8, 5}},
		{"recall of one vote", func(o *TuneOptions) { o.How, o.Votes = TuneForRecall, 1 }, Banding{128, 14, 9, 1}},
		{"recall of one vote and 256 slots", func(o *TuneOptions) { o.How, o.Votes, o.NumPerm = TuneForRecall, 1, 256 },
			Banding{256, 21, 12, 1}},
		{"balanced", func(o *TuneOptions) { o.How = TuneForBalanced }, Banding{128, 8, 16, 1}},
		{"f1", func(o *TuneOptions) { o.How = TuneForF1 }, Banding{256, 32, 8, 10}},
		{"128 slots", func(o *TuneOptions) { o.NumPerm = 128 }, Banding{128, 16, 8, 4}},
		{"templates", func(o *TuneOptions) { o.Profile = profiles["templates"] }, Banding{252, 28, 9, 6}},
	} {
		o := DefaultTuneOptions()
		c.change(&o)
		if got, err := Tune(o); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

// The old ways give the same rules as before, whatever else the options say.
func TestTuneOfOneVoteIsTheOldRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := DefaultTuneOptions()
		o.Threshold = rapid.Float64Range(.3, 1).Draw(t, "threshold")
		o.Recall = rapid.Float64Range(.1, .99).Draw(t, "recall")
		o.NumPerm = rapid.IntRange(1, 300).Draw(t, "numPerm")
		o.Votes = 1
		for how, old := range map[string]func() (int, int, error){
			TuneForRecall:   func() (int, int, error) { return TuneRecall(o.Threshold, o.Recall, o.NumPerm) },
			TuneForBalanced: func() (int, int, error) { return TuneBalanced(o.Threshold, o.NumPerm) },
		} {
			o.How = how
			got, err := Tune(o)
			bands, rows, wantErr := old()
			if want := (Banding{o.NumPerm, bands, rows, 1}); (err == nil) != (wantErr == nil) ||
				err == nil && got != want {
				t.Fatalf("%s: %+v, %v, want %+v, %v", how, got, err, want, wantErr)
			}
		}
	})
}

// Forecasts, slowly and record by record; no rule within the limits has a smaller loss than the one
// found.
func TestTuneIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := DefaultTuneOptions()
		o.How = rapid.SampledFrom([]string{TuneForRecall, TuneForF1, TuneForF2}).Draw(t, "how")
		o.Threshold = rapid.Float64Range(.4, 1).Draw(t, "threshold")
		o.Recall = rapid.Float64Range(.1, .99).Draw(t, "recall")
		o.NumPerm = rapid.SampledFrom([]int{0, 7, 24, 40}).Draw(t, "numPerm")
		o.Votes = rapid.IntRange(0, 3).Draw(t, "votes")
		o.Limits = Limits{NumPerm: 30, FPRate: 1e-6, Bytes: rapid.Float64Range(5, 60).Draw(t, "bytes"), Lines: 40}
		o.Profile = profiles[rapid.SampledFrom(ProfileNames()).Draw(t, "profile")]
		found, err := Tune(o)
		if o.How == TuneForRecall && o.Votes == 1 {
			return
		}
		least := math.Inf(1)
		if err == nil {
			least = slowLoss(o, found)
		}
		numPerms := []int{o.NumPerm}
		if o.NumPerm == 0 {
			numPerms = numPerms[:0]
			for k := range 30 {
				numPerms = append(numPerms, k+1)
			}
		}
		for _, k := range numPerms {
			for rows := 1; rows <= k; rows++ {
				for votes := 1; votes <= k/rows; votes++ {
					rule := Banding{k, k / rows, rows, votes}
					if o.NumPerm == 0 && k%rows != 0 || o.Votes != 0 && votes != o.Votes || !o.affords(rule) {
						continue
					}
					if loss := slowLoss(o, rule); loss < least*(1-1e-8)-1e-12 {
						t.Fatalf("%+v has a loss of %g, found was %+v with %g, %v", rule, loss, found, least, err)
					}
				}
			}
		}
	})
}

func slowLoss(o TuneOptions, rule Banding) float64 {
	removed, missed, below := 0.0, 0.0, 0.0
	for _, m := range o.Profile.meetings() {
		p := o.Profile.Crowded*rule.CatchAmong(m.jaccard, o.Profile.Others) +
			(1-o.Profile.Crowded)*rule.Catch(m.jaccard)
		if m.jaccard >= o.Threshold {
			removed, missed = removed+m.share*p, missed+m.share*(1-p)
		} else {
			below += m.share * p
		}
	}
	if o.How == TuneForRecall {
		if rule.Catch(o.Threshold) < o.Recall {
			return math.Inf(1)
		}
		return below
	}
	more := 0.0
	if rule.Catch(o.Threshold) < 1./3 {
		more = 1
	}
	beta := map[string]float64{TuneForF1: 1, TuneForF2: 2}[o.How]
	precision, recall := removed/(removed+below), removed/(removed+missed)
	return 1 - (1+beta*beta)*precision*recall/(beta*beta*precision+recall) + more
}

func TestAddBinomial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		p := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1})).Draw(t, "p")
		sums := make([]float64, n+1)
		addBinomial(sums, .5, p)
		tail := 0.0
		for votes := n; votes >= 0; votes-- {
			tail += sums[votes]
			if want := .5 * exactTail(n, votes, p); math.Abs(tail-want) > 1e-12*want+1e-18 {
				t.Fatalf("P(Binomial(%d, %g) ≥ %d)/2 = %g, want %g", n, p, votes, tail, want)
			}
		}
	})
}

func TestTuneOptionsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*TuneOptions){
		"how":        func(o *TuneOptions) { o.How = "best" },
		"threshold":  func(o *TuneOptions) { o.Threshold = 1.5 },
		"recall":     func(o *TuneOptions) { o.How, o.Recall = TuneForRecall, 1 },
		"slots":      func(o *TuneOptions) { o.NumPerm = -1 },
		"votes":      func(o *TuneOptions) { o.Votes = -1 },
		"balanced":   func(o *TuneOptions) { o.How, o.Votes = TuneForBalanced, 2 },
		"limit":      func(o *TuneOptions) { o.Limits.NumPerm = 0 },
		"lines":      func(o *TuneOptions) { o.Limits.Lines = math.NaN() },
		"rate":       func(o *TuneOptions) { o.Limits.FPRate = 0 },
		"no room":    func(o *TuneOptions) { o.Limits.Bytes = .1 },
		"many votes": func(o *TuneOptions) { o.Votes = 200 },
	} {
		o := DefaultTuneOptions()
		change(&o)
		if got, err := Tune(o); err == nil {
			t.Errorf("%s: accepted, and found %+v", name, got)
		}
	}
}

func TestParseProfile(t *testing.T) {
	got, err := ParseProfile("0.25:10@0.5,2e3@.2")
	want := Profile{Nearest: nearestOfCorpora, Crowded: .25, Others: []Crowd{{10, .5}, {2000, .2}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, name := range ProfileNames() {
		p, err := ParseProfile(name)
		if err != nil || !reflect.DeepEqual(p, profiles[name]) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		total, below := 0.0, 0.0
		for _, m := range p.meetings() {
			total += m.share
			if m.jaccard < .85 {
				below += m.share
			}
		}
		if math.Abs(total-1) > 1e-9 || math.Abs(below-(1-.01-.0115-.0112-.0370)) > 1e-9 {
			t.Errorf("%s: shares of %g records in all, %g below .85", name, total, below)
		}
	}
	for _, text := range []string{"", "usual", "2:10@.5", ".1:", ".1:10", ".1:10@1", ".1:0@.5", ".1:NaN@.5",
		".1:10@NaN", "NaN:10@.5", ".1:10@.5,"} {
		if _, err := ParseProfile(text); err == nil || !strings.Contains(err.Error(), "boilerplate") {
			t.Errorf("%q: error %v, want one that names the profiles", text, err)
		}
	}
}

func BenchmarkTune(b *testing.B) {
	o := DefaultTuneOptions()
	o.Threshold = .8
	for b.Loop() {
		if _, err := Tune(o); err != nil {
			b.Fatal(err)
		}
	}
}

// The best rule by F1 or F2 is one for its threshold, also where most duplicates of the profile are
// far above it: it never gives up the pairs at the threshold for the others.
func TestBestRulesCatchPairsAtTheThreshold(t *testing.T) {
	for _, how := range []string{TuneForF1, TuneForF2} {
		for percent := 30; percent <= 95; percent += 5 {
			o := DefaultTuneOptions()
			o.How, o.Threshold = how, float64(percent)/100
			b, err := Tune(o)
			if err != nil {
				t.Fatal(err)
			}
			if caught := b.Catch(o.Threshold); caught < leastCaught {
				t.Errorf("%s at %g: %v catches %.3f", how, o.Threshold, b, caught)
			}
		}
	}
}
