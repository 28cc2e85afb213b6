// Command gold makes labelled records for `mithril-stream eval` of real documents: pages of HTML
// and PDF of Debian's packages, each read by several text extractors that people use. The texts of
// one document are its cluster. README.md says what is in them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "", "where packages, texts and the two sets go")
	records := flag.Int("records", 10_000, "records of each set")
	share := flag.Float64("share", .5, "of them, those that are duplicates")
	seed := flag.Uint64("seed", 1, "of every choice")
	flag.Parse()
	if err := run(*dir, *records, *share, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "gold:", err)
		os.Exit(1)
	}
}

func run(dir string, records int, share float64, seed uint64) error {
	if dir == "" || records < 100 || !(share > 0 && share < .9) {
		return fmt.Errorf("give -dir DIR, at least 100 -records, and a -share above 0 and below .9")
	}
	root, err := unpack(dir)
	if err != nil {
		return err
	}
	pages, err := findPages(root, seed)
	if err != nil {
		return err
	}
	firsts := records - int(share*float64(records)+.5)
	documents, err := readDocuments(dir, pages, 2*firsts)
	if err != nil {
		return err
	}
	if len(documents) < 2*firsts {
		return fmt.Errorf("of %d pages %d are documents of their own, and two sets need %d: ask for fewer records",
			len(pages), len(documents), 2*firsts)
	}
	for i, name := range []string{"tune.jsonl", "test.jsonl"} {
		path := filepath.Join(dir, name)
		if err := writeSet(path, documents[i*firsts:(i+1)*firsts], records, seed+uint64(i)); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}
