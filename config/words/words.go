package words

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// Words of other programs, and their equivalents here.
var (
	wordsOfOthers = map[string]string{
		"dedupe": "leave the word out", "deduplicate": "leave the word out", "unique": "leave the word out",
		"uniq": "leave the word out", "run": "leave the word out", "filter": "leave the word out",
		"stats": "a run has --stats FILE and --report FILE, an index mithril-stream index inspect",
		"merge": "mithril-stream index merge", "inspect": "mithril-stream index inspect",
		"info": "mithril-stream index inspect", "verify": "mithril-stream index verify",
		"check": "mithril-stream index verify", "compact": "mithril-stream index compact",
		"delete": "mithril-stream index delete", "undo": "mithril-stream index undo",
		"unlock": "mithril-stream index unlock",
		"settle": "mithril-stream index settle", "clusters": "mithril-stream groups",
		"cluster": "mithril-stream groups", "query": "mithril-stream near", "search": "mithril-stream near",
		"signature": "mithril-stream fingerprint", "signatures": "mithril-stream fingerprint",
		"minhash": "mithril-stream fingerprint", "fingerprints": "mithril-stream fingerprint",
		"convert": "name the format by -o, as in -o x.parquet", "presets": "mithril-stream help presets",
		"suffix-array": "mithril-stream substr", "decontaminate": "mithril-stream contaminate",
		"estimate": "mithril-stream plan", "template": "mithril-stream templates",
		"patterns": "mithril-stream templates", "drain": "mithril-stream templates",
		"rate-limit": "leave the word out, and give --rate N/INTERVAL",
		"serve":      "mithril-stream judge", "server": "mithril-stream judge",
	}
	flagsOfOthers = map[string]string{
		"algorithm": "lshbloom is --preset lshbloom, of which the default is a stricter form; minhash-lsh is " +
			"--memory exact, simhash is --sketch simhash, and suffix-array the command substr",
		"clusters": "mithril-stream groups FILE... --clusters FILE writes the groups of records; in the filter " +
			"--memory exact --originals FILE says what each removed record resembles",
		"column": "--field", "text-field": "--field", "text-key": "--field", "content-field": "--field",
		"id-field": "--id", "id-column": "--id", "input": "inputs are given without a flag",
		"inputs": "inputs are given without a flag", "path": "inputs are given without a flag",
		"files0-from": "--files-from", "file-list": "--files-from", "input-list": "--files-from",
		"input-file": "inputs are given without a flag", "input-dir": "inputs are given without a flag",
		"output-file": "--output", "out": "--output", "save-dir": "--index", "index-dir": "--index",
		"bloom-dir": "--index", "num-bands": "--bands", "b": "--bands", "r": "--rows", "num-rows": "--rows",
		"num-hashes": "--num-perm", "num-hash": "--num-perm", "hashes": "--num-perm", "k": "--num-perm",
		"sim-threshold": "--threshold", "similarity": "--threshold", "similarity-threshold": "--threshold",
		"jaccard": "--threshold", "jaccard-threshold": "--threshold", "min-jaccard": "--threshold",
		"fp": "--fp-rate", "false-positive-rate": "--fp-rate", "error-rate": "--fp-rate",
		"expected-items": "--capacity", "expected-elements": "--capacity", "n": "--capacity",
		"num-docs": "--capacity", "ngram-size": "--shingle-size", "ngrams": "--shingle-size",
		"n-gram": "--shingle-size", "shingles": "--shingle-size", "jobs": "--threads", "workers": "--threads",
		"num-workers": "--threads", "num-proc": "--threads", "processes": "--threads", "cores": "--threads",
		"tokenizer": "--tokenize", "lowercase": "--normalize nfkc-fold, which is the default",
		"ignore-case": "--normalize nfkc-fold, which is the default", "hash-bits": "--bits",
		"hamming": "--distance", "max-distance": "--distance", "removed": "--duplicates",
		"duplicates-file": "--duplicates", "dry-run": "--flags FILE -o /dev/null writes a verdict for each record",
		"in-place": "an input is never changed: name another file by --output", "force": "--overwrite",
		"verbose": "the summary is always written, and more by --report FILE", "silent": "--quiet",
		"limit": "head -n N | mithril-stream", "skip": "tail -n +N | mithril-stream", "mode": "--memory",
	}
)

