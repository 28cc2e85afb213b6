package config_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/config"
)

// printed returns what the program prints for informational arguments.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := config.Parse(args, "test", &out); !errors.Is(err, config.ErrStop) {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

// TestHelpFitsTwoScreens checks that the help of each command fits on two screens, whichever name
// it is requested by, and says where to find the rest.
func TestHelpFitsTwoScreens(t *testing.T) {
	pages := strings.Split(strings.TrimSuffix(printed(t, "man", "--list"), "\n"), "\n")
	for _, page := range append(pages, "index") {
		words := strings.Fields(page)
		text := printed(t, append(words, "--help")...)
		if short := printed(t, append(words, "-h")...); short != text {
			t.Errorf("%s -h and --help differ", page)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > 100 {
			t.Errorf("the help of %q has %d lines", page, len(lines))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 80 && !strings.HasPrefix(line, "https://") {
				t.Errorf("%q is wider than 80 columns", line)
			}
		}
	}
	text := printed(t, "help")
	if text != printed(t, "--help") || strings.Count(text, "\n  -")+strings.Count(text, "\n      --") != 30 {
		t.Errorf("help does not show thirty flags:\n%s", text)
	}
}

// TestHelpOfACommandHasTheRest checks that help COMMAND shows what the short help leaves out.
func TestHelpOfACommandHasTheRest(t *testing.T) {
	name := regexp.MustCompile(`(?m)^ {2,6}(?:-., )?--([a-z0-9-]+)`)
	more := regexp.MustCompile(`help ([a-z ]+) has (\d+) more flags`)
	for _, command := range []string{"groups", "kafka", "plan", "contaminate", "index inspect", "filter"} {
		short := printed(t, append(strings.Fields(command), "--help")...)
		left := "0"
		if said := more.FindStringSubmatch(short); said != nil {
			left = said[2]
			if said[1] != command {
				t.Errorf("%s --help sends one to help %s", command, said[1])
			}
		}
		whole := printed(t, append([]string{"help"}, strings.Fields(command)...)...)
		shown, all := len(name.FindAllString(short, -1)), len(name.FindAllString(whole, -1))
		if command == "filter" {
			left = regexp.MustCompile(`help all lists all (\d+) flags`).FindStringSubmatch(short)[1]
			shown = 0
		}
		if strconv.Itoa(all-shown) != left {
			t.Errorf("%s: %d of %d flags are shown, and %s are said to be left", command, shown, all, left)
		}
	}
}

// TestTasksAreFound checks that common tasks can be found from -h with at most one more call.
func TestTasksAreFound(t *testing.T) {
	tasks := []struct{ task, brief, more, found string }{
		{"filter a file", "-o unique.jsonl", "", ""},
		{"filter a pipe", "| mithril-stream >", "", ""},
		{"remember earlier days", "--index DIR", "", ""},
		{"remove only equal records", "--equal", "", ""},
		{"see what each removed record resembles", "--originals", "", ""},
		{"see what a run did", "--report", "", ""},
		{"use the settings of a recipe", "help presets", "help presets", "fineweb"},
		{"take a run back", "undo an index", "index -h", "undo"},
		{"merge indexes", "merge or undo an index", "index -h", "merge"},
		{"keep the longest of each group", "groups", "groups -h", "--keep"},
		{"know what an index costs", "plan", "plan --help", "--documents"},
		{"find an evaluation set", "contaminate", "contaminate --help", "--items"},
		{"cut passages that repeat", "substr", "substr --help", "--action"},
		{"know the exit codes", "exit-codes", "help exit-codes", "143"},
		{"judge Parquet by several fields", "--field PATH", "help --field", "Repeat it"},
		{"compress the output", "help all lists all", "help all", "--compress"},
		{"compare embeddings", "help all lists all", "help all", "embedding"},
		{"forget what is old", "--forget-after", "", ""},
		{"fail where the result looks wrong", "--max-duplicates", "help exit-codes", "6"},
	}
	brief := printed(t, "-h")
	for _, task := range tasks {
		if !strings.Contains(brief, task.brief) {
			t.Errorf("%s: -h does not say %q", task.task, task.brief)
		}
		if task.more != "" && !strings.Contains(printed(t, strings.Fields(task.more)...), task.found) {
			t.Errorf("%s: %s does not say %q", task.task, task.more, task.found)
		}
	}
}

// TestEveryCommandIsListed checks that -h lists every command and that each has a page.
func TestEveryCommandIsListed(t *testing.T) {
	brief := printed(t, "-h")
	document := regexp.MustCompile(`(?m)^https://\S*/docs/([a-z/-]+\.md)`)
	for _, page := range strings.Split(strings.TrimSpace(printed(t, "man", "--list")), "\n") {
		command, _, _ := strings.Cut(page, " ")
		if command != "" && !strings.Contains(brief, "\n  "+command+" ") {
			t.Errorf("-h does not list %q", command)
		}
		usage := printed(t, append(strings.Fields(page), "-h")...)
		if command != "" && !strings.HasPrefix(usage, "Usage: mithril-stream "+page) {
			t.Errorf("%s -h does not begin with its usage", page)
		}
		if command == "" {
			continue
		}
		if found := document.FindStringSubmatch(usage); found == nil {
			t.Errorf("%s -h names no page", page)
		} else if _, err := os.Stat(filepath.Join("../docs", found[1])); err != nil {
			t.Errorf("%s -h: %v", page, err)
		}
	}
}

// TestEveryFlagIsExplained checks that help COMMAND has a sentence on each flag, help --FLAG its
// full text, and the manual page all full texts.
func TestEveryFlagIsExplained(t *testing.T) {
	name := regexp.MustCompile(`(?m)^ {2,6}(?:-., )?--([a-z0-9-]+)`)
	seen := map[string]bool{}
	for _, page := range strings.Split(strings.TrimSuffix(printed(t, "man", "--list"), "\n"), "\n") {
		words := strings.Fields(page)
		about := append([]string{"help"}, words...)
		if page == "" {
			about = append(about, "filter")
		}
		flags := name.FindAllStringSubmatch(printed(t, about...), -1)
		if len(flags) < 3 && page != "index settle" {
			t.Errorf("%q has %d flags", about, len(flags))
		}
		manual := printed(t, append([]string{"man"}, words...)...)
		for _, flag := range flags {
			if !strings.Contains(manual, `\-\-`+strings.ReplaceAll(flag[1], "-", `\-`)) {
				t.Errorf("the manual page of %q does not have --%s", page, flag[1])
			}
			if !seen[flag[1]] {
				printed(t, "help", "--"+flag[1])
			}
			seen[flag[1]] = true
		}
	}
	whole := strings.Join(strings.Fields(printed(t, "help", "--memory-limit")), " ") // ignore line breaks
	if !strings.Contains(whole, "--max-memory SIZE") ||
		!strings.Contains(whole, "The summary names the record.") {
		t.Errorf("%s", whole)
	}
}

// TestHelpAllHasEveryFlag checks that help all lists every flag.
func TestHelpAllHasEveryFlag(t *testing.T) {
	all := printed(t, "help", "all")
	named := regexp.MustCompile(`\n\.B (?:\\-., )?\\-\\-([a-z0-9\\-]+)`)
	flags := 0
	for _, page := range strings.Split(strings.TrimSuffix(printed(t, "man", "--list"), "\n"), "\n") {
		manual := printed(t, append([]string{"man"}, strings.Fields(page)...)...)
		for _, flag := range named.FindAllStringSubmatch(manual, -1) {
			flags++
			if name := strings.ReplaceAll(flag[1], `\`, ""); !strings.Contains(all, "--"+name) {
				t.Errorf("help all lacks --%s, which the manual page of %q has", name, page)
			}
		}
	}
	if flags < 300 {
		t.Errorf("only %d flags were found", flags)
	}
}

// TestPresetsAreListedWithTheirSettings checks that help presets shows what each preset sets.
func TestPresetsAreListedWithTheirSettings(t *testing.T) {
	all := strings.Join(strings.Fields(printed(t, "help", "presets")), " ")
	for _, settings := range []string{
		"--normalize fineweb, --tokenize word, --shingle-size 5, 112 permutations, 14 bands of 8, --threshold 0.75.",
		"--normalize nfkc-fold, --tokenize word-grams, --shingle-size 1, 384 permutations, 96 bands of 4, 21 votes, " +
			"--threshold 0.7.",
		"--normalize none, --tokenize char, --shingle-size 24, 260 permutations, 20 bands of 13.",
	} {
		if !strings.Contains(all, settings) {
			t.Errorf("help presets lacks %q", settings)
		}
	}
}

// TestManualPagesAreWellFormed runs mandoc, if it is installed, on the manual pages and expects no
// warnings.
func TestManualPagesAreWellFormed(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("mandoc is not here")
	}
	for _, page := range strings.Split(strings.TrimSuffix(printed(t, "man", "--list"), "\n"), "\n") {
		file := filepath.Join(t.TempDir(), "page.1")
		manual := printed(t, append([]string{"man"}, strings.Fields(page)...)...)
		if err := os.WriteFile(file, []byte(manual), 0o600); err != nil {
			t.Fatal(err)
		}
		says, _ := exec.Command(mandoc, "-T", "lint", "-W", "warning", file).CombinedOutput()
		for _, line := range strings.Split(strings.TrimSpace(string(says)), "\n") {
			if line != "" && !strings.Contains(line, "missing date") { // for reproducible pages
				t.Errorf("%s: %s", page, line)
			}
		}
	}
}

// TestWordsOfOtherPrograms checks that names used by other programs are answered with ours.
func TestWordsOfOtherPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, says := range map[string]string{
		"merge a b":           "merge is neither a file nor a command: did you mean mithril-stream index merge?",
		"dedupe a.jsonl":      "dedupe is neither a file nor a command: leave the word out",
		"stats":               "--stats FILE",
		"grops a.jsonl":       "did you mean mithril-stream groups?",
		"versoin":             "did you mean mithril-stream version?",
		"--clusters c a":      "unknown flag --clusters: mithril-stream groups",
		"--algorithm=simhash": "simhash is --sketch simhash",
		"--num_bands 3":       "did you mean --bands?",
		"--workers 3":         "did you mean --threads?",
		"--frobnicate":        "unknown flag --frobnicate",
		"completion ksh":      "name one of bash, fish, zsh",
		"help frobnicate":     "no command, no flag, and none of the topics presets, exit-codes, environment",
		"man frobnicate":      "man --list",
	} {
		var out bytes.Buffer
		_, err := config.Parse(strings.Fields(args), "test", &out)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if err := os.WriteFile("merge", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"merge", "surplus", "merge.jsonl", "./stats"} {
		if _, err := config.Parse([]string{file}, "test", nil); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestChoicesFollowTheMeaning checks that flags with the same name but different meanings list
// different choices.
func TestChoicesFollowTheMeaning(t *testing.T) {
	said := printed(t, "help", "--to")
	for _, of := range []string{"--to TOPIC", "--to RUN"} {
		_, text, ok := strings.Cut(said, of)
		text, _, _ = strings.Cut(text, "\nmithril-stream")
		if !ok || strings.Contains(text, "parquet") {
			t.Errorf("%s: %q", of, text)
		}
	}
	kafka := strings.Join(strings.Fields(printed(t, "help", "kafka")), " ")
	if !strings.Contains(kafka, "(jsonl, confluent-json, text; default") {
		t.Errorf("kafka --format does not list the formats of messages: %s", kafka)
	}
	for _, of := range []string{"--format", "--preset", "--sketch", "--method"} {
		if !strings.Contains(printed(t, "help", of), "(") {
			t.Errorf("help %s names no choices", of)
		}
	}
}

// TestExitCodesMatchTheirPage checks that the help and the document list the same exit codes.
func TestExitCodesMatchTheirPage(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := func(text, row string) []string {
		var all []string
		for _, match := range regexp.MustCompile(row).FindAllStringSubmatch(text, -1) {
			all = append(all, match[1])
		}
		return all
	}
	onPage := codes(string(page), `(?m)^\| (\d+(?:, \d+)?) \|`)
	inHelp := codes(printed(t, "help", "exit-codes"), `(?m)^  (\d+(?:, \d+)?)  `)
	if len(onPage) < 8 || !slices.Equal(onPage, inHelp) {
		t.Errorf("the page has %q, the help %q", onPage, inHelp)
	}
}
