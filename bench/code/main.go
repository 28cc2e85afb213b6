// Command code says which rule finds files of code again that were edited: with another licence,
// without comments, with other names of variables, or cut. It prints a table in Markdown.
//
//	go run ./code [-program PROGRAM] [-files N] [-dir DIR]
//
// The originals are files of Go below DIR, by default the standard library, that are not generated
// and share less than half of their shingles of five words with any other one. Each change is made
// to a quarter of them, and the copies come after all originals.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
)

// rules are options of the program.
var rules = []string{
	"", "--equal --field text", "--preset starcoder", "--preset starcoder --memory exact", "--preset passages",
	"--sketch fracminhash", "--sketch fracminhash --contained either",
	"--method dolma-ngram --overlap .8", "--method dolma-ngram --overlap .8 --scale 4",
	"--method dolma-ngram --overlap .8 --scale 16",
}

func main() {
	binary := program.Flag()
	files := flag.Int("files", 1200, "how many originals there are at most")
	dir := flag.String("dir", "", "where files of Go are; the standard library if it is empty")
	program.Main(0, "code [-program PROGRAM] [-files N] [-dir DIR]", func(temp string) error {
		return run(os.Stdout, *binary, temp, *dir, *files)
	})
}

func run(out io.Writer, binary, temp, dir string, files int) error {
	if dir == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("go env GOROOT: %w", err)
		}
		dir = filepath.Join(strings.TrimSpace(string(root)), "src")
	}
	originals, err := readOriginals(dir, files)
	if err != nil {
		return err
	}
	records := make([]record, 0, 2*len(originals))
	for _, text := range originals {
		records = append(records, record{text: text, change: none})
	}
	var made [changes]int
	for i, text := range originals {
		c := change(i % int(changes))
		edited, err := c.edit(text)
		if err != nil {
			return err
		}
		if edited != text {
			records = append(records, record{edited, c})
			made[c]++
		}
	}
	fmt.Fprintf(out, "%d originals; copies: %d with another licence, %d without comments, %d with other names, "+
		"%d cut\n\n", len(originals), made[licence], made[comments], made[names], made[cut])
	t := markdown.New("rule", "another licence", "no comments", "other names", "cut", "originals removed")
	for _, rule := range rules {
		found, wrong, err := find(binary, temp, rule, records)
		if err != nil {
			return err
		}
		row := []any{"default"}
		if rule != "" {
			row[0] = "`" + rule + "`"
		}
		for c := range found {
			row = append(row, fmt.Sprintf("%.3f", float64(found[c])/float64(max(1, made[c]))))
		}
		t.Add(append(row, wrong)...)
	}
	t.Write(out)
	return nil
}

type record struct {
	text   string
	change change
}

// find counts the copies of each change that a rule removes, and the originals.
func find(binary, dir, rule string, all []record) (found [changes]int, wrong int, err error) {
	path := filepath.Join(dir, "records.jsonl")
	err = records.WriteEach(path, all, func(i int, r record) any {
		return map[string]any{"id": i, "text": r.text}
	})
	if err != nil {
		return found, 0, err
	}
	kept, err := program.Kept(binary, strings.Fields(rule), path)
	if err != nil {
		return found, 0, err
	}
	if len(kept) != len(all) {
		return found, 0, fmt.Errorf("%s: %d flags of %d records", rule, len(kept), len(all))
	}
	for i, k := range kept {
		switch c := all[i].change; {
		case k:
		case c == none:
			wrong++
		default:
			found[c]++
		}
	}
	return found, wrong, nil
}

// readOriginals returns files below a directory, in an order that is drawn.
func readOriginals(dir string, most int) (texts []string, err error) {
	var paths []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	var seen sets.Earlier
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if len(text) < 1000 || len(text) > 40_000 || strings.Contains(string(text), "DO NOT EDIT") ||
			!seen.AddUnlike(shinglesOf(string(text)), .5) {
			continue
		}
		if texts = append(texts, string(text)); len(texts) == most {
			break
		}
	}
	if len(texts) < 4 {
		return nil, fmt.Errorf("%s has %d files of Go that could be used: name another -dir", dir, len(texts))
	}
	return texts, nil
}