// Check rejects a first argument that is not a file and looks like a command. Where it can, the
// error names the one of the commands that was probably meant.
func Check(args, commands []string) error {
	if len(args) == 0 || strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyz-") != "" || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if _, err := os.Lstat(args[0]); !os.IsNotExist(err) {
		return nil
	}
	word := args[0]
	if other, ok := wordsOfOthers[word]; ok {
		return fmt.Errorf("%s is neither a file nor a command: %s", word, suggestion(other))
	}
	if near := nearest(word, commands); near != "" {
		return fmt.Errorf("%s is neither a file nor a command: %s", word, suggestion("mithril-stream "+near))
	}
	return nil
}

// suggestion turns an answer into a sentence. If the answer is only a name, it becomes a question.
func suggestion(answer string) string {
	isName := strings.HasPrefix(answer, "--") && !strings.Contains(answer, " ")
	if isName || strings.HasPrefix(answer, "mithril-stream ") && !strings.Contains(answer, "FILE") {
		return "did you mean " + answer + "?"
	}
	return answer
}

// FlagOfOthers replaces err with an explanation if the unknown flag is one that other programs
// have. It returns err for all other flags.
func FlagOfOthers(args []string, err error) error {
	if answer := ValueOfOthers(args); answer != "" {
		return errors.New(answer)
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		ours, ok := flagsOfOthers[strings.ReplaceAll(name, "_", "-")]
		if ok && strings.HasPrefix(arg, "--") && strings.Contains(err.Error(), "unknown flag --"+name) {
			return fmt.Errorf("unknown flag --%s: %s", shown.Text(name), suggestion(ours))
		}
	}
	return plainly(err)
}

// valuesOfOthers lists flag values that other programs or papers use.
var valuesOfOthers = map[string]string{
	"--method lshbloom":    "did you mean --preset lshbloom?",
	"--method minhash-lsh": "did you mean --memory exact?",
	"--method minhash":     "MinHash is what runs without it",
	"--method simhash":     "did you mean --sketch simhash?",
	"--sketch minhash":     "MinHash is what runs without it",
	"--sketch lshbloom":    "did you mean --preset lshbloom?",
	"--preset minhash-lsh": "did you mean --memory exact?",
	"--preset minhash":     "MinHash is what runs without it",
	"--memory lshbloom":    "did you mean --preset lshbloom?",
	"--filter bloom":       "did you mean --filter classic, or --preset lshbloom for the paper's system?",
}

// ValueOfOthers returns advice on the first argument whose value only other programs know, or "" if
// there is none.
func ValueOfOthers(args []string) string {
	for i, arg := range args {
		said := strings.Replace(arg, "=", " ", 1)
		if i+1 < len(args) && !strings.Contains(arg, "=") {
			said += " " + args[i+1]
		}
		if answer := valuesOfOthers[said]; answer != "" {
			return said + ": " + answer
		}
	}
	return ""
}

const (
	notOneOf = `^(--\S+) must be one of "(.*)" but got "(.*)"$`
	noValue  = `^(--\S+): (?:expected|missing) .*(?:"EOL"|EOL|missing value).*$`
	noLetter = `^(unknown flag -[^-]), did you mean .*$`
)

// plainly rewords the parser's errors in the style of the rest of the program.
func plainly(err error) error {
	find := func(expression string) []string {
		return regexp.MustCompile(expression).FindStringSubmatch(err.Error())
	}
	if m := find(notOneOf); m != nil {
		values := strings.Split(m[2], `","`)
		values = slices.DeleteFunc(values, func(value string) bool { return value == "" || value == "0" })
		return fmt.Errorf("%s %s: choose from %s", m[1], shown.Text(m[3]), strings.Join(values, ", "))
	}
	if m := find(noValue); m != nil {
		return fmt.Errorf("%s needs a value, and the command line ends after it", m[1])
	}
	if m := find(noLetter); m != nil {
		return errors.New(m[1])
	}
	return err
}

// nearest returns the word that differs from another in at most two letters, or a third of its
// letters, or "" if there is none.
func nearest(word string, among []string) string {
	most := min(2, len(word)/3)
	return slices.MinFunc(append([]string{""}, among...), func(a, b string) int {
		return distanceOr(word, a, most+1) - distanceOr(word, b, most+1)
	})
}

// distanceOr returns the edit distance between two words (Levenshtein 1966), or limit if that is
// less. An empty word is at distance limit from all words.
func distanceOr(a, b string, limit int) int {
	if b == "" {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}
