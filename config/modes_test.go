package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// valueFor has a valid value for each flag that does not accept arbitrary text.
var valueFor = map[string]string{
	"--threshold": ".7", "--recall": ".9", "--num-perm": "64", "--bands": "4", "--rows": "4", "--votes": "2",
	"--seed": "5", "--shingle-size": "3", "--tokenize": "char", "--fp-rate": ".001", "--keep-generations": "3",
	"--forget-after": "1d", "--max-memory": "1GiB", "--capacity": "5", "--parts": "5", "--overlap": ".5",
	"--undo-runs": "2", "--keep-runs": "2", "--audit": "5", "--action": "drop-record", "--memory": "exact",
	"--verify": "text", "--on-full": "grow", "--filter": "paged", "--remember": "all", "--repeat": "judge",
	"--markup": "html", "--band-key": "sum", "--tune": "f1", "--checkpoint": "5", "--containment": ".8",
	"--method": "dolma", "--preset": "lee2021", "--pooling": "mean", "--sketch": "datasketch",
	"--read-only": "", "--resume": "", "--equal": "", "--overwrite": "", "--annotate": "",
}

// askedBy lists the flags that select each mode, with all those that the mode requires. No flag is
// given twice.
var askedBy = []struct {
	mode mode
	args string
}{
	{bySimHash, "--sketch simhash"}, {byTLSH, "--sketch tlsh"}, {bySamples, "--sketch fracminhash"},
	{byEmbedding, "--sketch embedding --model m"}, {byVectors, "--sketch embedding --vector v"},
	{byTokens, "--tokens t"}, {byEquality, "--equal"}, {byKey, "--key k"}, {byParts, "--method ccnet"},
	{inKeys, "--key k --memory exact"}, {inSet, "--method dolma --memory exact"},
	{inExact, "--memory exact"}, {inBoth, "--memory auto --max-memory 1GiB"},
	{ofKinds, "--every 5s"}, {withKinds, "--rate 5/1m"}, {readOnly, "--read-only --index i"},
	{withCounts, "--memory exact --counts c"}, {withEdits, "--method dolma --action cut"},
	{withAudit, "--audit 5 --report r f"}, {overDays, "groups --index i f"}, {inBloom, "--memory bloom"},
}

// betweenTopics lists flags that only the Kafka consumer has.
var betweenTopics = []string{"--counts-to", "--original-header", "--similarity-header"}

const consumer = "kafka --brokers b:1 --group g --from a --to b --duplicates-to c --index i"

// TestModesRefuse checks that all combinations in the table are rejected, and that an equivalent
// way to ask for the same run is not.
func TestModesRefuse(t *testing.T) {
	for _, m := range askedBy {
		if _, err := Parse(strings.Fields(m.args), "test", io.Discard); err != nil {
			t.Errorf("%s: %v", m.args, err)
		}
		for _, flag := range m.mode.refuses() {
			value, known := valueFor[flag]
			if !known {
				value = "x"
			}
			args := strings.Fields(m.args)
			if slices.Contains(betweenTopics, flag) {
				args = append(strings.Fields(consumer), args...)
			}
			if args = append(args, flag); value != "" {
				args = append(args, value)
			}
			if _, err := Parse(args, "test", io.Discard); err == nil {
				t.Errorf("%s: accepted", strings.Join(args, " "))
			} else if strings.Contains(err.Error(), "unknown flag") {
				t.Errorf("the table has %s, and no flag is called so", flag)
			}
		}
	}
}

// TestEachModeIsAsked checks that askedBy covers every mode and that no two modes are described in
// the same words.
func TestEachModeIsAsked(t *testing.T) {
	table, err := os.ReadFile("modes.go")
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(table), "= mode{"); rows != len(askedBy) {
		t.Errorf("the table has %d modes, and %d are asked for", rows, len(askedBy))
	}
	seen := map[string]bool{}
	for _, m := range askedBy {
		if seen[m.mode.does] {
			t.Errorf("two modes do so: %s", m.mode.does)
		}
		seen[m.mode.does] = true
	}
}

