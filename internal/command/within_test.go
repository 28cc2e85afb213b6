package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/groups"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
)

// withinMethods are ways to compare records that --within goes with.
var withinMethods = map[string]string{
	"Bloom filters":         "",
	"classic Bloom filters": "--filter classic",
	"one vote":              "--filter paged --votes 1",
	"signatures":            "--memory exact",
	"sets":                  "--memory exact --verify text",
	"containment":           "--memory exact --verify containment",
	"signatures, spilling":  "--memory exact --max-memory 64MiB",
	"auto":                  "--memory auto --max-memory 1GiB",
	"SimHash":               "--sketch simhash",
	"SimHash of 128 bits":   "--sketch simhash --bits 128",
	"digests":               "--sketch tlsh",
	"samples":               "--sketch fracminhash",
	"samples of sets":       "--sketch fracminhash --verify text",
	"samples in either":     "--sketch fracminhash --contained either --scale 4",
	"equal texts":           "--equal --field text --memory bloom",
	"equal texts, exactly":  "--equal --field text",
	"keys":                  "--key text",
	"paragraphs":            "--method ccnet",
	"paragraphs, exactly":   "--method ccnet --memory exact",
	"n-grams":               "--method dclm",
	"sampled n-grams":       "--method dclm --scale 4",
	"vectors":               "--sketch embedding --vector v",
	"kinds":                 "--every 1h --time at",
	"kinds at a rate":       "--rate 2/1h --time at --max-kinds 500",
}

// withinValues are values of a field as JSON. The second is written in two ways; the last means
// that the field is absent.
var withinValues = [][]string{{`"de"`}, {`"é"`, `"\u00e9"`}, {`"1"`}, {`1`}, {`""`}, {""}}

// withinRecords draws records with copies and near copies of a few texts, and vectors as near each
// other, one each minute. Each text comes with all values. It returns all of them, and those of
// each value.
func withinRecords() (all []byte, divided [][]byte) {
	rng := rand.New(rand.NewPCG(11, 0))
	divided = make([][]byte, len(withinValues))
	for i := range 600 {
		words, text := []string(nil), rng.IntN(40)
		for n := range 4 {
			words = append(words, strings.Fields(unlikeWords(4*text+n))...)
		}
		vector := make([]int, 9)
		for n := range vector {
			vector[n] = (text*text*(n+3)+7*text*n+n*n*n)%41 - 20
		}
		if rng.IntN(2) == 0 {
			words[rng.IntN(len(words))] = "other"
			vector[rng.IntN(len(vector))] += 2
		}
		at := rng.IntN(len(withinValues))
		member := withinValues[at][rng.IntN(len(withinValues[at]))]
		if member != "" {
			member = `,"lang":` + member
		}
		record := fmt.Sprintf(`{"id":%d,"text":%q%s,"v":%s,"at":"2026-01-01T%02d:%02d:00Z"}`+"\n",
			i, strings.Join(words, " "), member, strings.ReplaceAll(fmt.Sprint(vector), " ", ","), i/60, i%60)
		all, divided[at] = append(all, record...), append(divided[at], record...)
	}
	return all, divided
}

// TestWithin: a run with --within keeps of the records of each value what a run over these alone
// keeps, whatever it compares, in one go and in two runs with an index.
func TestWithin(t *testing.T) {
	all, divided := withinRecords()
	for name, args := range third(withinMethods) {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-q"}, strings.Fields(args)...)
			var want []string
			for _, records := range divided {
				want = append(want, linesOf(filteredBy(t, records, args...))...)
			}
			confined := append(slices.Clone(args), "--within", "lang")
			whole := filteredBy(t, all, confined...)
			got := linesOf(whole)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d records are kept, %d want", len(got), len(want))
			}
			if len(got) <= len(linesOf(filteredBy(t, all, args...))) {
				t.Error("the values make no difference")
			}
			if strings.Contains(name, "exactly") && strings.HasPrefix(name, "par") || strings.HasPrefix(name, "auto") ||
				strings.HasPrefix(name, "kinds") {
				return // has no index, or one that depends on its limit
			}
			half := bytes.LastIndexByte(all[:len(all)/2], '\n') + 1
			confined = append(confined, "--index", filepath.Join(t.TempDir(), "index"))
			first := filteredBy(t, all[:half], confined...)
			if both := slices.Concat(first, filteredBy(t, all[half:], confined...)); !bytes.Equal(both, whole) {
				t.Error("two runs with an index keep other records than one")
			}
		})
	}
}

// groupedWithin are ways to group records that --within goes with.
var groupedWithin = map[string]string{
	"signatures":   "--keep last",
	"sets":         "--verify text",
	"containment":  "--verify containment",
	"with a limit": "--max-memory 64MiB",
	"SimHash":      "--sketch simhash",
	"digests":      "--sketch tlsh --keep longest",
	"samples":      "--sketch fracminhash --linkage single",
	"leaders":      "--linkage leader",
	"equal texts":  "--equal --field text",
	"keys":         "--key text --keep max:id",
	"vectors":      "--sketch embedding --vector v --keep last",
	"led vectors":  "--sketch embedding --vector v --linkage leader",
}

