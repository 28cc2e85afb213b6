package tests

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shortScripts are the scripts that run with -short, under the race detector. Together they cover
// every command, every memory and every kind of input and output: whatever starts goroutines, and
// whatever several goroutines use. Long ones stop early ([short] stop) where that has been met.
const shortScripts = `
	audit basic_copies basic_pipe boilerplate containment contaminate counts dedup_groups embedding_index
	eval exact_auto exact_forget exact_index exact_max_memory exact_merge exact_verify_text field_auto
	files_archives files_compressed fingerprint_index format_arrow format_parquet format_warc groups
	groups_days index_forget index_merge index_readonly index_repeat index_resume index_threads index_undo
	judge_listen kinds_every output_broken output_compressed output_shards_tables pairs plan report
	signal_stop sketch_three substr_actions within_crossing
`

// shortTests are the tests that run with -short, each with what goroutines do in it and in no
// script. The other tests start the program with goroutines that one of these or a script has: they
// are about files, signals and messages, and take most of the time. make race-all runs them all.
var shortTests = map[string]string{
	"TestScripts":                       "run shortScripts",
	"TestShortTestsAreThere":            "check this list",
	"TestHubIsReadAsFilesAre":           "fetch files of the Hub ahead, and look into several at once",
	"TestIndexInBucket":                 "fetch and send the files of an index, several at once",
	"TestPublishFails":                  "send files while the server refuses some",
	"TestStoppedWithIndexInBucket":      "are stopped by a signal while there is a lock in a bucket",
	"TestAServerThatIsWaitedForIsNamed": "tell one another that a server does not answer",
	"TestTablesInShardsOfABucket":       "send parts of several objects at once",
	"TestTablesSurviveFaults":           "fetch parts of a table ahead, and again after a failure",
	"TestTablesThatChange":              "stop fetching because one of them has found another version",
}

// scripts returns the paths of the scripts to run.
func scripts() (paths []string) {
	if !testing.Short() {
		paths, _ = filepath.Glob("testdata/script/*.txtar")
		return paths
	}
	for _, name := range strings.Fields(shortScripts) {
		paths = append(paths, fmt.Sprintf("testdata/script/%s.txtar", name))
	}
	return paths
}

// chooseShort leaves the tests of shortTests with -short, unless -run chooses others.
func chooseShort() error {
	flag.Parse()
	if !testing.Short() || flag.Lookup("test.run").Value.String() != "" {
		return nil
	}
	return flag.Set("test.run", "^("+strings.Join(slices.Collect(maps.Keys(shortTests)), "|")+")$")
}

// TestShortTestsAreThere: a test that got another name would no longer run with -short.
func TestShortTestsAreThere(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("tests/*_test.go")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for name := range shortTests {
		if !strings.Contains(source.String(), "\nfunc "+name+"(t *testing.T) {\n") {
			t.Errorf("there is no %s", name)
		}
	}
}