// TestDeclarationsNameModes checks that declarations name existing modes, and that every mode is
// named.
func TestDeclarationsNameModes(t *testing.T) {
	known := []string{byPrefix, ofSketches}
	for _, m := range askedBy {
		known = append(known, m.mode.name)
	}
	for name, flags := range refusals() {
		if !slices.Contains(known, name) {
			t.Errorf("%q have no meaning in %q, which is no mode", flags, name)
		}
	}
	for _, name := range known {
		if len(refusals()[name]) < 2 {
			t.Errorf("the mode %q refuses %q", name, refusals()[name])
		}
	}
}

// TestNeedsNameFlags checks that the flags and values in needs tags exist in some command.
func TestNeedsNameFlags(t *testing.T) {
	names, needed := map[string]bool{}, map[string]string{}
	for _, c := range append([]string{""}, commandNames()...) {
		parser := newParser(strings.Fields(c), "test", io.Discard, func(int) {})
		var walk func(n *kong.Node)
		walk = func(n *kong.Node) {
			for _, f := range n.Flags {
				names["--"+f.Name] = true
				needs, why, _ := strings.Cut(f.Tag.Get("needs"), ": ")
				if needs != "" && why == "" {
					t.Errorf("--%s does not say why it needs %s", f.Name, needs)
				}
				for other := range strings.SplitSeq(needs, "|") {
					if name, _, _ := strings.Cut(other, " "); name != "" {
						needed[name] = f.Name
					}
				}
			}
			for _, child := range n.Children {
				walk(child)
			}
		}
		walk(parser.Model.Node)
	}
	for name, by := range needed {
		if !names[name] {
			t.Errorf("--%s needs %s, and no flag is called so", by, name)
		}
	}
	if len(needed) < 10 || !slices.Contains(commandNames(), "groups") {
		t.Errorf("only %d flags are needed", len(needed))
	}
}

// TestCombinationsAgree checks docs/reference/combinations.md against the flags that each mode
// rejects, and the reasons.
func TestCombinationsAgree(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/combinations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range askedBy {
		row := fmt.Sprintf("| `%s` | %s | `%s` |", m.args, m.mode.does, strings.Join(m.mode.refuses(), "`, `"))
		if !strings.Contains(string(page), "\n"+row+"\n") {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
	for _, of := range valueLacks {
		for _, m := range of.modes {
			i := slices.IndexFunc(askedBy, func(by struct {
				mode mode
				args string
			}) bool {
				return by.mode == m
			})
			row := fmt.Sprintf("| `%s` | `%s` | %s | %s |", askedBy[i].args, of.flag,
				strings.ReplaceAll(of.values, "|", " or "), of.why)
			if !strings.Contains(string(page), "\n"+row+"\n") {
				t.Errorf("the page lacks the row\n%s", row)
			}
		}
	}
	for name, of := range lacks {
		if row := fmt.Sprintf("| %s | %s |", name, of.why); !strings.Contains(string(page), row) {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
}

// TestModesRefuseValues checks that exactly the values that a mode does not allow are rejected.
func TestModesRefuseValues(t *testing.T) {
	for _, of := range valueLacks {
		values, others := strings.CutPrefix(of.values, "not ")
		for _, m := range of.modes {
			refused := map[string]bool{"": false, "other": others}
			for value := range strings.SplitSeq(values, "|") {
				refused[value] = !others
			}
			for value, is := range refused {
				if err := m.checkValue("it", of.flag, value); (err != nil) != is {
					t.Errorf("%s: %s %q: %v", m.name, of.flag, value, err)
				}
			}
			for _, by := range askedBy {
				if by.mode != m {
					continue
				}
				value := strings.Split(values, "|")[0]
				if others {
					value = map[string]string{"--memory": "bloom", "--keep": "longest"}[of.flag]
				}
				args := append(strings.Fields(by.args), of.flag, value)
				if _, err := Parse(args, "test", io.Discard); err == nil ||
					!strings.Contains(err.Error(), "does not go with") {
					t.Errorf("%s: %v", strings.Join(args, " "), err)
				}
			}
		}
	}
}
