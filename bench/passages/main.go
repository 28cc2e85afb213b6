// Command passages says which rule finds short texts again that were changed a little: passages of
// texts, of some numbers of words, of which some come again as they were, cut, or with other words
// in them. It prints tables in Markdown.
//
// go run ./passages -program ../bin/mithril-stream [-words 12,40] [-rules chosen|all] FILE.jsonl...
//
// Of each FILE some texts give words out of their middle as passages, none of which shares half of
// its words with another. 600 of these come again: 200 as they were, 200 without 10 to 25 % of
// their words, at the beginning or at the end, and 200 with 15 % of their words replaced by words
// of other passages.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// A rule is a way to find them.
type rule struct {
	name    string
	options []string
}

// chosen are the rules of docs/choosing.md.
var chosen = []rule{
	{"default", nil},
	{"`--equal`", []string{"--equal", "--field", "text"}},
	{"`--preset paper`", []string{"--preset", "paper"}},
	{"`--preset starcoder`", []string{"--preset", "starcoder"}},
	{"`--preset logs`", []string{"--preset", "logs", "--field", "text"}},
	{"`--sketch fracminhash`", []string{"--sketch", "fracminhash"}},
	{"`--preset passages`", []string{"--preset", "passages"}},
	{"`--preset passages --memory exact`", []string{"--preset", "passages", "--memory", "exact"}},
}

// all are those that the preset was chosen from.
func all() (rules []rule) {
	for _, size := range []string{"1", "2"} {
		for _, threshold := range []string{".4", ".5", ".55", ".6", ".65", ".7", ".75", ".8"} {
			for _, tune := range []string{"f1", "f2"} {
				options := []string{"--shingle-size", size, "--threshold", threshold, "--tune", tune}
				rules = append(rules, rule{strings.Join(options, " "), options})
			}
		}
	}
	return rules
}

// planted is how many passages come again with each change.
const planted = 200

// kinds of changes, in the order of the columns.
var kinds = []string{"exact", "cut", "reworded"}

func main() {
	binary := program.Flag()
	words := flag.String("words", "12,40,120", "how many words passages have")
	passages := flag.Int("passages", 1500, "how many passages there are")
	which := flag.String("rules", "chosen", "chosen or all")
	program.Main(-1, "", func(dir string) error {
		rules := chosen
		if *which == "all" {
			rules = all()
		}
		if flag.NArg() == 0 {
			return errors.New("passages: name files of JSON Lines with the member text")
		}
		return run(*binary, *words, dir, *passages, rules, flag.Args())
	})
}

func run(binary, words, dir string, passages int, rules []rule, paths []string) error {
	sums := make([]found, len(rules))
	for n := range strings.SplitSeq(words, ",") {
		size, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		for _, path := range paths {
			texts, err := records.Read[struct{ Text string }](path)
			if err != nil {
				return err
			}
			lines := plant(texts, size, passages)
			if len(lines) < passages+len(kinds)*planted {
				return fmt.Errorf("%s has not %d passages of %d words: give fewer -passages or -words", path, passages,
					size)
			}
			fmt.Printf("%s, %d passages of %d words, %d of each change\n\n", filepath.Base(path), passages, size,
				planted)
			t := markdown.New(append([]string{"rule"}, append(kinds, "others removed")...)...)
			for i, r := range rules {
				f, err := find(binary, dir, r, lines)
				if err != nil {
					return err
				}
				sums[i].add(f)
				t.Add(f.row(r.name)...)
			}
			t.Write(os.Stdout)
		}
	}
	fmt.Printf("all of them\n\n")
	t := markdown.New("rule", "exact", "cut", "reworded", "others removed", "F1")
	for i, r := range rules {
		t.Add(append(sums[i].row(r.name), fmt.Sprintf("%.4f", sums[i].f1()))...)
	}
	t.Write(os.Stdout)
	return nil
}

// found is how many passages were removed: of each change, and others.
type found struct {
	of     [3]int
	wrong  int
	copies int // planted of each change
}

func (f *found) add(other found) {
	for i := range f.of {
		f.of[i] += other.of[i]
	}
	f.wrong += other.wrong
	f.copies += other.copies
}

func (f found) row(name string) []any {
	return []any{name, f.of[0], f.of[1], f.of[2], f.wrong}
}

func (f found) f1() float64 {
	right := f.of[0] + f.of[1] + f.of[2]
	return 2 * float64(right) / float64(right+f.wrong+3*f.copies)
}

// A line is a passage, and what was done to it: an index of kinds, or -1.
type line struct {
	text string
	kind int
}

// plant takes passages out of the middle of texts, and has some come again, changed, anywhere after
// all of them.
func plant(texts []struct{ Text string }, size, passages int) (lines []line) {
	rng := rand.New(rand.NewPCG(44, uint64(size)))
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	var taken [][]string
	var sets []map[string]bool
	for _, text := range texts {
		words := strings.Fields(text.Text)
		if len(words) < 2*size || len(taken) == passages {
			continue
		}
		passage := words[size/2 : size/2+size]
		if set := setOf(passage); !resembles(set, sets) {
			taken, sets = append(taken, passage), append(sets, set)
		}
	}
	for _, passage := range taken {
		lines = append(lines, line{strings.Join(passage, " "), -1})
	}
	first := len(lines)
	for i, n := range rng.Perm(len(taken))[:min(len(taken), len(kinds)*planted)] {
		kind := i % len(kinds)
		lines = append(lines, line{strings.Join(changed(rng, kind, taken[n], taken), " "), kind})
	}
	again := lines[first:]
	rng.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	return lines
}

func changed(rng *rand.Rand, kind int, words []string, others [][]string) []string {
	words = append([]string(nil), words...)
	switch kinds[kind] {
	case "cut":
		n := max(1, int(float64(len(words))*(.1+.15*rng.Float64())))
		if rng.IntN(2) == 0 {
			return words[n:]
		}
		return words[:len(words)-n]
	case "reworded":
		for _, at := range rng.Perm(len(words))[:max(1, len(words)*15/100)] {
			other := others[rng.IntN(len(others))]
			words[at] = other[rng.IntN(len(other))]
		}
	}
	return words
}

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[strings.ToLower(w)] = true
	}
	return set
}

// resembles reports whether a set shares half of its words with one of the others.
func resembles(set map[string]bool, others []map[string]bool) bool {
	for _, other := range others {
		common := 0
		for w := range set {
			if other[w] {
				common++
			}
		}
		if 2*common >= len(set) {
			return true
		}
	}
	return false
}

// find has the program remove duplicates, and counts them.
func find(binary, dir string, r rule, lines []line) (f found, err error) {
	path := filepath.Join(dir, "in.jsonl")
	err = records.WriteEach(path, lines, func(_ int, l line) any { return map[string]string{"text": l.text} })
	if err != nil {
		return f, err
	}
	kept, err := program.Kept(binary, r.options, path)
	if err != nil {
		return f, fmt.Errorf("%s: %w", r.name, err)
	}
	for i, l := range lines {
		switch {
		case !kept[i] && l.kind < 0:
			f.wrong++
		case !kept[i]:
			f.of[l.kind]++
		}
		if l.kind == 0 {
			f.copies++
		}
	}
	return f, nil
}
