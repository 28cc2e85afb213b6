package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// recipes returns the recipes of all presets, and the default recipe, whose name is empty.
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

// filter parses a command line of the filter.
func filter(t *testing.T, args ...string) *config.Filter {
	t.Helper()
	command, err := config.Parse(args, "test", nil)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return command.(*config.Filter)
}

// paramsOf returns the parameters of a run, after tuning.
func paramsOf(t *testing.T, f *config.Filter) sketch.Params {
	t.Helper()
	s := f.Rule
	rule, err := s.Banding()
	if err != nil {
		t.Fatal(err)
	}
	return sketch.Params{
		Normalize: f.Rule.Text.Normalize, Tokenize: f.Rule.Text.Tokenize, ShingleSize: f.Rule.Text.ShingleSize,
		Sketch: s.Sketch, NumPerm: rule.NumPerm, Seed: s.Seed.Number,
		Bands: rule.Bands, Rows: rule.Rows, BandKey: s.BandKey,
	}
}

// TestBandsOfPresetsAreTuned checks the bands, rows and votes of presets against tuning. Package
// sketch, which does not depend on it, lists them as constants.
func TestBandsOfPresetsAreTuned(t *testing.T) {
	for _, r := range recipes(t) {
		if err := r.Params.Validate(); err != nil {
			t.Errorf("preset %q: %v", r.Name, err)
		}
		if r.Tune == "" {
			continue
		}
		o := lsh.DefaultTuneOptions()
		o.How, o.Threshold = r.Tune, r.Threshold
		if r.Name != "" {
			o.NumPerm, o.Votes = r.Params.NumPerm, r.Votes
		}
		got, err := lsh.Tune(o)
		want := lsh.Banding{NumPerm: r.Params.NumPerm, Bands: r.Params.Bands, Rows: r.Params.Rows, Votes: r.Votes}
		if err != nil || got != want {
			t.Errorf("preset %q is %+v, tuned %+v, %v", r.Name, want, got, err)
		}
	}
}

// TestRules checks that tuning options lead to the expected rules.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		args string
		want lsh.Banding
	}{
		{"", lsh.Banding{NumPerm: 256, Bands: 32, Rows: 8, Votes: 8}},
		{"--tune recall --votes 1", lsh.Banding{NumPerm: 128, Bands: 14, Rows: 9, Votes: 1}}, // as in 0.1
		{"--recall .95 --votes 1", lsh.Banding{NumPerm: 128, Bands: 14, Rows: 9, Votes: 1}},
		{"--recall .95", lsh.Banding{NumPerm: 248, Bands: 31, Rows: 8, Votes: 5}},
		{"--tune balanced", lsh.Banding{NumPerm: 128, Bands: 8, Rows: 16, Votes: 1}},
		{"--bands 20 --rows 5", lsh.Banding{NumPerm: 100, Bands: 20, Rows: 5, Votes: 1}},
		{"--bands 20 --rows 5 --votes 3", lsh.Banding{NumPerm: 100, Bands: 20, Rows: 5, Votes: 3}},
		{"--preset fineweb", lsh.Banding{NumPerm: 112, Bands: 14, Rows: 8, Votes: 1}},
		{"--preset fineweb --votes 2", lsh.Banding{NumPerm: 112, Bands: 14, Rows: 8, Votes: 2}},
	} {
		f := filter(t, strings.Fields(c.args)...)
		if got, err := f.Rule.Banding(); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
	for _, args := range []string{"--threshold .7", "--threshold .95", "--tune f1", "--num-perm 128", "--votes 3",
		"--profile templates"} {
		f := filter(t, strings.Fields(args)...)
		if got, err := f.Rule.Banding(); err != nil || got.Votes < 1 || got.Bands*got.Rows > 256 ||
			got == (lsh.Banding{NumPerm: 256, Bands: 32, Rows: 8, Votes: 8}) {
			t.Errorf("%q: %+v, %v", args, got, err)
		}
	}
}

