// Command logs says how well lines of logs are recognised whose templates are known, and what that
// costs. It prints tables in Markdown.
//
// go run ./logs -program ../bin/mithril-stream [-drain PYTHON] FILE.jsonl
//
// A line of FILE has the members text, the message of a line of a log; line, the whole line;
// cluster, the template that it was made by; and id, which begins with the name of the system and a
// colon. A message should be removed if one of its template came before. With -drain, an
// interpreter that has drain3, the same is asked of Drain3, which tells templates as they come.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// rules are what is compared.
var rules = []struct {
	name    string
	options []string
}{
	{"default", nil},
	{"`--equal`", []string{"--equal", "--field", "text"}},
	{"`--normalize nfkc-fold,numbers`", []string{"--normalize", "nfkc-fold,numbers"}},
	{"the same, single words at 0.6",
		[]string{"--normalize", "nfkc-fold,numbers", "--shingle-size", "1", "--threshold", ".6"}},
	{"`--preset logs`", []string{"--preset", "logs", "--field", "text"}},
	{"`--preset logs --memory exact`", []string{"--preset", "logs", "--field", "text", "--memory", "exact"}},
}

type message struct{ ID, Text, Line, Cluster string }

func (m message) system() string { system, _, _ := strings.Cut(m.ID, ":"); return system }

func main() {
	onlyLatency := flag.Bool("latency", false, "measure only how long lines are under way, of which no FILE is needed")
	binary := program.Flag()
	drain := flag.String("drain", "", "a Python interpreter that has drain3")
	program.Main(-1, "", func(dir string) error {
		switch {
		case *onlyLatency:
			return latency(*binary)
		case flag.NArg() != 1:
			return errors.New("logs: name one file of JSON Lines with the members id, text, line and cluster")
		}
		return run(*binary, *drain, flag.Arg(0), dir)
	})
}

func run(binary, drain, path, dir string) error {
	messages, err := records.Read[message](path)
	if err != nil {
		return err
	}
	var systems []string
	for _, m := range messages {
		if !slices.Contains(systems, m.system()) {
			systems = append(systems, m.system())
		}
	}
	t := markdown.New(append([]string{"rule", "F1", "wrong", "missed"}, systems...)...)
	for _, r := range rules {
		kept, err := program.Kept(binary, r.options, path)
		if err != nil {
			return err
		}
		t.Add(scored(r.name, messages, kept, systems)...)
	}
	if drain != "" {
		kept, err := drained(drain, path, filepath.Join(dir, "flags"))
		if err != nil {
			return err
		}
		t.Add(scored("Drain3", messages, kept, systems)...)
	}
	fmt.Printf("%d messages\n\n", len(messages))
	t.Write(os.Stdout)
	if err := speed(binary, drain, dir, messages); err != nil {
		return err
	}
	return latency(binary)
}

// scored is a row: F1 of removals over all systems, what was removed wrongly and not, and F1 of
// each.
func scored(name string, messages []message, kept []bool, systems []string) []any {
	seen := map[string]bool{}
	type counts struct{ right, wrong, missed int }
	all, of := counts{}, map[string]*counts{}
	for _, s := range systems {
		of[s] = &counts{}
	}
	for i, m := range messages {
		for _, c := range []*counts{&all, of[m.system()]} {
			switch {
			case seen[m.Cluster] && !kept[i]:
				c.right++
			case seen[m.Cluster]:
				c.missed++
			case !kept[i]:
				c.wrong++
			}
		}
		seen[m.Cluster] = true
	}
	f1 := func(c counts) string {
		return fmt.Sprintf("%.4f", 2*float64(c.right)/float64(2*c.right+c.wrong+c.missed))
	}
	row := []any{name, f1(all), fmt.Sprint(all.wrong), fmt.Sprint(all.missed)}
	for _, s := range systems {
		row = append(row, f1(*of[s]))
	}
	return row
}
