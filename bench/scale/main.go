// Command scale runs the program on a given number of records, each generated from its number, and
// reports what was removed wrongly, what was missed, and what it cost.
//
//	go build -o bin/mithril-stream . && cd bench && go run ./scale -records 1000000
//
// With -crowds the records are pages of sites, and it says how many of them each rule removes.
// With -growth it says how the time of a record grows with their number, for each rule that
// docs/choosing.md recommends.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// rule is the default of the program.
var rule = lsh.Banding{Bands: 32, Rows: 8, Votes: 8}

func main() {
	binary := program.Flag()
	records := flag.Uint64("records", 1_000_000, "how many there are; every tenth is a copy")
	only := regexp.MustCompile("")
	flag.TextVar(only, "only", only, "a regular expression for the names of the ways to run; all")
	limit := flag.String("limit", "1GiB", "--max-memory of the exact memory")
	crowded := flag.Bool("crowds", false, "have the records share much, up to -records of them")
	grows := flag.Bool("growth", false, "show how the time of each rule of docs/choosing.md grows up to -records")
	corpus := flag.String("corpus", "", "JSON Lines for -growth, in place of records that are made")
	const usage = "scale [-program PROGRAM] [-records N] [-only REGEXP] [-limit SIZE] [-crowds] " +
		"[-growth [-corpus FILE]]"
	program.Main(0, usage, func(dir string) error {
		switch {
		case *crowded:
			return crowds(*binary, dir, *records)
		case *grows:
			return growth(*binary, dir, *corpus, *records)
		}
		return measure(*binary, *records, only, *limit)
	})
}

// A way is one to run the program, or a command of it. INDEX is replaced by a new directory.
type way struct {
	name    string
	options []string
}

func ways(records uint64, limit string) []way {
	capacity := fmt.Sprint(records)
	return []way{
		{"planned", []string{"--capacity", capacity}},
		{"unplanned", nil},
		{"planned, on disk", []string{"--capacity", capacity, "--index", "INDEX"}},
		{"exact", []string{"--memory", "exact"}},
		{"exact, " + limit, []string{"--memory", "exact", "--index", "INDEX", "--max-memory", limit}},
		{"groups", []string{"groups"}},
	}
}

func measure(binary string, records uint64, only *regexp.Regexp, limit string) error {
	params := bloomlsh.Params{Bands: rule.Bands, Votes: rule.Votes, Capacity: records}
	fmt.Printf("%d records of %d words, every %dth a copy; by the model %.2g originals are removed, "+
		"and in brackets missed\n\n", records, words, oneInCopy, bloomlsh.ExpectedFalseRemovals(params, records))
	fmt.Println("| way | removed wrongly | missed, J = 1 | 35/37 | 34/38 | CPU, s | of the first | seconds " +
		"| index, B a record | peak, MB | disk, B a record |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	first := 0.0
	for _, w := range ways(records, limit) {
		if !only.MatchString(w.name) {
			continue
		}
		var r result
		err := program.InTemp(func(dir string) (err error) {
			r, err = w.run(binary, dir, records)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		first = cmp.Or(first, r.CPU)
		n := float64(records)
		fmt.Printf("| %s | %d | %s | %s | %s ", w.name, r.wrong(), r.missedOf(equal), r.missedOf(lastChanged),
			r.missedOf(endsChanged))
		fmt.Printf("| %.1f | %.2f | %.0f | %.1f | %.0f | %.1f |\n", r.CPU, r.CPU/first, r.took.Seconds(),
			float64(r.IndexBytes())/n, float64(r.PeakMemory)/1e6, float64(r.disk)/n)
	}
	return nil
}

// A result is what a run has come to.
type result struct {
	program.Stats
	tally
	took time.Duration
	disk int64 // bytes of the index
}

// missedOf says how many copies of a kind were missed, of how many, and how many by the model.
func (r result) missedOf(k kind) string {
	expected := float64(r.records[k]) * (1 - rule.Catch(similarity[k]))
	return fmt.Sprintf("%d of %d (%.3g)", r.missed(k), r.records[k], expected)
}

// run gives the program all records through a pipe.
func (w way) run(binary, dir string, records uint64) (r result, err error) {
	index, flags := filepath.Join(dir, "index"), filepath.Join(dir, "flags")
	var options []string
	for _, option := range w.options {
		options = append(options, strings.ReplaceAll(option, "INDEX", index))
	}
	options = append(options, "--flags", flags)
	in, out := io.Pipe()
	go func() { _ = out.CloseWithError(write(out, records)) }()
	defer in.Close()
	began := time.Now()
	if r.Stats, err = program.Run(binary, options, in); err != nil {
		return r, err
	}
	r.took = time.Since(began)
	if r.disk, err = sizeOf(index); err != nil {
		return r, err
	}
	file, err := os.Open(flags)
	if err != nil {
		return r, err
	}
	defer file.Close()
	r.tally, err = judge(file, records)
	return r, err
}

// sizeOf is how many bytes the files below a directory have; none if there is no directory.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return bytes, err
}
