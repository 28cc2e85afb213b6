package chaos

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// day is a run with an index.
func day(options ...string) []string {
	return append([]string{"-q", "--capacity", "500", "--index", "idx"}, options...)
}

// alone is a run without one, which says what another one should have written.
func alone(options ...string) []string {
	return append([]string{"-q", "--capacity", "500"}, options...)
}

// undone takes back the last runs of the index.
func undone(runs int) []string { return []string{"index", "undo", "--runs", fmt.Sprint(runs), "idx"} }

var (
	verified  = []string{"index", "verify", "idx"}
	compacted = []string{"index", "compact", "idx"}
	anIndex   = []string{"idx"}
)

// exactly are the options of a memory of originals.
var exactly = []string{"--memory", "exact", "--id", "id"}

// counted are the options of a run that counts its groups.
func counted(options ...string) []string {
	options = slices.Concat(exactly, []string{"--count-by", "text"}, options)
	if !slices.Contains(options, "--counts") {
		options = append(options, "--counts", "c.jsonl")
	}
	return options
}

// againScenarios give inputs again that are nearly the same as earlier ones, and take runs back.
var againScenarios = []scenario{
	{name: "the same in other forms", commands: [][]string{
		day("../in/1.jsonl", "-o", "1.jsonl"),
		day("../in/2.jsonl", "-o", "2.jsonl"),
		day("../in/1.jsonl.gz", "-o", "1.jsonl"),
		day("<../in/2.jsonl.gz", "-o", "2.jsonl"),
		day("<../in/1.jsonl", "-o", "1.piped.jsonl", "--repeat", "replay"),
		day("../in/before", "-o", "1.directory.jsonl", "--repeat", "replay"),
		alone("../in/1.jsonl", "-o", "want.jsonl"),
		verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl", "want.jsonl"}, {"1.piped.jsonl", "want.jsonl"},
		{"1.directory.jsonl", "want.jsonl"}}},
	growing("grown", ".jsonl"),
	growing("grown with checkpoints", ".jsonl", "--checkpoint", "100", "--resume"),
	growing("grown table", ".csv", "--flags", "flags"),
	growing("grown and exact", ".jsonl", append(exactly, "--originals", "o.tsv")...),
	growing("grown and exact with checkpoints", ".jsonl", append(exactly, "--checkpoint", "100", "--resume")...),
	{name: "grown and counted", commands: [][]string{
		day(counted("../in/1.jsonl", "-o", "1.jsonl", "--checkpoint", "100", "--resume")...),
		day(counted("../in/12.jsonl", "-o", "1.jsonl", "--checkpoint", "100", "--resume")...),
		day(counted("../in/12.jsonl", "-o", "1.jsonl", "--checkpoint", "100", "--resume")...),
		alone(counted("../in/12.jsonl", "-o", "want.jsonl", "--counts", "want.c.jsonl")...), verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl", "want.jsonl"}, {"c.jsonl", "want.c.jsonl"}}, once: true},
	{name: "a file more", commands: [][]string{
		day("../in/before", "-o", "1.jsonl.gz", "--duplicates", "dup.jsonl"),
		day("../in/after", "-o", "1.jsonl.gz", "--duplicates", "dup.jsonl"),
		day("../in/after", "../in/more.jsonl", "-o", "more.jsonl"),
		alone("../in/after", "-o", "want.jsonl.gz"), verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl.gz", "want.jsonl.gz"}}, once: true},
	{name: "grown by a pipe", commands: [][]string{
		day("<../in/1.jsonl", "-o", "1.jsonl"),
		day("<../in/12.jsonl.gz", "-o", "1.jsonl"),
		alone("../in/12.jsonl", "-o", "want.jsonl"),
		verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl", "want.jsonl"}}, once: true},
	undoing("undo", nil),
	undoing("undo with checkpoints", nil, "--checkpoint", "100", "--resume"),
	undoing("undo and exact", nil, append(exactly, "--originals", "o.tsv")...),
	undoing("undo and exact by texts", nil, append(exactly, "--verify", "text", "--checkpoint", "100", "--resume")...),
	undoing("undo after a fold", [][]string{compacted}),
	undoing("undo after a fold and exact", [][]string{compacted}, exactly...),
	undoing("undo of counts", [][]string{compacted}, append(exactly, "--counts", "c.tsv", "--count-by", "text",
		"--checkpoint", "100", "--resume")...),
	undoing("undo of samples", [][]string{compacted}, "--sketch", "fracminhash", "--verify", "text"),
	undoing("undo of fingerprints", [][]string{compacted}, "--sketch", "simhash"),
	{name: "undo of a grown run", commands: [][]string{
		day(append(exactly, "../in/1.jsonl", "-o", "1.jsonl")...),
		day(append(exactly, "../in/12.jsonl", "-o", "1.jsonl", "--originals", "o.tsv")...),
		undone(1),
		day(append(exactly, "../in/12.jsonl.gz", "-o", "1.jsonl", "--originals", "o.tsv")...),
		alone("--memory", "exact", "--id", "id", "../in/12.jsonl", "-o", "want.jsonl", "--originals", "want.tsv"),
		verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl", "want.jsonl"}}, once: true},
	{name: "undo of two runs", commands: [][]string{
		day("../in/1.jsonl", "-o", "1.jsonl", "--undo-runs", "2"),
		day("../in/2.jsonl", "-o", "2.jsonl", "--undo-runs", "2"),
		compacted,
		undone(2),
		day("../in/1.jsonl", "-o", "1.jsonl", "--undo-runs", "2"),
		day("../in/2.jsonl", "-o", "2.jsonl", "--undo-runs", "2"),
		alone("../in/12.jsonl", "-o", "want.jsonl"),
		verified,
	}, indexes: anIndex, equal: [][2]string{{"1.jsonl+2.jsonl", "want.jsonl"}}, once: true},
	forgetting("forgetting and folds", nil),
	forgettingLines("forgetting by the times of lines"),
	forgetting("forgetting originals", nil, append(exactly, "--originals", "o.tsv")...),
	forgetting("forgetting originals by samples, and undo", [][]string{
		forgetful("../in/bad.times.jsonl", "-o", "3.jsonl", "--sketch", "fracminhash"), compacted, undone(1),
	}, "--sketch", "fracminhash"),
	forgetting("forgetting, folds and undo", [][]string{
		forgetful("../in/bad.times.jsonl", "-o", "3.jsonl"), compacted, undone(1),
	}),
}

// growing is an input that has grown when it is given again, with the same output.
func growing(name, suffix string, options ...string) scenario {
	run := func(input string, more ...string) []string {
		return day(slices.Concat([]string{"../in/" + input + suffix, "-o", "1" + suffix}, options, more)...)
	}
	return scenario{name: name, commands: [][]string{
		run("1"), run("12"), run("12"),
		alone("../in/12"+suffix, "-o", "want"+suffix), verified,
	}, indexes: anIndex, equal: [][2]string{{"1" + suffix, "want" + suffix}}, once: true}
}

// undoing is a day that is taken back, and done again otherwise: as if it had not been. Before it
// is taken back something else may be done with the index.
func undoing(name string, before [][]string, options ...string) scenario {
	run := func(input, out string) []string {
		return day(append([]string{"../in/" + input, "-o", out}, intoFiles(options, func(file string) string {
			return out + "." + file
		})...)...)
	}
	aside := intoFiles(options, func(file string) string { return "want." + file })
	if i := slices.Index(aside, "--checkpoint"); i >= 0 { // which is for an index
		aside = slices.Delete(aside, i, i+3)
	}
	commands := [][]string{run("1.jsonl", "1.jsonl"), run("bad.jsonl", "2.jsonl")}
	commands = append(commands, before...)
	commands = append(commands, undone(1), run("2.jsonl", "2.jsonl"),
		alone(append([]string{"../in/12.jsonl", "-o", "want.jsonl"}, aside...)...), verified)
	return scenario{name: name, commands: commands, indexes: anIndex, once: true,
		equal: [][2]string{{"1.jsonl+2.jsonl", "want.jsonl"}}}
}

// forgetful is a run with an index that forgets by the times of the records.
func forgetful(options ...string) []string {
	return forgettingBy("time", options...)
}

func forgettingBy(field string, options ...string) []string {
	return append([]string{"-q", "--capacity", "100", "--index", "idx", "--forget-after", "1d", "--time", field},
		options...)
}

// forgetting is an index that is folded when it has forgotten, and used on: each of the days
// forgets some of what the fold has.
func forgetting(name string, between [][]string, memory ...string) scenario {
	run := func(day string, more ...string) []string {
		of := intoFiles(memory, func(file string) string { return day + "." + file })
		return forgetful(slices.Concat([]string{"../in/" + day + ".times.jsonl", "-o", day + ".jsonl"}, of, more)...)
	}
	commands := [][]string{run("1"), compacted, run("2", "--checkpoint", "50", "--resume")}
	commands = append(commands, between...)
	commands = append(commands, verified, run("3"), compacted, run("4"), verified)
	return scenario{name: name, commands: commands, indexes: anIndex, once: len(between) > 0}
}

// forgettingLines is the same with lines of text, by a pipe, which gives them in parts. A third of
// them have no time, and none a year: New Year is in the second day.
func forgettingLines(name string) scenario {
	lines := func(year, day string, more ...string) []string {
		return forgettingBy("line:"+year, append(more, "--format", "text", "-o", day+".log",
			"<../in/"+day+".times.log")...)
	}
	return scenario{name: name, commands: [][]string{
		lines("2023", "1"), compacted, lines("2023", "2", "--checkpoint", "50", "--resume"), verified,
		lines("2024", "3", "--checkpoint", "20", "--resume"), compacted, lines("2024", "4"), verified,
	}, indexes: anIndex}
}

// writeGrown makes inputs that begin with those of the first day, and a day that is to be taken
// back: it has half of what the second one has.
func writeGrown(t *testing.T, dir string) {
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	both := slices.Concat(read("1.jsonl"), read("2.jsonl"))
	_, rows, _ := bytes.Cut(read("2.csv"), []byte("\n"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(both)
	w.Close()
	var more, bad bytes.Buffer
	for i := range 600 {
		fmt.Fprintf(&more, `{"id":%d,"text":"%s"}`+"\n", i, textOf(2, i))
		fmt.Fprintf(&bad, `{"id":%d,"text":"%s"}`+"\n", i+5000, textOf(1, 2*i))
	}
	for _, sub := range []string{"before", "after"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string][]byte{
		"12.jsonl": both, "12.jsonl.gz": packed.Bytes(), "12.csv": slices.Concat(read("1.csv"), rows),
		"more.jsonl": more.Bytes(), "bad.jsonl": bad.Bytes(), "before/1.jsonl": read("1.jsonl"),
		"after/1.jsonl": read("1.jsonl"), "after/2.jsonl": read("2.jsonl"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// writeTimes makes four days of records with times, 100 in a day of 86,400 seconds, and a third one
// that is to be taken back; and the same as lines of text, from the 28th of December on.
func writeTimes(t *testing.T, dir string) {
	for name, records := range map[string][2]int{
		"1": {0, 300}, "2": {250, 700}, "3": {650, 1000}, "4": {950, 1300}, "bad": {600, 900},
	} {
		var b, lines bytes.Buffer
		for i := records[0]; i < records[1]; i++ {
			fmt.Fprintf(&b, `{"id":%d,"time":%d,"text":"%s"}`+"\n", i, 1_700_000_000+864*i, textOf(0, i))
			if i == records[0] || i%3 > 0 {
				lines.WriteString(time.Unix(1_703_764_800+int64(864*i), 0).UTC().Format("Jan _2 15:04:05 "))
			}
			fmt.Fprintln(&lines, textOf(0, i))
		}
		for file, content := range map[string][]byte{".times.jsonl": b.Bytes(), ".times.log": lines.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, name+file), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// undo takes runs back, which cannot be given again when it has happened: after each end it is
// looked up whether it has, and the index is to be whole.
func (c *chaos) undo(args []string) {
	runs, dir := 0, filepath.Join(c.dir, args[len(args)-1])
	fmt.Sscan(args[3], &runs)
	before := c.lastRun(dir)
	for tries := 0; ; tries++ {
		done := c.try(args, tries)
		if out, err := exec.Command(program, "index", "verify", dir).CombinedOutput(); err != nil {
			c.t.Fatalf("the index after %v: %v: %s", args, err, out)
		}
		switch now := c.lastRun(dir); {
		case now == before-runs:
			return
		case now != before || done:
			c.t.Fatalf("%v (with success: %v): run %d was the last one, now it is run %d", args, done, before, now)
		}
	}
}

// lastRun is the number of the last run of an index.
func (c *chaos) lastRun(dir string) (number int) {
	c.t.Helper()
	out, err := exec.Command(program, "index", "inspect", "--json", dir).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	var inspected struct {
		Runs []struct{ Run int }
	}
	if err := json.Unmarshal(out, &inspected); err != nil {
		c.t.Fatal(err)
	}
	for _, run := range inspected.Runs {
		number = max(number, run.Run)
	}
	return number
}

// inputOf parts the file that is standard input by a pipe, if a command has one, from what else it
// says.
func inputOf(args []string) (rest []string, input string) {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "<") })
	if i < 0 {
		return args, ""
	}
	return slices.Concat(args[:i], args[i+1:]), args[i][1:]
}

// give has a command read a file by a pipe; with no name it has no input. The file is to be closed
// in the end.
func give(cmd *exec.Cmd, dir, input string) (io.Closer, error) {
	if input == "" {
		return io.NopCloser(nil), nil
	}
	f, err := os.Open(filepath.Join(dir, input))
	if err == nil {
		cmd.Stdin = struct{ io.Reader }{f} // no *os.File, which would be handed on as it is
	}
	return f, err
}
