package chaos

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// buckets are the servers of all kinds of buckets, which stay as the program comes and goes.
type buckets []*buckettest.Server

func startBuckets(t *testing.T) (all buckets) {
	for _, start := range buckettest.Kinds {
		all = append(all, start(t))
	}
	return all
}

// empty removes all objects, for the next round.
func (b buckets) empty() {
	for _, server := range b {
		for path := range server.Objects() {
			server.Set(path, nil)
		}
	}
}

// indexCache is where copies of indexes in buckets are, in the directory of a round.
const indexCache = "cache"

func cacheIn(dir string) string {
	return "MITHRIL_STREAM_INDEX_CACHE=" + filepath.Join(dir, indexCache)
}

// bucketScenarios are two days of which inputs, outputs and the index are in a bucket, for each
// kind of buckets. What is there in the end is fetched, to be compared.
func bucketScenarios() (all []scenario) {
	for _, scheme := range slices.Sorted(maps.Keys(buckettest.Kinds)) {
		at := scheme + "://bucket/"
		index := []string{"-q", "--memory", "exact", "--index", at + "idx"}
		fetch := func(name string) []string { return []string{"-q", "--equal", at + name, "-o", name} }
		all = append(all, scenario{name: "in buckets of " + scheme, commands: [][]string{
			{"-q", "--equal", "../in/1.jsonl", "-o", at + "in/1.jsonl.gz"},
			slices.Concat(index, []string{at + "in/", "-o", at + "1.jsonl", "--flags", at + "1.flags"}),
			slices.Concat(index, []string{"../in/2.jsonl", "-o", at + "2.jsonl.zst", "--flags", at + "2.flags"}),
			fetch("1.jsonl"), fetch("2.jsonl.zst"),
			{"apply", "-q", "--flags", at + "1.flags", at + "in/1.jsonl.gz", "-o", "applied.jsonl"},
			slices.Concat(index, []string{"--read-only", "../in/12.jsonl", "--flags", "flags", "-o", "none"}),
			{"index", "verify", at + "idx"},
		}})
	}
	return all
}

var unlock = regexp.MustCompile(`mithril-stream (index unlock (\w+://bucket/idx))`)

// unlocks takes away the lock of a run that was killed, if a message says how.
func (c *chaos) unlocks(message string) bool {
	way := unlock.FindStringSubmatch(message)
	if way == nil || c.stopped == 0 {
		return false
	}
	c.history = append(c.history, way[1])
	if out, err := exec.Command(program, "index", "unlock", way[2]).CombinedOutput(); err != nil {
		c.t.Fatalf("the way out that a message names is none: %v: %s", err, out)
	}
	return true
}
