// Command sa measures the packages sa and substr on the field "text" of a file of JSON Lines. See README.md.
//
//	sa sort     FILE MEGABYTES             suffix array, beside index/suffixarray
//	sa repeats  FILE MEGABYTES MIN-LENGTH  repeated passages by the suffix array
//	sa windows  FILE MEGABYTES MIN-LENGTH [UNIT [MEMORY-MIB]]  the same by window keys, as `substr` does
//	sa longest  FILE MEGABYTES MIN-LENGTH  the ten longest passages
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"index/suffixarray"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/sa"
	"github.com/mithril-stream/mithril-stream/substr"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: sa sort|repeats|windows|longest FILE MEGABYTES [MIN-LENGTH [UNIT [MEMORY-MIB]]]")
		os.Exit(2)
	}
	texts := read(os.Args[2], number(3, 0)*1_000_000)
	runtime.GC()
	switch os.Args[1] {
	case "sort":
		sort(texts)
	case "repeats":
		repeats(texts, number(4, 100))
	case "windows":
		windows(texts, number(4, 100), argument(5, "bytes"), number(6, 1024))
	case "longest":
		longest(texts, number(4, 100))
	}
}

// read returns the texts of a file, size bytes of them together.
func read(name string, size int) (texts [][]byte) {
	file := must(os.Open(name))
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<28)
	for size > 0 && lines.Scan() {
		var record struct{ Text string }
		check(json.Unmarshal(lines.Bytes(), &record))
		text := []byte(record.Text[:min(size, len(record.Text))])
		texts = append(texts, text)
		size -= len(text)
	}
	check(lines.Err())
	return texts
}

// join returns the texts as one, and where each ends.
func join(texts [][]byte) (all []byte, ends []int) {
	for _, text := range texts {
		all = append(all, text...)
		ends = append(ends, len(all))
	}
	return slices.Clip(all), ends
}

func sort(texts [][]byte) {
	text, _ := join(texts)
	var standard, narrow, wide time.Duration
	for range 2 { // the second round counts
		standard = timed(func() { suffixarray.New(text) })
		array := make([]int32, len(text))
		narrow = timed(func() { check(sa.Sort(text, array)) })
		array64 := make([]int64, len(text))
		wide = timed(func() { check(sa.Sort(text, array64)) })
	}
	fmt.Printf("%d bytes: index/suffixarray %.2f s, Sort[int32] %.2f s (%.2f×), Sort[int64] %.2f s (%.2f×)\n", len(text),
		standard.Seconds(), narrow.Seconds(), narrow.Seconds()/standard.Seconds(), wide.Seconds(), wide.Seconds()/standard.Seconds())
}

func repeats(texts [][]byte, minLength int) {
	text, ends := join(texts)
	texts = nil
	var spans []sa.Span
	took := timed(func() { spans = must(sa.Repeats(text, ends, minLength)) })
	total := 0
	for _, s := range spans {
		total += s.End - s.Start
	}
	report("suffix array", len(text), minLength, "bytes", len(spans), total, took)
}

func windows(texts [][]byte, minLength int, unit string, memory int) {
	size, spans, total := 0, 0, 0
	took := timed(func() {
		f := find(texts, minLength, must(substr.ParseUnit(unit)), memory)
		defer f.Close()
		var list []substr.Span
		for i, text := range texts {
			size += len(text)
			list = must(f.AppendSpans(list[:0], i))
			spans += len(list)
			for _, s := range list {
				total += s.End - s.Start
			}
		}
	})
	report(fmt.Sprintf("windows, %d MiB", memory), size, minLength, unit, spans, total, took)
}

func find(texts [][]byte, minLength int, unit substr.Unit, memory int) *substr.Finder {
	f := must(substr.NewFinder(substr.Options{MinLength: minLength, Unit: unit, Memory: int64(memory) << 20, Locate: true}))
	for _, text := range texts {
		check(f.Add(text))
	}
	check(f.Find(context.Background()))
	return f
}

func report(name string, size, minLength int, unit string, spans, total int, took time.Duration) {
	fmt.Printf("%s: %d bytes, minimum %d %s: %d spans, %d bytes (%.1f %%), %.2f s, peak %d MiB\n", name, size, minLength, unit,
		spans, total, 100*float64(total)/float64(size), took.Seconds(), peak()>>20)
}

// longest prints the longest spans that differ in their first and last bytes, with both of these.
func longest(texts [][]byte, minLength int) {
	f := find(texts, minLength, substr.Bytes, 1024)
	defer f.Close()
	type passage struct {
		text int
		substr.Span
	}
	var all []passage
	for i := range texts {
		for _, s := range must(f.AppendSpans(nil, i)) {
			all = append(all, passage{i, s})
		}
	}
	slices.SortStableFunc(all, func(a, b passage) int { return cmp.Compare(b.End-b.Start, a.End-a.Start) })
	seen := map[string]bool{}
	for _, p := range all {
		t := texts[p.text][p.Start:p.End]
		const show = 120
		head, tail := string(t[:min(show, len(t))]), string(t[max(0, len(t)-show):])
		if seen[head] || seen[tail] {
			continue
		}
		seen[head], seen[tail] = true, true
		fmt.Printf("%d bytes, record %d at %d, first in record %d at %d\n  %q\n  … %q\n", len(t), p.text+1, p.Start, p.First.Text+1, p.First.Offset, head, tail)
		if len(seen) == 20 {
			return
		}
	}
}

func timed(f func()) time.Duration {
	runtime.GC()
	start := time.Now()
	f()
	return time.Since(start)
}

// peak is the greatest resident memory so far, in bytes (Linux).
func peak() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	return must(strconv.Atoi(string(m[1]))) << 10
}

func argument(i int, otherwise string) string {
	if i < len(os.Args) {
		return os.Args[i]
	}
	return otherwise
}

func number(i, otherwise int) int { return must(strconv.Atoi(argument(i, strconv.Itoa(otherwise)))) }

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sa:", err)
		os.Exit(1)
	}
}
