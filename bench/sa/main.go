//go:build unix

// Command sa measures the packages sa and substr on the field "text" of a file of JSON Lines. See
// README.md.
//
//	sa sort     FILE MEGABYTES             suffix array, beside index/suffixarray
//	sa repeats  FILE MEGABYTES MIN-LENGTH  repeated passages by the suffix array
//	sa windows  FILE MEGABYTES MIN-LENGTH [UNIT [MEMORY-MIB]]
//	                                       the same by window keys, as `substr` does
//	sa longest  FILE MEGABYTES MIN-LENGTH  the ten longest passages, and the most frequent ten
//
// Times are of the processor: on a machine that does other things, too, they say more than the
// clock.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"index/suffixarray"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/sa"
	"github.com/mithril-stream/mithril-stream/sa/substr"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr,
			"usage: sa sort|repeats|windows|longest FILE MEGABYTES [MIN-LENGTH [UNIT [MEMORY-MIB]]]")
		os.Exit(2)
	}
	source := source{os.Args[2], number(3, 0) * 1_000_000}
	switch os.Args[1] {
	case "sort":
		sort(source)
	case "repeats":
		repeats(source, number(4, 100))
	case "windows":
		windows(source, number(4, 100), argument(5, "bytes"), number(6, 1024))
	case "longest":
		longest(source, number(4, 100))
	}
}

// source is the first size bytes of the texts of a file.
type source struct {
	name string
	size int
}

// each calls visit with each text, valid until it returns.
func (s source) each(visit func(text []byte)) {
	file := must(os.Open(s.name))
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<28)
	for left := s.size; left > 0 && lines.Scan(); {
		var record struct{ Text string }
		check(json.Unmarshal(lines.Bytes(), &record))
		text := record.Text[:min(left, len(record.Text))]
		left -= len(text)
		visit([]byte(text))
	}
	check(lines.Err())
}

// join returns the texts as one, and where each ends.
func (s source) join() (all []byte, ends []int) {
	s.each(func(text []byte) {
		all = append(all, text...)
		ends = append(ends, len(all))
	})
	return slices.Clone(all), ends
}

func sort(source source) {
	text, _ := source.join()
	var standard, narrow, wide time.Duration
	for range 2 { // the second round counts
		standard = timed(func() { suffixarray.New(text) })
		array := make([]int32, len(text))
		narrow = timed(func() { check(sa.Sort(text, array)) })
		array64 := make([]int64, len(text))
		wide = timed(func() { check(sa.Sort(text, array64)) })
	}
	fmt.Printf("%d bytes: index/suffixarray %.2f s, Sort[int32] %.2f s (%.2f×), Sort[int64] %.2f s (%.2f×)\n",
		len(text),
		standard.Seconds(), narrow.Seconds(), narrow.Seconds()/standard.Seconds(), wide.Seconds(),
		wide.Seconds()/standard.Seconds())
}

func repeats(source source, minLength int) {
	text, ends := source.join()
	var spans []sa.Span
	took := timed(func() { spans = must(sa.Repeats(text, ends, minLength)) })
	total := 0
	for _, s := range spans {
		total += s.End - s.Start
	}
	report("suffix array", len(text), minLength, "bytes", len(spans), total, took)
}

func windows(source source, minLength int, unit string, memory int) {
	size, spans, total := 0, 0, 0
	took := timed(func() {
		f := find(source, minLength, must(substr.ParseUnit(unit)), memory)
		defer f.Close()
		size = f.Size()
		var list []substr.Span
		for i := range f.Texts() {
			list = must(f.AppendSpans(list[:0], i))
			spans += len(list)
			for _, s := range list {
				total += s.End - s.Start
			}
		}
	})
	report(fmt.Sprintf("windows, %d MiB", memory), size, minLength, unit, spans, total, took)
}

func find(source source, minLength int, unit substr.Unit, memory int) *substr.Finder {
	f := must(substr.NewFinder(substr.Options{MinLength: minLength, Unit: unit,
		Memory: int64(memory) << 20, Locate: true}))
	source.each(func(text []byte) { check(f.Add(text)) })
	check(f.Find(context.Background()))
	return f
}

func report(name string, size, minLength int, unit string, spans, total int, took time.Duration) {
	fmt.Printf("%s: %d bytes, minimum %d %s: %d spans, %d bytes (%.1f %%), %.2f s, peak %d MiB\n", name, size,
		minLength, unit,
		spans, total, 100*float64(total)/float64(size), took.Seconds(), turns.OwnPeak()>>20)
}

// passage is a span of a text, and how many spans begin with the same window.
type passage struct {
	text, times int
	substr.Span
}

// longest prints the longest spans that differ in their first and last bytes, and one of those that
// begin alike most often.
func longest(source source, minLength int) {
	f := find(source, minLength, substr.Bytes, 1024)
	defer f.Close()
	var all []passage
	times := map[substr.Place]int{}
	for i := range f.Texts() {
		for _, s := range must(f.AppendSpans(nil, i)) {
			times[s.First]++
			all = append(all, passage{i, 0, s})
		}
	}
	var texts [][]byte
	source.each(func(text []byte) { texts = append(texts, text) })
	slices.SortStableFunc(all, func(a, b passage) int { return cmp.Compare(b.End-b.Start, a.End-a.Start) })
	print10(texts, all)
	for i := range all {
		all[i].times = times[all[i].First]
	}
	slices.SortStableFunc(all, func(a, b passage) int { return cmp.Compare(b.times, a.times) })
	print10(texts, all)
}

func print10(texts [][]byte, passages []passage) {
	seen := map[string]bool{}
	for _, p := range passages {
		t := texts[p.text][p.Start:p.End]
		const show = 120
		head, tail := string(t[:min(show, len(t))]), string(t[max(0, len(t)-show):])
		if seen[head[:min(60, len(head))]] || seen[tail] {
			continue
		}
		seen[head[:min(60, len(head))]], seen[tail] = true, true
		fmt.Printf("%d bytes, %d times, record %d at %d, first in record %d at %d\n  %q\n  … %q\n", len(t), p.times,
			p.text+1, p.Start, p.First.Text+1, p.First.Offset, head, tail)
		if len(seen) == 20 {
			return
		}
	}
}

// timed is the processor time of f, on all processors.
func timed(f func()) time.Duration {
	runtime.GC()
	start := turns.Own()
	f()
	return turns.Own() - start
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
