package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// TestZeroIsGiven checks that a flag set to zero is not treated as one that was not given.
func TestZeroIsGiven(t *testing.T) {
	const kafka = "kafka --brokers b:9092 --group g --from a --to b --index i "
	for _, c := range []struct{ args, says string }{
		{"--threshold 0", "--threshold 0 must be above 0 and at most 1"},
		{"--recall 0", "--recall 0 must be between 0 and 1"},
		{"--num-perm 0", "--num-perm 0 must be between 1 and 65536"},
		{"--permutations 0", "--num-perm 0 must be between 1 and 65536"},
		{"--votes 0", "--votes 0 must be at least 1"},
		{"--votes=-1", "--votes -1 must be at least 1"},
		{"--shingle-size 0", "--shingle-size 0 must be at least 1"},
		{"--ngram 0", "--shingle-size 0 must be at least 1"},
		{"--bands 0 --rows 0", "--bands and --rows must both be given, both at least 1"},
		{"--bits 0 --sketch simhash", "--bits 0 must be between 64 and 128"},
		{"--method dolma --overlap 0", "--overlap 0 must be above 0 and at most 1"},
		{"--method dolma --parts 0", "--parts must be at least 1"},
		{"--keep-generations 0", "--keep-generations must be between 2 and 64"},
		{"--memory auto --max-memory 0", "--max-memory must be at least 1"},
		{"--memory exact --max-memory 0", "--max-memory must be at least 1"},
		{"--output-dir d --shard-records 0", "--shard-records must be at least 1"},
		{"--output-dir d --shard-size 0", "--shard-size must be at least 1"},
		{"--row-group-rows 0", "--row-group-rows must be at least 1"},
		{"--row-group-size 0", "--row-group-size must be at least 1"},
		{"--preset paper --shingle-size 0", "--shingle-size 0 must be at least 1"},

		{"sketch --threshold 0", "--threshold 0 must be above 0"},
		{"groups --threshold 0 f", "--threshold 0 must be above 0"},
		{"groups --max-memory 0 f", "--max-memory must be at least 1"},
		{"judge --votes 0", "--votes 0 must be at least 1"},
		{"dedup --votes 0 s", "--votes 0 must be at least 1"},
		{"audit --recall 0 f", "--recall 0 must be between 0 and 1"},
		{"eval --jaccard 0 f", "--jaccard 0 must be above 0 and at most 1"},
		{"eval --shingle-size 0 f", "--shingle-size 0 must be at least 1"},
		{"idf -o t --shingle-size 0", "--shingle-size 0 must be at least 1"},
		{"plan --documents 5 --votes 0", "--votes 0 must be at least 1"},
		{"plan --documents 5 --method dclm --ngram 0", "--ngram 0 must be between 1 and 1000"},
		{"plan --documents 5 --max-memory 0", "--max-memory must be at least 1"},
		{"substr --min-length 0", "--min-length 0 must be between 1 and 16777216"},
		{"near --index i --max-memory 0", "--max-memory must be at least 1"},
		{"index merge -o d --max-memory 0 a b", "--max-memory must be at least 1"},
		{kafka + "--num-perm 0", "--num-perm 0 must be between 1 and 65536"},
	} {
		_, err := config.Parse(strings.Fields(c.args), "test", nil)
		if !errors.Is(err, usage.Err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.args, err, c.says)
		}
	}
}

// TestZeroInTheEnvironment checks that environment variables count as given flags, too.
func TestZeroInTheEnvironment(t *testing.T) {
	t.Setenv("MITHRIL_STREAM_VOTES", "0")
	if _, err := config.Parse(nil, "test", nil); err == nil || !strings.Contains(err.Error(), "--votes 0 must be") {
		t.Errorf("%v", err)
	}
}

// TestZeroThatIsAValue checks that zero is accepted where it means something.
func TestZeroThatIsAValue(t *testing.T) {
	f := filter(t, "--index", "i", "--keep-runs", "0", "--undo-runs", "0", "--threads", "0", "--seed", "0")
	if f.Runs.KeepRuns != 0 || f.Runs.UndoRuns != 0 || f.Input.Threads != 0 || f.Rule.Seed.Number != 0 {
		t.Errorf("%+v", f.Runs)
	}
	if f := filter(t, "--sketch", "simhash", "--distance", "0"); f.Rule.Fingerprint.Distance != 0 {
		t.Errorf("distance %d", f.Rule.Fingerprint.Distance)
	}
}

// TestDefaultIsGiven checks that a flag given with its default value still counts as given, so that
// flags that conflict with it are rejected.
func TestDefaultIsGiven(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--sketch simhash --on-full grow", "--on-full does not go with --sketch simhash"},
		{"--sketch tlsh --filter paged", "--filter does not go with --sketch tlsh"},
		{"--sketch simhash --band-key xxh3", "--band-key does not go with --sketch simhash"},
		{"--sketch embedding --model m --verify signature", "--verify does not go with --sketch embedding"},
		{"--sketch embedding --model m --on-full grow", "--on-full does not go with --sketch embedding"},
		{"--equal --band-key xxh3", "--band-key does not go with --equal"},
		{"--mask […]", "--mask needs --action mask"},
		{"--method dclm --remember all", "--remember does not go with --method dclm"},
		{"--method dclm --memory exact --verify signature", "--verify does not go with --method dclm --memory exact"},
		{"--verify signature", "--verify needs --memory exact"},
		{"--memory exact --containment 0", "--containment 0 must be above 0"},
		{"--memory exact --verify text --containment .8", "--containment needs --verify containment"},
		{"judge --containment .8", "--containment needs --verify containment"},
		{"groups --verify signature --containment .8 f", "--containment needs --verify containment"},
		{"groups --verify text --sketch tlsh f", "--verify text is about signatures"},
		{"judge --memory bloom --verify signature", "--verify needs --memory exact"},
		{"--output-dir d -o -", "--output-dir and --output both say"},
		{"contaminate --items i --mask […]", "--mask needs --action mask"},
	} {
		_, err := config.Parse(strings.Fields(c.args), "test", nil)
		if !errors.Is(err, usage.Err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.args, err, c.says)
		}
	}
}
