//go:build linux

// Command markup measures what taking the text out of pages and documents costs: throughput, time
// and allocations by size, and the peak of memory.
//
//	go run ./markup
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
)

// cases are the extractors, each on the text that it is for.
var cases = []struct {
	markup, kind string
	text         func(size int) []byte
}{
	{"none", "page", page}, {"html-text", "page", page}, {"html", "page", page}, {"markdown", "document", document},
	{"auto", "page", page}, {"auto", "document", document}, {"auto", "plain", plain},
}

func main() {
	peak := flag.Int("peak", -1, "only take one text through the case of this number, and print the peak of memory "+
		"(the program starts itself so)")
	size := flag.Int("size", 0, "bytes of that text")
	flag.Parse()
	if *peak >= 0 {
		fmt.Print(memory(*peak, *size))
		return
	}
	table := markdown.New("markup", "text", "bytes", "µs", "MB/s", "allocations", "KB allocated", "peak MB")
	for i, c := range cases {
		for _, size := range []int{2_000, 100_000, 900_000, 10_000_000} {
			text := c.text(size)
			seconds, r := cost(extractor(c.markup), text)
			table.Add(c.markup, c.kind, len(text), seconds*1e6, float64(len(text))/1e6/seconds, r.AllocsPerOp(),
				r.AllocedBytesPerOp()/1000, peakOf(i, size))
		}
	}
	table.Write(os.Stdout)
}

// cost is the least CPU time of three runs, garbage collection included: on a machine that others
// use too, wall time says little.
func cost(e markup.Extractor, text []byte) (seconds float64, r testing.BenchmarkResult) {
	var dst []byte
	for i := range 3 {
		var spent float64
		r = testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			before := turns.Own()
			for range b.N {
				dst = e.Append(dst[:0], text)
			}
			spent = (turns.Own() - before).Seconds() / float64(b.N)
		})
		if i == 0 || spent < seconds {
			seconds = spent
		}
	}
	return seconds, r
}

func extractor(name string) markup.Extractor {
	e, err := markup.New(name)
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// peakOf measures in a process of its own.
func peakOf(i, size int) string {
	out, err := exec.Command("/proc/self/exe", "-peak", fmt.Sprint(i), "-size", fmt.Sprint(size)).Output()
	if err != nil {
		log.Fatal(err)
	}
	return string(out)
}

// memory is how far the peak of resident memory grows when a text is read, its output included.
func memory(i, size int) string {
	text := cases[i].text(size)
	e := extractor(cases[i].markup)
	before := turns.OwnPeak()
	e.Append(make([]byte, 0, len(text)), text)
	return fmt.Sprintf("%.1f", float64(turns.OwnPeak()-before)/1024/1000)
}

// repeat makes a text of about size bytes; form has a place for a number.
func repeat(size int, head, form, foot string) []byte {
	text := append(make([]byte, 0, size+4096), head...)
	for i := 0; len(text) < size; i++ {
		text = fmt.Appendf(text, form, i)
	}
	return append(text, foot...)
}

func page(size int) []byte {
	words := "The bees of a hive, and their queen, know <b>each</b> other by smell &amp; by dance; <a " +
		"href=\"https://example.com/bees\">more</a> is in <i>the book</i>. "
	return repeat(size, "<!DOCTYPE html> <html><head><title>Bees</title><script>let a = "+
		"1</script></head><body><nav><ul><li><a href=/>Home</a></li></ul></nav><main>",
		"<div class=\"entry\"><h2>Hive %d</h2><p>"+strings.Repeat(words, 3)+
			"</p><ul><li>wax</li><li>honey</li></ul></div>\n", "</main><footer>Imprint</footer></body></html>")
}

func document(size int) []byte {
	words := "The bees of a hive, and their queen, know *each* other by smell & by dance; " +
		"[more](https://example.com/bees) is in **the book**. "
	return repeat(size, "# Bees\n\n", "## Hive %d\n\n"+strings.Repeat(words, 3)+"\n\n- wax\n- honey\n\n```\ncode\n```\n\n", "")
}

func plain(size int) []byte {
	return repeat(size, "plain ",
		"The %d bees of a hive, and their queen, know each other by smell and by dance; more is in the book.\n", "")
}