// TestPresetOnTheCommandLine checks that a preset has the same Params on the command line as in the
// library.
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
		!strings.Contains(err.Error(), "--preset best is not known: use one of lshbloom, paper, ") ||
		!strings.Contains(err.Error(), "mithril-stream help presets") || !strings.Contains(err.Error(), "corpora.md") {
		t.Errorf("an unknown preset: %v", err)
	}
}

// TestOptionBesideAPreset checks that an option given with a preset changes only what it names.
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
		// no change from the preset
		{"--preset doubri --threshold .9", doubri.Params},
		{"--preset doubri --num-perm 800 --threshold 0.9", doubri.Params},
		{"--preset paper --tune balanced", paper.Params},
		// tuned again within the preset's permutations
		{"--preset doubri --threshold 0.8", changed(doubri, func(p *params) { p.Bands, p.Rows = 61, 13 })},
		{"--preset doubri --threshold 0.9 --recall 0.95", changed(doubri,
			func(p *params) { p.Bands, p.Rows = 34, 23 })},
		{"--preset doubri --recall 0.5", changed(doubri, func(p *params) { p.Bands, p.Rows = 24, 33 })},
		{"--preset doubri --num-perm 400", changed(doubri,
			func(p *params) { p.NumPerm, p.Bands, p.Rows = 400, 21, 19 })},
		{"--preset paper --threshold 0.8", changed(paper, func(p *params) { p.Bands, p.Rows = 17, 15 })},
		{"--preset paper --num-perm 128", changed(paper, func(p *params) { p.NumPerm, p.Bands, p.Rows = 128, 25, 5 })},
		{"--preset paper --bands 10 --rows 5", changed(paper, func(p *params) { p.Bands, p.Rows = 10, 5 })},
	} {
		if got := paramsOf(t, filter(t, strings.Fields(c.args)...)); got != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", c.args, got, c.want)
		}
	}
}

// TestBandsWithoutAPreset checks that without a preset there are as many permutations as bands and
// rows use.
func TestBandsWithoutAPreset(t *testing.T) {
	want := sketch.Default()
	want.Bands, want.Rows, want.NumPerm = 20, 5, 100
	if got := paramsOf(t, filter(t, "--bands", "20", "--rows", "5")); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPresetOfLines checks that a preset for lines makes each line of a file, and each message, a
// record unless something else is given.
func TestPresetOfLines(t *testing.T) {
	const kafka = "kafka --brokers b:9092 --group g --from a --to b --index i"
	for _, c := range []struct{ args, format string }{
		{"--preset logs", "text"}, {"--preset logs --field message", ""}, {"--preset logs app.csv", ""},
		{kafka, "jsonl"}, {kafka + " --preset logs", "text"}, {kafka + " --preset logs --format jsonl", "jsonl"},
		{kafka + " --preset logs --field message", "jsonl"}, {kafka + " --preset paper", "jsonl"},
		{"templates", "text"}, {"templates --preset paper", ""}, {"templates app.parquet", ""},
	} {
		command, err := config.Parse(strings.Fields(c.args), "test", nil)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		var got string
		switch of := command.(type) {
		case *config.Filter:
			got = of.Input.Records.Name
		case *config.Kafka:
			got = of.Filter.Input.Records.Name
		case *config.Templates:
			got = of.Filter.Input.Records.Name
		}
		if got != c.format {
			t.Errorf("%s: records are %q, not %q", c.args, got, c.format)
		}
	}
}

// TestAliases checks that names that users know from other programs work as flags.
func TestAliases(t *testing.T) {
	f := filter(t, "--text-column", "body", "--permutations", "64", "--ngram", "3", "--stream")
	fields := f.Input.Records.Fields
	if !slices.Equal(fields, []string{"body"}) || f.Rule.NumPerm != 64 || f.Rule.Text.ShingleSize != 3 {
		t.Errorf("fields %q, %d permutations, shingles of %d", fields, f.Rule.NumPerm, f.Rule.Text.ShingleSize)
	}
}
