package config_test

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config"
)

// notToResume lists flags that may differ when a run is resumed, and flags whose difference is
// rejected for another reason, by that reason.
var notToResume = map[string][]string{
	"the index knows them: it is not opened with others": {
		"preset", "markup", "normalize", "tokenize", "shingle-size", "tune", "recall", "profile", "num-perm", "bands",
		"rows", "votes", "sketch", "band-key", "seed", "bits", "distance", "weight", "idf", "model", "pooling", "equal",
		"method", "overlap", "memory", "capacity", "fp-rate", "on-full", "keep-generations", "forget-after", "remember",
		"filter", "scale",
	},
	"the names of streams have them": {
		"to", "compress", "duplicates", "rejects", "flags", "output-dir", "name", "shard-records", "shard-size",
	},
	"the format of the records has them":  {"format", "delimiter", "quoted"},
	"another flag is told in their place": {"null"}, // --record-separator
	"tables with them are not resumed":    {"union", "schema", "row-group-rows", "row-group-size"},
	"they are paths, and files may move":  {"output", "originals", "counts", "stats", "report", "index", "index-cache"},
	"an index that counts has it":         {"count-by"},
	"they say where s3:// is":             {"s3-endpoint", "s3-region"},
	"they are what a machine has to give": {"threads", "max-window", "max-memory", "parts"},
	"the names of the inputs have it":     {"all-files", "files-from"},
	"there is no index with them":         {"every", "rate", "max-kinds"},
	"no run is resumed with them":         {"max-duplicates", "max-doubts"},
	"they are about the run, not its records": {
		"checkpoint", "resume", "read-only", "repeat", "overwrite", "undo-runs", "keep-runs", "quiet", "stream",
		"report-by", "audit", "help", "max-unreadable",
	},
}

// TestFlagsSayWhetherTheyIdentifyARun checks that each flag declares whether it identifies a run,
// so that new flags are not forgotten.
func TestFlagsSayWhetherTheyIdentifyARun(t *testing.T) {
	parser, err := kong.New(new(config.FilterFlags), kong.Vars{"presets": ""})
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for reason, names := range notToResume {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	var declared []string
	for _, flag := range parser.Model.Flags {
		_, isListed := reasons[flag.Name]
		delete(reasons, flag.Name)
		switch isSame := flag.Tag.Get("run") == "same"; {
		case isSame == isListed:
			t.Errorf(`--%s: declare it run:"same", or else say here why a run may be resumed with another value`, flag.Name)
		case isSame:
			declared = append(declared, "--"+flag.Name)
		}
	}
	for name := range reasons {
		t.Errorf("--%s is not a flag of the filter", name)
	}
	var told []string
	for _, s := range filter(t).ToResume(nil) {
		told = append(told, s.Name)
	}
	slices.Sort(declared)
	slices.Sort(told)
	if !slices.Equal(declared, told) {
		t.Errorf("declared %v, told %v", declared, told)
	}
}

// TestWay checks that the settings for reading records are listed in a stable order.
func TestWay(t *testing.T) {
	var names []string
	for _, s := range filter(t).ReadingSettings(nil) {
		names = append(names, s.Name)
	}
	want := []string{"--format", "--field", "--no-header", "--record-separator", "--max-record",
		"--annotate", "--against", "--time", "--vector", "--tokens", "--encoding", "--invalid-utf8", "--multiline",
		"--within"}
	if !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
}
