package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// shortScripts are the scripts that run with -short, under the race detector. Together they cover
// every command, every memory and every kind of input and output: whatever starts goroutines, and
// whatever several goroutines use.
const shortScripts = `
	audit basic_copies basic_pipe boilerplate containment contaminate counts dedup_groups embedding_index
	eval exact_auto exact_forget exact_index exact_max_memory exact_merge exact_verify_text field_auto
	files_archives files_compressed fingerprint_index format_arrow format_parquet format_warc groups
	groups_days index_forget index_merge index_readonly index_repeat index_resume index_threads index_undo
	judge_listen kinds_every output_broken output_compressed output_shards_tables pairs plan report
	signal_stop sketch_three substr_actions within_crossing
`

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
