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
		{"an index that can do all", ByVotes(&forGood{}, 1), true, true},
		{"one that only prefetches", ByVotes(&foreseeing{}, 1), true, false},
		{"a plain one", ByVotes(keySet{}, 1), false, false},
	} {
		j := c.judge
		if j.canPrefetch() != c.prefetches || (j.Prefetch != nil) != c.prefetches ||
			(j.Remembers != nil && j.Remembers(0)) != c.remembers || (j.VotesOfCopy != nil) != c.remembers ||
			j.ReadsHashes {
			t.Errorf("%s: %+v", c.name, j)
		}
	}
}
