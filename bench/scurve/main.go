// Command scurve measures how often two texts of known similarity share a band, for every sketch,
// and prints it beside the theory, 1−(1−J^r)^b, as a table in Markdown.
//
//	go run ./scurve                       all sketches, 20,000 pairs in each cell: some minutes
//	go run ./scurve -sketch fss -pairs 2000
//	go run ./scurve -sketch one-hash      slots as txtfp has them, which the program does not have
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/zeebo/xxh3"
)

// shapes are the (b, r) that the threshold integral of Zhu et al. gives for k, T: (256, .5), (256,
// .8), (128, .8).
var shapes = []struct{ k, bands, rows int }{{256, 42, 6}, {256, 17, 15}, {128, 9, 13}}

// cells are pairs of sets of n elements, of which common are in both.
var cells = []struct{ n, common int }{
	{3, 1}, {3, 2},
	{10, 5}, {10, 8}, {10, 9},
	{30, 20}, {30, 23}, {30, 27},
	{100, 67}, {100, 75}, {100, 90}, {100, 95},
	{300, 156}, {300, 200}, {300, 225}, {300, 270}, {300, 285},
	{1000, 667}, {1000, 900}, {1000, 950},
}

func main() {
	names := flag.String("sketch", strings.Join(sketch.SketchNames(), ","), "sketches to measure")
	pairs := flag.Int("pairs", 20000, "pairs of texts in a cell")
	flag.Parse()
	for _, name := range strings.Split(*names, ",") {
		for _, shape := range shapes {
			p := sketch.Params{
				Normalize: "none", Tokenize: "whitespace", ShingleSize: 1,
				Sketch: name, NumPerm: shape.k, Seed: 1, Bands: shape.bands, Rows: shape.rows, BandKey: "xxh3",
			}
			if err := p.Validate(); name != oneHash && err != nil {
				fmt.Fprintln(os.Stderr, "scurve:", err)
				os.Exit(2)
			}
			measure(p, *pairs)
		}
	}
}

// measure prints the table of one sketch and shape.
func measure(p sketch.Params, pairs int) {
	fmt.Printf("\n%s, %d×%d of k=%d\n\n", p.Sketch, p.Bands, p.Rows, p.NumPerm)
	fmt.Println("| n | J | theory | measured | points off | standard errors off |")
	fmt.Println("|--:|--:|--:|--:|--:|--:|")
	worstPoints, worstErrors, sumSquares := 0.0, 0.0, 0.0
	for _, c := range cells {
		j := float64(c.common) / float64(2*c.n-c.common)
		theory := 1 - math.Pow(1-math.Pow(j, float64(p.Rows)), float64(p.Bands))
		got := float64(caught(p, c.n, c.common, pairs)) / float64(pairs)
		// Where the theory is next to 0 or 1, one pair more or less is the least that can be seen.
		se := max(math.Sqrt(theory*(1-theory)/float64(pairs)), 1/float64(pairs))
		off, z := 100*(got-theory), (got-theory)/se
		fmt.Printf("| %d | %.3f | %.4f | %.4f | %+.2f | %+.1f |\n", c.n, j, theory, got, off, z)
		worstPoints, worstErrors = max(worstPoints, math.Abs(off)), max(worstErrors, math.Abs(z))
		sumSquares += z * z
	}
	fmt.Printf("\nworst: %.2f points, %.1f standard errors; mean square of standard errors %.1f\n",
		worstPoints, worstErrors, sumSquares/float64(len(cells)))
}

// A bander makes the band keys of a text.
type bander interface {
	BandKeys(dst []xxh3.Uint128, text []byte) (keys []xxh3.Uint128, ok bool)
}

func newBander(p sketch.Params) bander {
	if p.Sketch == oneHash {
		return &oneHashed{p, make([]uint64, p.NumPerm)}
	}
	s, err := sketch.New(p)
	if err != nil {
		panic(err) // measured is only what is valid
	}
	return s
}

// caught returns how many of the pairs of a cell share a band.
func caught(p sketch.Params, n, common, pairs int) int {
	workers := runtime.GOMAXPROCS(0)
	counts := make([]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := newBander(p)
			var a, b []byte
			var x, y []xxh3.Uint128
			for pair := w; pair < pairs; pair += workers {
				rng := rand.New(rand.NewPCG(uint64(pair), uint64(n)<<32|uint64(common)))
				a, b = a[:0], b[:0]
				for i := range n {
					word := fmt.Appendf(nil, "%x ", rng.Uint64())
					a = append(a, word...)
					if i >= common {
						word = fmt.Appendf(word[:0], "%x ", rng.Uint64())
					}
					b = append(b, word...)
				}
				x, _ = s.BandKeys(x[:0], a)
				y, _ = s.BandKeys(y[:0], b)
				for i := range x {
					if x[i] == y[i] {
						counts[w]++
						break
					}
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, c := range counts {
		total += c
	}
	return total
}
