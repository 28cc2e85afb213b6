package tests

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
)

// tasks are what a newcomer wants to do, with the page that answers and what to type, which stands
// on that page.
var tasks = []struct{ task, page, typed string }{
	{"install the program", "README.md", "go build -o mithril-stream ."},
	{"verify a release", "docs/install.md", "SHA256SUMS"},
	{"remove duplicates from a file", "docs/start.md", "mithril-stream testdata/crawl.jsonl.gz -o unique.jsonl"},
	{"keep what was removed", "docs/start.md", "--duplicates removed.jsonl"},
	{"see which record a removed one resembles", "docs/start.md", "--memory exact --id url --originals"},
	{"read the report of a run", "docs/reference/report.md", "--report"},
	{"know whether the verdicts are right", "docs/reference/audit.md", "mithril-stream audit"},
	{"compare another field", "docs/reference/fields.md", "--field"},
	{"deduplicate chats", "docs/reference/fields.md", "messages"},
	{"deduplicate HTML pages", "docs/recipes/web.md", "--markup html"},
	{"choose a rule for passages, code or logs", "docs/choosing.md", "--preset passages"},
	{"read and write Parquet", "docs/reference/parquet.md", ".parquet"},
	{"read a bucket", "docs/reference/remote.md", "s3://"},
	{"read web archives", "docs/reference/warc.md", "warc"},
	{"compare each day with the days before", "docs/reference/index.md", "--index"},
	{"go on after a crash", "docs/concepts/reliability.md", "--resume"},
	{"take back a run", "docs/reference/index.md", "index undo"},
	{"plan memory and disk", "docs/reference/index.md", "mithril-stream plan"},
	{"forget the oldest records", "docs/reference/index.md", "--forget-after"},
	{"keep the best of each group", "docs/reference/groups.md", "--keep longest"},
	{"remove equal records, or those with one URL", "docs/reference/overlap.md", "--key url"},
	{"cut repeated passages", "docs/reference/substr.md", "mithril-stream substr"},
	{"cut menus and footers", "docs/recipes/boilerplate.md", "mithril-stream boilerplate"},
	{"find evaluation sets in training data", "docs/recipes/evaluation-sets.md", "mithril-stream contaminate"},
	{"understand why a record could not be read", "docs/reference/formats.md", "--on-error"},
	{"filter a Kafka topic", "docs/recipes/kafka.md", "mithril-stream kafka"},
	{"run it every day from cron", "docs/recipes/daily.md", "--checkpoint 10m --resume"},
	{"back up and move an index", "docs/recipes/daily.md", "mithril-stream index verify backup"},
	{"deduplicate source code", "docs/recipes/code.md", "--sketch fracminhash"},
	{"deduplicate titles of products", "docs/recipes/products.md", "--preset passages --threshold 0.9"},
	{"thin out logs", "docs/recipes/logs.md", "--preset logs"},
	{"deduplicate Arabic", "docs/recipes/languages.md", "strip-accents"},
	{"deduplicate many Parquet files", "docs/recipes/shards.md", "--output-dir unique"},
	{"deduplicate two billion documents", "docs/recipes/two-billion.md", "--documents 2e9"},
	{"deduplicate a frame of Spark", "docs/recipes/spark.md", "mithril_stream.spark.deduplicate"},
	{"ask SQL what was removed", "docs/recipes/sql.md", "SELECT"},
	{"call it from Python", "docs/reference/python.md", "import mithril_stream"},
	{"call it from Go", "docs/reference/library.md", "dedup.Unique"},
	{"know what may change between versions", "docs/reference/compatibility.md", "0.x"},
}

// TestTasks holds that README leads to the answer of each task in at most two links.
func TestTasks(t *testing.T) {
	first := linksOf(t, "README.md")
	near := append(slices.Clone(first), "README.md")
	for _, page := range first {
		near = append(near, linksOf(t, page)...)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task.page)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), task.typed) {
			t.Errorf("to %s: %s does not say %q", task.task, task.page, task.typed)
		}
		if !slices.Contains(near, task.page) {
			t.Errorf("to %s: README.md does not lead to %s in two links", task.task, task.page)
		}
	}
}

// TestPagesGoOn holds that every page is within two links of README, and leads to another one.
func TestPagesGoOn(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		pages = append(pages, found...)
	}
	listed := append(linksOf(t, "README.md"), linksOf(t, "docs/README.md")...)
	for _, page := range pages {
		if !slices.Contains(listed, page) {
			t.Errorf("neither README.md nor docs/README.md leads to %s", page)
		}
		if on := slices.DeleteFunc(linksOf(t, page), func(to string) bool { return to == page }); len(on) == 0 {
			t.Errorf("%s leads nowhere", page)
		}
	}
}

var pageLink = regexp.MustCompile(`\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)`)

// linksOf are the pages of the repository that a page links to, which are there.
func linksOf(t *testing.T, page string) (links []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range pageLink.FindAllStringSubmatch(string(text), -1) {
		to := filepath.Join(filepath.Dir(page), match[1])
		if _, err := os.Stat(to); err != nil {
			t.Errorf("%s leads to %s, which is not there", page, to)
		}
		links = append(links, to)
	}
	return links
}

// TestCommandsOfTasks holds that each command of docs/tasks.md is one that the program takes.
func TestCommandsOfTasks(t *testing.T) {
	page, err := os.ReadFile("docs/tasks.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("`mithril-stream ([^`]+)`").FindAllStringSubmatch(string(page), -1)
	if len(commands) < 20 {
		t.Errorf("only %d commands were found", len(commands))
	}
	for _, command := range commands {
		words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(command[1], -1)
		for i := range words {
			words[i] = strings.Trim(words[i], "'")
		}
		if _, err := config.Parse(words, "", io.Discard); err != nil {
			t.Errorf("mithril-stream %s: %v", command[1], err)
		}
	}
}
