package judge

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
)

// saying is what the command replies to texts in requests of some sizes, by kind 1 or 9 as it
// comes, and to a commit.
func saying(t *testing.T, rng *rand.Rand, texts []string, args ...string) ([]byte, error) {
	t.Helper()
	var c conversation
	for len(texts) > 0 {
		n := 1 + rng.IntN(min(20, len(texts)))
		kind := uint32(judgeAdd)
		if rng.IntN(3) == 0 {
			kind = judgeAlike
		}
		c.send(kind, 0, texts[:n]...)
		texts = texts[n:]
	}
	c.send(judgeCommit, 0)
	replies, err := c.judged(t, args...)
	all, _ := io.ReadAll(replies)
	return all, err
}

// daysOf are texts, many of which resemble earlier ones, more or less.
func daysOf(rng *rand.Rand, count int) (texts []string) {
	words := strings.Fields(fox + " " + other)
	for range count {
		text := fmt.Sprint("text ", rng.IntN(count/2), " ", strings.Join(words[:rng.IntN(len(words))], " "))
		if rng.IntN(4) == 0 {
			text = strings.TrimSuffix(text, "dog") + " and"
		}
		texts = append(texts, text)
	}
	return append(texts, "", "...")
}

// A run with a name gets the same replies again, to the byte, with any memory, after any other run.
func TestRunIsRepeated(t *testing.T) {
	for _, options := range []string{
		"--memory exact", "--memory bloom", "--memory auto --max-memory 20000", "--method dclm", "--sketch fracminhash",
		"--memory exact --keep-generations 3 --capacity 100", "--memory exact --verify containment --containment .8",
	} {
		t.Run(options, func(t *testing.T) {
			index := filepath.Join(t.TempDir(), "seen")
			run := func(name string, seed uint64, day []string) []byte {
				t.Helper()
				args := append(strings.Fields(options), "--index", index)
				if name != "" {
					args = append(args, "--run", name)
				}
				said, err := saying(t, rand.New(rand.NewPCG(seed, 1)), day, args...)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return said
			}
			rng := rand.New(rand.NewPCG(7, 3))
			days := [][]string{daysOf(rng, 150), daysOf(rng, 200), daysOf(rng, 130)}
			run("", 9, days[0])
			first, second := run("b", 1, days[1]), run("c", 2, days[2])
			run("", 8, days[2])
			for range 2 {
				if again := run("b", 1, days[1]); !bytes.Equal(again, first) {
					t.Errorf("again: %q, and at first: %q", again, first)
				}
				if again := run("c", 2, days[2]); !bytes.Equal(again, second) {
					t.Errorf("again: %q, and at first: %q", again, second)
				}
			}
			// other texts, more and fewer, are refused by name
			swapped := append(append([]string{}, days[1][1:]...), days[1][0])
			for name, day := range map[string][]string{
				"more": append(days[1][:len(days[1]):len(days[1])], fox), "fewer": days[1][:60], "swapped": swapped,
			} {
				args := append(strings.Fields(options), "--index", index, "--run", "b")
				_, err := saying(t, rng, day, args...)
				if err == nil || !strings.Contains(err.Error(), `the run "b" (run 1, `) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// Kinds that ask what is remembered, and that remember nothing, are refused in a run.
func TestRunAnswersWhatCanBeRepeated(t *testing.T) {
	for _, kind := range []uint32{judgeAsk, judgeNear, judgeSimilar} {
		for _, count := range []int{1, 100} {
			var c conversation
			c.send(kind, 1, strings.Split(strings.Repeat(fox+"|", count-1)+fox, "|")...)
			_, err := c.judged(t, "--index", filepath.Join(t.TempDir(), "seen"), "--run", "a")
			if err == nil || !strings.Contains(err.Error(), "no other answer could be repeated") {
				t.Errorf("kind %d, %d texts: %v", kind, count, err)
			}
		}
	}
}

// A run with another option that decides about verdicts is another one.
func TestRunHasItsOptions(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) error {
		_, err := saying(t, rand.New(rand.NewPCG(1, 1)), []string{fox, other}, args...)
		return err
	}
	if err := run("--index", filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	of := []string{"--index", filepath.Join(dir, "seen"), "--run", "a"}
	if err := run(of...); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"--against", filepath.Join(dir, "other")}, {"--max-record", "2MiB"}} {
		err := run(append(of, more...)...)
		if err == nil || !strings.Contains(err.Error(), "with no option that matters, and now it has "+more[0]) {
			t.Errorf("%v: %v", more, err)
		}
	}
}

// --run needs a place to keep verdicts, and one program whose texts it judges.
func TestRunNeeds(t *testing.T) {
	for args, says := range map[string]string{
		"--run a":                              "--run needs --index DIR",
		"--run a --index i --read-only":        "--run does not go with --read-only",
		"--run a --index i --listen unix:sock": "--run does not go with --listen",
		"--run= --index i":                     "--run needs a name",
	} {
		_, err := config.Parse(append([]string{"judge"}, strings.Fields(args)...), "test", io.Discard)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
