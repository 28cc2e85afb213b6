package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

type profileCommand struct{ common }

// profileTime is how much CPU time is sampled, a hundred times a second.
const profileTime = 6 * time.Second

// Run profiles the pipeline on one core, on the generated records and on each file.
func (c profileCommand) Run(out io.Writer, w workplace) error {
	return c.eachFile(w, func(i int, d data) error {
		profile := filepath.Join(string(w), "cpu.prof")
		records, err := sampleRuns(d.path, profile)
		if err != nil {
			return err
		}
		top, err := exec.Command("go", "tool", "pprof", "-top", "-nodefraction=0", "-nodecount=25", profile).Output()
		if err != nil {
			return fmt.Errorf("go tool pprof: %w", err)
		}
		times, err := cumulativeTimes(profile)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Where the CPU time goes, one core, %s:\n\n", d)
		writeStages(out, times, records)
		fmt.Fprintf(out, "```\n%s```\n\n", top)
		return c.keep(fmt.Sprintf("profile-%d.txt", i), string(top))
	})
}

// sampleRuns filters the file again and again, each time with a new index, and returns how many
// records that were.
func sampleRuns(path, profile string) (records uint64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f, err := os.Create(profile)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return 0, err
	}
	defer pprof.StopCPUProfile()
	for started := turns.Own(); turns.Own()-started < profileTime; {
		in, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		stats, err := filter(in, io.Discard, 1)
		in.Close()
		if err != nil {
			return 0, err
		}
		records += stats.Records
	}
	return records, nil
}

// A stage is a part of the way of a record, by the functions that do nothing else. The stages do
// not contain each other.
type stage struct {
	name      string
	functions []string
}

var stages = []stage{
	{"read", []string{"stream.(*blockReader).fill"}},
	{"text out of JSON", []string{"stream.(*jsonText).text"}},
	{"normalise", []string{"sketch.(*nfkcFold).Append"}},
	{"tokenise", []string{"sketch.(*runs).Append"}},
	{"hash shingles", []string{"sketch.(*shingles).hashes"}},
	{"sketch", []string{"sketch.(*fss).addHashes"}},
	{"band keys", []string{"sketch.(*hashKey).appendKeys"}},
	{"index", []string{"bloomlsh.(*Index).Observe"}},
	{"open and close the index", []string{"bloomlsh.New", "bloomlsh.(*Index).Close"}},
	{"write", []string{"stream.(*output).write", "stream.(*output).flush"}},
}

// total is the name under which cumulative returns all samples.
const total = ""

// listLine is a line of go tool pprof -top: flat, flat %, sum %, cum, cum %, function.
var listLine = regexp.MustCompile(`^\s*\S+\s+\S+%\s+\S+%\s+([0-9.]+)(?:ms)?\s+\S+%\s+(.+?)(?: \(inline\))?$`)

// listHead has the sum of all samples.
var listHead = regexp.MustCompile(`% of ([0-9.]+)ms total`)

// cumulativeTimes returns the milliseconds of each function in a profile.
func cumulativeTimes(profile string) (map[string]float64, error) {
	list, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-unit=ms", "-nodefraction=0",
		"-nodecount=100000", profile).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	return cumulative(list), nil
}

// cumulative reads what go tool pprof -top -cum -unit=ms lists: milliseconds by function, callees
// included, named without the path of the module.
func cumulative(list []byte) map[string]float64 {
	times := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		if m := listHead.FindStringSubmatch(lines.Text()); m != nil {
			times[total], _ = strconv.ParseFloat(m[1], 64) // the pattern takes numbers only
		}
		if m := listLine.FindStringSubmatch(lines.Text()); m != nil {
			ms, _ := strconv.ParseFloat(m[1], 64)
			times[m[2][strings.LastIndexByte(m[2], '/')+1:]] += ms
		}
	}
	return times
}

func writeStages(out io.Writer, times map[string]float64, records uint64) {
	t := markdown.New("stage", "µs a record", "share")
	rest := times[total]
	row := func(name string, ms float64) {
		t.Add(name, ms*1000/float64(records), fmt.Sprintf("%.1f %%", 100*ms/times[total]))
	}
	for _, s := range stages {
		ms := 0.0
		for _, f := range s.functions {
			ms += times[f]
		}
		rest -= ms
		row(s.name, ms)
	}
	row("the rest: split lines, hand over, runtime", rest)
	row("all", times[total])
	t.Write(out)
}
