package stream

import "testing"

// forGood is an index that remembers all for good.
type forGood struct{ foreseeing }

func (*forGood) Remembers(uint16) bool   { return true }
func (*forGood) ObserveCopies(int) error { return nil }

// A judge can do what its index can, and no more.
func TestByVotesDoesWhatItsIndexCan(t *testing.T) {
	for _, c := range []struct {
		name                  string
		judge                 Judge
		prefetches, remembers bool
	}{
		{"an index that can do all", byVotes(&forGood{}, 1), true, true},
		{"one that only prefetches", byVotes(&foreseeing{}, 1), true, false},
		{"a plain one", byVotes(keySet{}, 1), false, false},
	} {
		j := c.judge
		if j.canPrefetch() != c.prefetches || (j.Prefetch != nil) != c.prefetches ||
			(j.Remembers != nil && j.Remembers(0)) != c.remembers || (j.VotesOfCopy != nil) != c.remembers ||
			j.ReadsHashes {
			t.Errorf("%s: %+v", c.name, j)
		}
	}
}

// byVotes is ByVotes with all that an index can do.
func byVotes(index interface {
	Observe(keys []Key, votes []uint16) (observed int, err error)
}, votes int) Judge {
	of := BandIndex{Observe: index.Observe}
	if x, ok := index.(interface {
		ObserveAt(times []int64, keys []Key, votes []uint16) (observed int, err error)
	}); ok {
		of.ObserveAt = x.ObserveAt
	}
	if x, ok := index.(interface {
		CanPrefetch() bool
		Prefetch(keys []Key) error
	}); ok {
		of.CanPrefetch, of.Prefetch = x.CanPrefetch, x.Prefetch
	}
	if x, ok := index.(interface {
		Remembers(votes uint16) bool
		ObserveCopies(n int) error
	}); ok {
		of.Remembers, of.ObserveCopies = x.Remembers, x.ObserveCopies
	}
	return ByVotes(of, votes)
}
