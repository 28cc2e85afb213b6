package method

import (
	"math"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// IndexStats describes an index at the end of the run.
type IndexStats struct {
	Records          uint64            `json:"records"`     // whose keys it holds
	Cardinality      uint64            `json:"cardinality"` // distinct records, estimated from the set bits
	Bytes            uint64            `json:"bytes"`
	Forgotten        int               `json:"forgotten_generations,omitempty"`
	FPRate           float64           `json:"fp_rate"`
	FPRateAtCapacity float64           `json:"fp_rate_at_capacity"`
	Bands            int               `json:"bands"`
	Votes            int               `json:"votes"`                     // that make a duplicate
	FPRateOneShort   float64           `json:"fp_rate_of_one_vote_short"` // of a record that lacks one vote
	BandRate         float64           `json:"fp_rate_of_a_band"`
	Generations      []generationStats `json:"generations"`
}

type generationStats struct {
	Capacity         uint64  `json:"capacity"`
	Records          uint64  `json:"records"`
	Bytes            uint64  `json:"bytes"`
	Fill             float64 `json:"fill"`
	FPRate           float64 `json:"fp_rate"`
	FPRateAtCapacity float64 `json:"fp_rate_at_capacity"`
	Since            string  `json:"since,omitempty"` // where its window of time begins
}

func DescribeIndex(x bloomlsh.Stats) IndexStats {
	s := IndexStats{
		Records: x.Inserted, Cardinality: x.Cardinality, Bytes: x.Bytes,
		FPRate: math.Abs(x.FPRate), FPRateAtCapacity: x.FPRateAtCapacity, // Abs: an empty index has the rate -0
		Forgotten: x.Forgotten,
		Bands:     x.Bands, Votes: x.Votes, FPRateOneShort: math.Abs(x.FPRateOneShort), BandRate: x.BandRate,
	}
	for _, g := range x.Generations {
		s.Generations = append(s.Generations, generationStats{
			Capacity: g.Capacity, Records: g.Inserted, Bytes: g.Bits / 8, Fill: g.Fill,
			FPRate: math.Abs(g.FPRate), FPRateAtCapacity: g.FPRateAtCapacity, Since: Since(g),
		})
	}
	return s
}

// Since is where the window of a generation begins, or nothing.
func Since(g bloomlsh.GenerationStats) string {
	if g.Since == 0 {
		return ""
	}
	return time.Unix(g.Since, 0).UTC().Format(time.RFC3339)
}
