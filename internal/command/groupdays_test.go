package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// However records are divided into days, and whatever compares them, the groups after the last day
// are the ones of one run over all of them. What is kept is what that run keeps, beside what was
// kept of groups that became one later, each of which is named once. Any day again says the same.
func TestGroupsOfDaysAreThoseOfOneRun(t *testing.T) {
	kinds := [][]string{
		{"--threshold", ".6"},
		{"--threshold", ".6", "--verify", "text"},
		{"--sketch", "simhash", "--distance", "12"},
		{"--sketch", "tlsh"},
		{"--sketch", "fracminhash", "--scale", "1", "--linkage", "single"},
	}
	if !testing.Short() {
		fixedseed.Quarter(t)
	}
	merged := 0
	rapid.Check(t, func(r *rapid.T) {
		merged += checkGroupDays(t, r, rapid.SampledFrom(kinds).Draw(r, "kind"))
	})
	if merged == 0 {
		t.Error("no group was ever merged")
	}
}

// checkGroupDays checks some days, and returns how many groups were merged.
func checkGroupDays(t *testing.T, r *rapid.T, options []string) int {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	group := func(inputs []string, out string, more ...string) {
		args := slices.Concat([]string{"groups", "-q", "--id", "id", "--annotate", "--clusters", in(out + ".c"), "-o",
			in(out)}, options, more, inputs)
		c, err := config.Parse(args, "", io.Discard)
		if err == nil {
			err = Run(context.Background(), c, files.Standard())
		}
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	var inputs []string
	day := func(out string) []string { return []string{"--index", in("idx"), "--merged", in(out + ".m")} }
	kept, merged, id := map[string]bool{}, map[string]bool{}, 0
	for i, records := range drawDays(r) {
		input, out := in(fmt.Sprint("in", i)), fmt.Sprint("out", i)
		inputs = append(inputs, input)
		var lines strings.Builder
		for _, text := range records {
			id++
			fmt.Fprintf(&lines, "{\"id\":%d,\"text\":%q}\n", id, text)
		}
		write(t, input, lines.String())
		group(inputs[i:], out, day(out)...)
		for _, name := range idsOf(t, in(out)) {
			kept[name] = true
		}
		for _, name := range mergedIn(t, in(out+".m")) {
			if merged[name] || !kept[name] {
				t.Fatalf("%s is merged, and was before, or was not kept", name)
			}
			merged[name] = true
			delete(kept, name)
		}
	}
	group(inputs, "all")
	last := fmt.Sprint("out", len(inputs)-1)
	if read(t, in("all.c")) != read(t, in(last+".c")) {
		t.Fatalf("%s\nby one run\n%s", read(t, in(last+".c")), read(t, in("all.c")))
	}
	want := idsOf(t, in("all"))
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(kept)); !slices.Equal(got, want) {
		t.Fatalf("%v are kept, by one run %v", got, want)
	}
	again := rapid.IntRange(0, len(inputs)-1).Draw(r, "again")
	out, before := fmt.Sprint("out", again), map[string]string{}
	for _, suffix := range []string{"", ".c", ".m"} {
		before[suffix] = read(t, in(out+suffix))
	}
	group(inputs[again:again+1], out, day(out)...)
	for suffix, want := range before {
		if read(t, in(out+suffix)) != want {
			t.Fatalf("day %d is another one when it is given again", again+1)
		}
	}
	return len(merged)
}

// drawDays draws the texts of some days: longer and shorter parts of the same words, so that chains
// of similar ones come in any order; of 30, 42 and 60 words the second is similar to both others,
// which are not to each other. The last record of a day is one of its own, since days of equal
// records are one day.
func drawDays(r *rapid.T) (days [][]string) {
	for day := range rapid.IntRange(1, 4).Draw(r, "days") {
		var texts []string
		for range rapid.IntRange(0, 6).Draw(r, "records") {
			words := rapid.OneOf(rapid.SampledFrom([]int{30, 42, 60}), rapid.IntRange(30, 60)).Draw(r, "words")
			texts = append(texts, wordsOf(rapid.IntRange(1, 2).Draw(r, "kind"), words))
		}
		days = append(days, append(texts, wordsOf(10+day, 40)))
	}
	return days
}

func wordsOf(kind, words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%dx%d ", kind, i*i*7919%1009)
	}
	return b.String()
}

func idsOf(t *testing.T, path string) (ids []string) {
	for line := range strings.Lines(read(t, path)) {
		var record struct{ ID json.Number }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, record.ID.String())
	}
	return ids
}

func mergedIn(t *testing.T, path string) (ids []string) {
	for line := range strings.Lines(read(t, path)) {
		var m struct{ Merged []json.Number }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		for _, id := range m.Merged {
			ids = append(ids, id.String())
		}
	}
	return ids
}

func write(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
