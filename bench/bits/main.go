// Command bits measures how far estimates of similarity from signatures are from exact Jaccard
// similarity, for numbers of slots and for the bits that are kept of each (b-bit minwise hashing),
// and what the signatures cost.
//
//	cd bench && go run ./bits --records FILE.jsonl
//
// Pairs are all of a record and an earlier one whose similarity lies between the bounds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A form is how a signature is kept.
type form struct{ slots, bits int }

var forms = []form{{128, 8}, {128, 4}, {256, 1}, {256, 2}, {512, 1}, {1024, 1}}

func main() {
	path := flag.String("records", "", "JSON Lines with the member text")
	from, to := flag.Float64("from", .7, "least similarity of a pair"), flag.Float64("to", .95, "greatest one")
	flag.Parse()
	if err := measure(*path, *from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "bits:", err)
		os.Exit(1)
	}
}

type text struct {
	Text string `json:"text"`
}

type pair struct {
	a, b    int
	jaccard float64
}

func measure(path string, from, to float64) error {
	if path == "" {
		return errors.New("give --records FILE")
	}
	texts, err := records.Read[text](path)
	if err != nil {
		return err
	}
	p := sketch.Default()
	shingler, err := sketch.New(p)
	if err != nil {
		return err
	}
	var pairs []pair
	var earlier sets.Earlier
	for i, t := range texts {
		set := sets.Of(shingler.Shingles(nil, []byte(t.Text)))
		for _, o := range earlier.Overlaps(set) {
			if o.Jaccard >= from && o.Jaccard <= to {
				pairs = append(pairs, pair{o.Earlier, i, o.Jaccard})
			}
		}
		earlier.Add(set)
	}
	fmt.Printf("%s: %d records, %d pairs with J from %g to %g\n\n", path, len(texts), len(pairs), from, to)
	t := markdown.New("slots × bits", "bytes", "root mean square of the error", "CPU per record, µs")
	for _, f := range forms {
		if err := add(t, f, texts, pairs); err != nil {
			return err
		}
	}
	t.Write(os.Stdout)
	return nil
}

func add(t *markdown.Table, f form, texts []text, pairs []pair) error {
	p := sketch.Default()
	p.NumPerm, p.Bands, p.Rows = f.slots, 14, 9
	s, err := sketch.New(p)
	if err != nil {
		return err
	}
	signatures, slots := make([][]byte, len(texts)), []uint64(nil)
	took := time.Duration(0)
	for i, record := range texts {
		text, begin := []byte(record.Text), turns.Own()
		slots, _ = s.Signature(slots[:0], text)
		took += turns.Own() - begin
		for _, v := range slots {
			v ^= v >> 32
			signatures[i] = append(signatures[i], byte(v*0x9e3779b97f4a7c15>>56)&byte(1<<f.bits-1))
		}
	}
	squares, chance := 0., math.Exp2(-float64(f.bits))
	for _, pair := range pairs {
		agree := 0
		for i, v := range signatures[pair.a] {
			if v == signatures[pair.b][i] {
				agree++
			}
		}
		estimate := (float64(agree)/float64(f.slots) - chance) / (1 - chance)
		squares += (estimate - pair.jaccard) * (estimate - pair.jaccard)
	}
	t.Add(fmt.Sprintf("%d × %d", f.slots, f.bits), f.slots*f.bits/8,
		fmt.Sprintf("%.4f", math.Sqrt(squares/float64(max(1, len(pairs))))),
		fmt.Sprintf("%.2f", float64(took)/float64(len(texts))/float64(time.Microsecond)))
	return nil
}