// TestGroupsWithin checks that groups with --within equal the groups of each value alone, in one
// run and over two days.
func TestGroupsWithin(t *testing.T) {
	all, divided := withinRecords()
	for name, args := range third(groupedWithin) {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"groups", "-q"}, strings.Fields(args)...)
			var want []string
			for _, records := range divided {
				want = append(want, linesOf(filteredBy(t, records, args...))...)
			}
			confined := append(slices.Clone(args), "--within", "lang")
			got := linesOf(filteredBy(t, all, confined...))
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d records are kept, %d want", len(got), len(want))
			}
			if len(got) <= len(linesOf(filteredBy(t, all, args...))) {
				t.Error("the values make no difference")
			}
			if !slices.Contains([]string{"sets", "SimHash", "digests", "samples", "equal texts", "vectors"}, name) {
				return
			}
			dir := t.TempDir()
			days := func(records []byte, args []string, name string) []byte {
				clusters := filepath.Join(dir, name+".jsonl")
				args = append(slices.Clone(args), "--id", "id", "--clusters", clusters)
				isKeep := func(a string) bool { return a == "--keep" || a == "longest" || a == "last" }
				filteredBy(t, records, slices.DeleteFunc(args, isKeep)...)
				found, err := os.ReadFile(clusters)
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			half := bytes.LastIndexByte(all[:len(all)/2], '\n') + 1
			indexed := append(slices.Clone(confined), "--index", filepath.Join(dir, "index"))
			days(all[:half], indexed, "first")
			if whole := days(all, confined, "whole"); !bytes.Equal(whole, days(all[half:], indexed, "second")) {
				t.Error("two days with an index have other groups than one run")
			}
		})
	}
}

// pairedWithin are ways to find pairs that --within goes with.
var pairedWithin = map[string]string{
	"sets":          "",
	"in blocks":     "--max-memory 300KiB",
	"bands":         "--candidates lsh",
	"bands alone":   "--candidates lsh --unverified --bands 8 --rows 2",
	"several votes": "--candidates lsh --bands 8 --rows 2 --votes 2",
}

// isLate reports whether a record is in the second half of withinRecords.
func isLate(record []byte) bool {
	var of struct{ ID int }
	return json.Unmarshal(record, &of) == nil && of.ID >= 300
}

// TestPairsWithin checks that pairs with --within equal the pairs of each value alone, within one
// input and against another.
func TestPairsWithin(t *testing.T) {
	all, divided := withinRecords()
	path := filepath.Join(t.TempDir(), "others.jsonl")
	paired := func(records []byte, args []string, against bool) []string {
		args = append([]string{"pairs", "-q", "--id", "id", "--to", "jsonl"}, args...)
		if against {
			if err := os.WriteFile(path, records, 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, "--against", path)
			records = bytes.Join(slices.DeleteFunc(bytes.SplitAfter(records, []byte("\n")), isLate), nil)
		}
		return linesOf(filteredBy(t, records, args...))
	}
	for name, args := range third(pairedWithin) {
		for _, against := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, against others %v", name, against), func(t *testing.T) {
				args := strings.Fields(args)
				var want []string
				for _, records := range divided {
					want = append(want, paired(records, args, against)...)
				}
				got := paired(all, append(slices.Clone(args), "--within", "lang"), against)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%d pairs are found, %d want", len(got), len(want))
				}
				if len(got) >= len(paired(all, args, against)) || len(got) < 100 {
					t.Errorf("%d pairs: the values make no difference, or there are no pairs", len(got))
				}
			})
		}
	}
}

func linesOf(records []byte) []string {
	return strings.Split(strings.TrimSuffix(string(records), "\n"), "\n")
}

// filteredBy is what the filter keeps of records.
func filteredBy(t *testing.T, records []byte, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(in, records, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, err := config.Parse(append(slices.Clone(args), in, "-o", out), "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	std := files.Streams{In: os.Stdin, Out: files.StdoutOf(os.Stdout), Err: os.Stderr}
	switch c := cmd.(type) {
	case *config.Filter:
		std = reading(t.Context(), std, true, c.Input.MaxWindow, c.Input.Remote)
		err = run.Filter(t.Context(), c, taskFor(c), std)
	case *config.Groups:
		std = reading(t.Context(), std, true, c.Filter.Input.MaxWindow, c.Filter.Input.Remote)
		err = groups.Run(t.Context(), c, std)
	case *config.Pairs:
		std = reading(t.Context(), std, true, c.Filter.Input.MaxWindow, c.Filter.Input.Remote)
		err = runPairs(t.Context(), c, std)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestConsumersWithin: a consumer compares messages with those of the same value, also after it
// was restarted.
func TestConsumersWithin(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
	index := filepath.Join(t.TempDir(), "index")
	var parts [2][]*kgo.Record
	for i, lang := range []string{`"de"`, `"en"`, `"de"`, `"fr"`, `"en"`, `"de"`} {
		r := kgo.StringRecord(fmt.Sprintf(`{"text":%q,"lang":%s}`, unlikeWords(1), lang))
		r.Topic = "from"
		parts[i/3] = append(parts[i/3], r)
	}
	end := kgo.StringRecord(fmt.Sprintf(`{"text":%q}`, unlikeWords(2))) // is kept, and so ends the test
	end.Topic = "from"
	parts[1] = append(parts[1], end)
	for number, part := range parts {
		if err := cluster.Write(ctx, part...); err != nil {
			t.Fatal(err)
		}
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := consumerConfig(t, address, index, []string{"--memory", "exact", "--within", "lang"})
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		topic, least := "removed", 1
		if number == 1 {
			topic, least = "to", 4 // de, en, fr and the last
		}
		ready := func(all []*kgo.Record) bool { return len(all) >= least }
		if _, err := cluster.ReadUntil(ctx, topic, ready); err != nil {
			t.Fatal(err)
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) {
			t.Fatal(err)
		}
	}
	compareRemoved(t, ctx, cluster, "[{original from/0:0} {similarity 1}]\n[{original from/0:1} {similarity 1}]\n"+
		"[{original from/0:0} {similarity 1}]\n")
}
