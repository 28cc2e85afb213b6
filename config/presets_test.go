package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// recipes are those of all presets, and the default under no name.
func recipes(t *testing.T) (all []sketch.Recipe) {
	t.Helper()
	for _, name := range append([]string{""}, sketch.PresetNames()...) {
		r, err := sketch.Preset(name)
		if err != nil || r.Name != name {
			t.Fatalf("preset %q: %q, %v", name, r.Name, err)
		}
		all = append(all, r)
	}
	return all
}

// filter parses the command line of a run.
func filter(t *testing.T, args ...string) *config.Filter {
	t.Helper()
	command, err := config.Parse(args, "test", nil)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return command.(*config.Filter)
}

// paramsOf are those that a run has, once what is to be tuned is tuned.
func paramsOf(t *testing.T, f *config.Filter) sketch.Params {
	t.Helper()
	s := f.Similar
	bands, rows := s.Bands, s.Rows
	if bands == 0 {
		bands, rows = tuned(t, s.Tune, s.Threshold, s.Recall, s.NumPerm)
	}
	return sketch.Params{
		Normalize: f.Text.Normalize, Tokenize: f.Text.Tokenize, ShingleSize: f.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: s.NumPerm, Seed: s.Seed, Bands: bands, Rows: rows, BandKey: s.BandKey,
	}
}

func tuned(t *testing.T, how string, threshold, recall float64, numPerm int) (bands, rows int) {
	t.Helper()
	var err error
	if how == "balanced" {
		bands, rows, err = bloomlsh.TuneBalanced(threshold, numPerm)
	} else {
		bands, rows, err = bloomlsh.TuneRecall(threshold, recall, numPerm)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bands, rows
}

// Bands and rows are written out in package sketch, which knows nothing of tuning.
func TestBandsOfPresetsAreTuned(t *testing.T) {
	for _, r := range recipes(t) {
		if err := r.Params.Validate(); err != nil {
			t.Errorf("preset %q: %v", r.Name, err)
		}
		if r.Tune == "" {
			continue
		}
		p := r.Params
		if bands, rows := tuned(t, r.Tune, r.Threshold, r.Recall, p.NumPerm); bands != p.Bands || rows != p.Rows {
			t.Errorf("preset %q has %d bands of %d rows, tuned are %d of %d", r.Name, p.Bands, p.Rows, bands, rows)
		}
	}
}

// A preset on the command line has the Params that it has in the library.
func TestPresetOnTheCommandLine(t *testing.T) {
	for _, r := range recipes(t) {
		args := []string{"--preset", r.Name}
		if r.Name == "" {
			args = nil
		}
		if got := paramsOf(t, filter(t, args...)); got != r.Params {
			t.Errorf("preset %q is\n%+v on the command line,\n%+v in the library", r.Name, got, r.Params)
		}
	}
	if _, err := config.Parse([]string{"--preset", "best"}, "test", nil); err == nil ||
		!strings.Contains(err.Error(), "--preset best is not known: use one of paper, ") {
		t.Errorf("an unknown preset: %v", err)
	}
}

// An option beside a preset changes what it names, and nothing else of the recipe.
func TestOptionBesideAPreset(t *testing.T) {
	doubri, _ := sketch.Preset("doubri")
	paper, _ := sketch.Preset("paper")
	type params = sketch.Params
	changed := func(r sketch.Recipe, change func(*params)) params {
		change(&r.Params)
		return r.Params
	}
	for _, c := range []struct {
		args string
		want sketch.Params
	}{
		{"--preset doubri --seed 1", changed(doubri, func(p *params) { p.Seed = 1 })},
		{"--preset doubri --seed 0", doubri.Params},
		{"--preset doubri --sketch fss", changed(doubri, func(p *params) { p.Sketch = "fss" })},
		{"--preset doubri --shingle-size 7", changed(doubri, func(p *params) { p.ShingleSize = 7 })},
		{"--preset doubri --normalize nfkc-fold", changed(doubri, func(p *params) { p.Normalize = "nfkc-fold" })},
		{"--preset doubri --bands 20 --rows 20", changed(doubri, func(p *params) { p.Bands = 20 })},
		{"--preset doubri --bands 50 --rows 20", changed(doubri, func(p *params) { p.Bands, p.NumPerm = 50, 1000 })},
		// tuned anew, out of the preset's own permutations
		{"--preset doubri --threshold 0.9", changed(doubri, func(p *params) { p.Bands, p.Rows = 34, 23 })},
		{"--preset doubri --recall 0.5", changed(doubri, func(p *params) { p.Bands, p.Rows = 24, 33 })},
		{"--preset doubri --num-perm 400", changed(doubri, func(p *params) { p.NumPerm, p.Bands, p.Rows = 400, 21, 19 })},
		{"--preset paper --threshold 0.8", changed(paper, func(p *params) { p.Bands, p.Rows = 17, 15 })},
		{"--preset paper --num-perm 128", changed(paper, func(p *params) { p.NumPerm, p.Bands, p.Rows = 128, 25, 5 })},
		{"--preset paper --bands 10 --rows 5", changed(paper, func(p *params) { p.Bands, p.Rows = 10, 5 })},
	} {
		if got := paramsOf(t, filter(t, strings.Fields(c.args)...)); got != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", c.args, got, c.want)
		}
	}
}

// Without a preset, bands and rows have as many permutations as they use.
func TestBandsWithoutAPreset(t *testing.T) {
	want := sketch.Default()
	want.Bands, want.Rows, want.NumPerm = 20, 5, 100
	if got := paramsOf(t, filter(t, "--bands", "20", "--rows", "5")); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Names that users know from other programs are names of our flags.
func TestAliases(t *testing.T) {
	f := filter(t, "--text-column", "body", "--permutations", "64", "--ngram", "3")
	if !slices.Equal(f.Records.Fields, []string{"body"}) || f.Similar.NumPerm != 64 || f.Text.ShingleSize != 3 {
		t.Errorf("fields %q, %d permutations, shingles of %d", f.Records.Fields, f.Similar.NumPerm, f.Text.ShingleSize)
	}
}
