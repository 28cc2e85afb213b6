package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// A corpus with better copies is what a model makes of it, that goes through all records of some
// days. Texts are equal or have nothing in common, so that the model need not compare them.
func TestSwapsAreThoseOfAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "swaps")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := func(name string) string { return filepath.Join(dir, name) }
		withIDs := rapid.Bool().Draw(t, "ids")
		rule := rapid.SampledFrom([]string{"max:r", "min:r", "last"}).Draw(t, "rule")
		run := func(args ...string) {
			t.Helper()
			c, err := config.Parse(args, "test", nil)
			if err == nil {
				err = Run(context.Background(), c, files.Standard())
			}
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
		}
		m := swapModel{rule: rule, best: map[int]swapRecord{}}
		var days, flags, swaps []string
		for day := range rapid.IntRange(1, 3).Draw(t, "days") {
			name := fmt.Sprint("day", day, ".jsonl")
			var lines strings.Builder
			for i := range rapid.IntRange(1, 12).Draw(t, "records") {
				least := -1 // no rank
				if day == 0 && i == 0 {
					least = 0 // a field that no record has is refused
				}
				lines.WriteString(m.add(rapid.IntRange(0, 4).Draw(t, "text"), rapid.IntRange(least, 3).Draw(t, "rank")))
			}
			if err := os.WriteFile(path(name), []byte(lines.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			days = append(days, path(name))
			flags, swaps = append(flags, path(name+".flags")), append(swaps, path(name+".counts.jsonl"))
			args := []string{"-q", "--memory", "exact", "--index", path("idx"), "--flags", flags[day],
				"--counts", swaps[day], "--prefer", rule, "-o", path(name + ".kept"), days[day]}
			if withIDs {
				args = append(args, "--id", "id")
			}
			run(args...)
			if rapid.Bool().Draw(t, "again") {
				run(args...)
			}
		}
		join(t, path("flags"), flags)
		join(t, path("swaps"), swaps)
		args := append([]string{"apply", "-q", "--flags", path("flags"), "--swaps", path("swaps"),
			"-o", path("best")}, days...)
		if withIDs {
			args = append(args, "--id", "id")
		}
		run(args...)
		got, err := os.ReadFile(path("best"))
		if err != nil {
			t.Fatal(err)
		}
		if want := m.corpus(); string(got) != want {
			t.Fatalf("got\n%swant\n%s", got, want)
		}
	})
}

// A swapModel is the best record of each text, in the order in which texts came.
type swapModel struct {
	rule    string
	order   []int
	best    map[int]swapRecord
	records int
}

type swapRecord struct {
	rank int // -1 for none
	line string
}

// add returns the line of a record.
func (m *swapModel) add(text, rank int) string {
	m.records++
	line := fmt.Sprintf(`{"id":"%d","text":"%s"`, m.records, strings.Repeat(fmt.Sprint("word", text, " "), 3))
	if rank >= 0 {
		line += fmt.Sprintf(`, "r": %d`, rank)
	}
	r := swapRecord{rank, line + "}\n"}
	before, isThere := m.best[text]
	switch {
	case !isThere:
		m.order = append(m.order, text)
	case m.rule == "max:r" && rank <= before.rank:
		return r.line
	case m.rule == "min:r" && (rank < 0 || before.rank >= 0 && rank >= before.rank):
		return r.line
	}
	m.best[text] = r
	return r.line
}

func (m *swapModel) corpus() (all string) {
	for _, text := range m.order {
		all += m.best[text].line
	}
	return all
}

func join(t *rapid.T, to string, from []string) {
	var all []byte
	for _, path := range from {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, content...)
	}
	if err := os.WriteFile(to, all, 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzSwapList has no line do more harm than an error.
func FuzzSwapList(f *testing.F) {
	f.Add([]byte(`{"id":"a","size":2,"best":"b","rank":1,"best_rank":2}` + "\n" + `{"id":7,"size":2,"best":8}`))
	f.Add([]byte("a\t2\tb\t1\t2\n"))
	f.Add([]byte(`{"id":"a","best":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l := &swapList{file: "swaps", byKept: map[string]*swap{}}
		if err := scanCountLines(l.file, bytes.NewReader(text), l.add); err != nil {
			if !strings.HasPrefix(err.Error(), "swaps:") {
				t.Fatal(err)
			}
			return
		}
		for key, s := range l.byKept {
			if nameKey([]byte(s.kept)) != key || !json.Valid([]byte(s.kept)) || !json.Valid([]byte(s.better)) {
				t.Fatalf("%q: %+v", key, s)
			}
		}
	})
}
