// Command quotient compares a quotient filter with the filters of an index of one band, at the same
// probability of taking an unseen key for a seen one: bits a key, and the time to ask for and add
// new keys, one after the other and in batches as the index has them.
//
//	cd bench && go run ./quotient -keys 20000000
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

func main() {
	log.SetFlags(0)
	keys := flag.Int("keys", 20_000_000, "how many keys are added")
	rounds := flag.Int("rounds", 3, "how often each filter is filled; the best counts")
	flag.Parse()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "filter\tload\trate\tbits a key\tadd, ns\task for unseen, ns\tratio of adding")
	var bloom float64
	for _, way := range ways(*keys) {
		r, err := best(way, *keys, *rounds)
		if err != nil {
			log.Fatal(err)
		}
		bloom = cmp.Or(bloom, r.add)
		fmt.Fprintf(table, "%s\t%s\t%.1e\t%.1f\t%.0f\t%.0f\t%.2f\n", way.name, way.load, way.rate, r.bits, r.add, r.ask,
			r.add/bloom)
		table.Flush()
	}
}

// A filter takes keys by their hashes, some at a time.
type filter interface {
	add(hashes []uint64) error
	ask(hashes []uint64) error
	bytes() uint64
}

type way struct {
	name, load string
	rate       float64 // by design, when it is full
	make       func() (filter, error)
}

// ways are the filters. A quotient filter of remainders of 29 bits has a rate of load·2⁻²⁹.
func ways(keys int) (all []way) {
	for _, percent := range []int{50, 75, 90} {
		rate := float64(percent) / 100 / (1 << 29)
		if percent == 90 {
			for _, kind := range []string{bloomlsh.FilterClassic, bloomlsh.FilterPaged} {
				all = append([]way{{"bloom, " + kind, "full", rate, func() (filter, error) {
					return newBloom(kind, keys, rate)
				}}}, all...)
			}
		}
		all = append(all, way{"quotient", fmt.Sprintf("%d %%", percent), rate, func() (filter, error) {
			return quotients{newQuotientFilter(keys, percent)}, nil
		}})
	}
	return all
}

type quotients struct{ *quotientFilter }

func (q quotients) add(hashes []uint64) error {
	for _, h := range hashes {
		q.quotientFilter.add(h)
	}
	return nil
}

func (q quotients) ask(hashes []uint64) error {
	for _, h := range hashes {
		q.has(h)
	}
	return nil
}

func (q quotients) bytes() uint64 { return 4 * uint64(len(q.slots)) }

// A bloom is an index of one band.
type bloom struct {
	index *bloomlsh.Index
	keys  []bloomlsh.Key
	votes []uint16
}

func newBloom(kind string, keys int, rate float64) (filter, error) {
	index, err := bloomlsh.New(bloomlsh.Params{
		Bands: 1, Votes: 1, Capacity: uint64(keys), FPRate: rate, Filter: kind, OnFull: bloomlsh.OnFullRefuse,
	})
	return &bloom{index, make([]bloomlsh.Key, batch), make([]uint16, batch)}, err
}

func (b *bloom) fill(hashes []uint64) []bloomlsh.Key {
	for i, h := range hashes {
		b.keys[i] = bloomlsh.Key{Hi: h, Lo: h * 0x9e3779b97f4a7c15}
	}
	return b.keys[:len(hashes)]
}

func (b *bloom) add(hashes []uint64) error {
	_, err := b.index.Observe(b.fill(hashes), b.votes[:len(hashes)])
	return err
}

func (b *bloom) ask(hashes []uint64) error {
	return b.index.Query(b.fill(hashes), b.votes[:len(hashes)])
}

func (b *bloom) bytes() uint64 { return b.index.Usage().Bytes }

// batch is how many keys are handed over at a time.
const batch = 1000

type result struct{ bits, add, ask float64 }

func best(w way, keys, rounds int) (least result, err error) {
	for round := range rounds {
		r, err := once(w, keys)
		if err != nil {
			return r, err
		}
		if round == 0 {
			least = r
		}
		least.add, least.ask = min(least.add, r.add), min(least.ask, r.ask)
	}
	return least, nil
}

// once fills a filter and asks it for keys that it does not have. Times are CPU time a key.
func once(w way, keys int) (r result, err error) {
	f, err := w.make()
	if err != nil {
		return r, err
	}
	each := func(seed uint64, do func([]uint64) error) (ns float64, err error) {
		rng, hashes := rand.NewPCG(seed, seed), make([]uint64, batch)
		before := turns.Own()
		for done := 0; done < keys; done += batch {
			for i := range hashes {
				hashes[i] = rng.Uint64()
			}
			if err := do(hashes[:min(batch, keys-done)]); err != nil {
				return 0, err
			}
		}
		return float64(turns.Own()-before) / float64(keys), nil
	}
	if r.add, err = each(1, f.add); err != nil {
		return r, err
	}
	r.bits = 8 * float64(f.bytes()) / float64(keys)
	r.ask, err = each(2, f.ask)
	return r, err
}
