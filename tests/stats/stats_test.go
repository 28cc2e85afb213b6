package stats

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const statsSchema = "docs/reference/stats.schema.json"

// statsRuns are runs whose statistics differ in what they have. {} is a directory for each.
var statsRuns = map[string]string{
	"filter":      "testdata/crawl.jsonl.gz",
	"nothing":     "/dev/null",
	"exact":       "--memory exact testdata/crawl.jsonl.gz",
	"exact texts": "--memory exact --verify text testdata/crawl.jsonl.gz",
	"auto":        "--memory auto --max-memory 1KiB testdata/crawl.jsonl.gz",
	"vectors":     "--sketch simhash testdata/crawl.jsonl.gz",
	"equal":       "--equal testdata/crawl.jsonl.gz",
	"parts":       "--method dolma testdata/crawl.jsonl.gz",
	"hosts":       "--on-error keep --key text:host {}/odd.jsonl",
	"forgetting":  "--capacity 2 --keep-generations 2 testdata/crawl.jsonl.gz",
	"by time":     "--memory exact --capacity 2 --forget-after 1d --time t {}/odd.jsonl",
	"bad records": "--on-error keep --field text --field more --invalid-utf8 replace {}/odd.jsonl",
	"cut off":     "--on-error keep {}/cut.jsonl",
	"broken":      "{}/broken.jsonl.gz testdata/crawl.jsonl.gz",
	"shards":      "--output-dir {}/out --shard-records 3 testdata/crawl.jsonl.gz",
	"every":       "--preset logs --format text --every 1h --time line {}/log.txt",
	"directory":   "{}/some",
	"groups":      "groups testdata/crawl.jsonl.gz",
	"contaminate": "contaminate --items {}/items.jsonl testdata/crawl.jsonl.gz",
	"index":       "--index {}/idx testdata/crawl.jsonl.gz",
	"again":       "--index {}/idx --repeat replay testdata/crawl.jsonl.gz",
}

// TestStatsFollowTheirSchema validates what runs of many kinds write to --stats.
func TestStatsFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(statsSchema)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "some"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"odd.jsonl": `{"text":"one","more":{"a":1},"t":"2024-01-01"}` + "\n\n" +
			`{"text":"two ` + "\xff" + `","t":"2024-03-01"}` + "\n" +
			`{"text":"three","x":NaN,"t":"2024-05-01"}` + "\n" + `{"t":3}` + "\n",
		"cut.jsonl":     `{"text":"one"}` + "\n" + `{"text":"tw`,
		"log.txt":       "2024-01-01 00:00:00 a user came\n2024-01-01 00:00:01 a user came\n",
		"items.jsonl":   `{"text":"a text of the evaluation set that no page has in it anywhere at all"}` + "\n",
		"some/a.jsonl":  `{"text":"one"}` + "\n",
		"some/left.out": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile("testdata/crawl.jsonl.gz")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "broken.jsonl.gz"), whole[:len(whole)/2], 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(statsRuns)) {
		if name == "again" {
			continue // after the run that it repeats
		}
		checkStats(t, schema, seen, name, dir)
	}
	checkStats(t, schema, seen, "again", dir)
	for _, member := range []string{
		"blank_lines", "first_reject", "first_cut_off", "left_out_of_the_text", "values_that_are_not_urls",
		"records_with_nan_or_infinity",
		"first_of_these", "files_left_out", "bytes_replaced", "exact", "kinds", "groups", "shards", "repeats_run",
	} {
		if !seen[member] {
			t.Errorf("no run had %s", member)
		}
	}
}

// checkStats validates the statistics of a run, and adds their members to seen.
func checkStats(t *testing.T, schema *jsonschema.Schema, seen map[string]bool, name, dir string) {
	t.Helper()
	stats := filepath.Join(t.TempDir(), "stats.json")
	words := strings.Fields(strings.ReplaceAll(statsRuns[name], "{}", dir))
	out, err := exec.Command("mithril-stream", append(words, "-q", "--stats", stats)...).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || !slices.Contains([]int{3, 4, 5}, exit.ExitCode())) {
		t.Errorf("%s: %v\n%s", name, err, out)
		return
	}
	file, err := os.Open(stats)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer file.Close()
	value, err := jsonschema.UnmarshalJSON(file)
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for member := range value.(map[string]any) {
		seen[member] = true
	}
}

// A statsType is a type of the schema.
type statsType struct {
	Title       string
	Type        any
	Ref         string `json:"$ref"`
	Enum        []any
	Required    []string
	Properties  json.RawMessage
	Description string
}

// TestStatsPage holds that the page about statistics has the tables that follow from the schema.
func TestStatsPage(t *testing.T) {
	page, err := os.ReadFile("docs/reference/stats.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(statsSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]statsType `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, name := range slices.Sorted(maps.Keys(schema.Defs)) {
		if schema.Defs[name].Title == "" {
			continue
		}
		tables++
		if table := statsTable(t, schema.Defs[name]); !strings.Contains(string(page), table) {
			t.Errorf("docs/reference/stats.md lacks this table:\n%s", table)
		}
	}
	if tables < 5 {
		t.Errorf("only %d tables", tables)
	}
}

// statsTable is the table of a type: its members in the order of the schema.
func statsTable(t *testing.T, of statsType) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n| member | type | meaning |\n|---|---|---|\n", of.Title)
	members := json.NewDecoder(strings.NewReader(string(of.Properties)))
	if _, err := members.Token(); err != nil {
		t.Fatal(err)
	}
	for members.More() {
		name, err := members.Token()
		var member statsType
		if err == nil {
			err = members.Decode(&member)
		}
		if err != nil {
			t.Fatal(err)
		}
		is := strings.TrimPrefix(member.Ref, "#/$defs/")
		switch {
		case len(member.Enum) > 0:
			is = "string"
		case is == "":
			is = strings.Trim(strings.ReplaceAll(fmt.Sprint(member.Type), " ", " or "), "[]")
		case is == "count":
			is = "integer"
		case is == "rate":
			is = "number"
		case schemaObjects[is]:
			is = "object"
		}
		if !slices.Contains(of.Required, name.(string)) {
			is += "?"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, is, member.Description)
	}
	return b.String()
}

// schemaObjects are the types of members that the page calls objects.
var schemaObjects = map[string]bool{"exact": true, "kinds": true, "leftOut": true, "revisits": true}
