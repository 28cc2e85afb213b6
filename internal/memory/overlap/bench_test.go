package overlap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// BenchmarkMethods sketches and judges records of 2 KB, of lines of 12 words that are mostly new.
func BenchmarkMethods(b *testing.B) {
	const records = 64
	rng := rand.New(rand.NewPCG(9, 10))
	texts := make([][]byte, 1024)
	for i := range texts {
		var text strings.Builder
		for word := 0; text.Len() < 2048; word++ {
			fmt.Fprintf(&text, "%x", rng.Uint32()>>rng.IntN(24))
			text.WriteByte(" \n"[(word%12)/11])
		}
		texts[i] = []byte(text.String())
	}
	all := []overlap.Params{{Method: "dolma-ngram", Scale: 16}, {Method: "dclm", Scale: 16}}
	for _, method := range overlap.MethodNames() {
		all = append(all, overlap.Params{Method: method})
	}
	for _, p := range all {
		b.Run(fmt.Sprint(p.Method, "/", max(1, p.Scale)), func(b *testing.B) {
			p, err := p.Complete()
			if err != nil {
				b.Fatal(err)
			}
			memory, err := bloomlsh.New(bloomlsh.Params{Bands: 1, Capacity: 1 << 24, FPRate: 1e-3})
			if err != nil {
				b.Fatal(err)
			}
			defer memory.Close()
			sketcher := overlap.NewSketcher(p)
			judge := overlap.NewJudge(p, overlap.Memory{Observe: memory.Observe, Query: memory.Query})
			var batch stream.Batch
			out := make([]stream.Verdict, records)
			b.ReportAllocs()
			next := 0
			for b.Loop() {
				batch.Words, batch.Ends, batch.Problems = batch.Words[:0], batch.Ends[:0], batch.Problems[:0]
				for range records {
					text := texts[next%len(texts)]
					next++
					text[next%(len(text)-1)] ^= 1 // so that not all of a text was seen
					batch.Words, _ = sketcher.Append(batch.Words, text)
					batch.Ends = append(batch.Ends, len(batch.Words))
					batch.Problems = append(batch.Problems, record.Problem{})
				}
				if _, err := judge.Judge().Decide(batch, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(next)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
