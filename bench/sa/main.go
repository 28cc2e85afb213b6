// Command sa measures package sa on a file of text, beside index/suffixarray on the same bytes in the same run.
//
//	sa FILE [megabytes]
package main

import (
	"fmt"
	"index/suffixarray"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/sa"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		megabytes, _ := strconv.Atoi(os.Args[2])
		text = text[:min(len(text), megabytes*1_000_000)]
	}
	var standard, ours, wide time.Duration
	for range 2 {
		standard = timed(func() { suffixarray.New(text) })
		array := make([]int32, len(text))
		ours = timed(func() { must(sa.Sort(text, array)) })
		array = nil
		array64 := make([]int64, len(text))
		wide = timed(func() { must(sa.Sort(text, array64)) })
	}
	fmt.Printf("%d bytes: index/suffixarray %v, Sort[int32] %v (%.2f×), Sort[int64] %v (%.2f×)\n", len(text),
		standard, ours, ours.Seconds()/standard.Seconds(), wide, wide.Seconds()/standard.Seconds())
}

func timed(f func()) time.Duration {
	runtime.GC()
	start := time.Now()
	f()
	return time.Since(start).Round(time.Millisecond)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
