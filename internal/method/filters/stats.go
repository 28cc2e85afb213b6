package filters

import (
	"math"
	"slices"
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
	Since            string  `json:"since,omitempty"` // when its window of time begins
}

// Describe describes the index with those statistics.
func Describe(x bloomlsh.Stats) IndexStats {
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

// Since returns when the window of a generation begins, or "" if it has none.
func Since(g bloomlsh.GenerationStats) string {
	if g.Since == 0 {
		return ""
	}
	return time.Unix(g.Since, 0).UTC().Format(time.RFC3339)
}

// gaugeInterval is the number of records between updates: few enough to be current, many enough to
// cost nothing.
const gaugeInterval = 4096

// updateSize notes the size of the indexes for others.
func (s *Memory) updateSize() {
	u := s.Usage()
	s.size.inserted.Store(u.Inserted)
	s.size.capacity.Store(u.Capacity)
	s.size.bytes.Store(u.Bytes)
}

// Size returns how many records the indexes have, how many they were made for, and their size in
// bytes, as it was noted last. It may be called while the committer works.
func (s *Memory) Size() (inserted, capacity, bytes uint64) {
	return s.size.inserted.Load(), s.size.capacity.Load(), s.size.bytes.Load()
}

// ByVotes returns the number of records by their votes since the index was opened. It is empty if
// one vote is enough, or if the run has no index of its own.
func (s *Memory) ByVotes() (needed int, records []uint64, largest uint64) {
	if s == nil || s.own == nil {
		return 0, nil, 0
	}
	return s.own.ByVotes()
}

// Crowds returns the crowds that the run's own index has found since it was opened.
func (s *Memory) Crowds() []bloomlsh.CrowdFound {
	if s == nil || s.own == nil {
		return nil
	}
	return s.own.Crowds()
}

// Usage returns the usage of the run's own index, or of all others if it has none.
func (s *Memory) Usage() (u bloomlsh.Usage) {
	if s.own != nil {
		return s.own.Usage()
	}
	for _, r := range s.against {
		x := r.Usage()
		u.Inserted += x.Inserted
		u.Capacity += x.Capacity
		u.Bytes += x.Bytes
	}
	u.Inserted += s.before.usage.Inserted
	u.Capacity += s.before.usage.Capacity
	u.Bytes = max(u.Bytes, s.before.usage.Bytes) // they are not open together
	return u
}

// Stats describes the run's own index, or all others if it has none.
func (s *Memory) Stats() []IndexStats {
	if s == nil {
		return nil
	}
	if s.own != nil {
		return []IndexStats{Describe(s.own.Stats())}
	}
	all := slices.Clone(s.before.stats)
	for _, r := range s.against {
		all = append(all, Describe(r.Stats()))
	}
	return all
}
