package filters

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

func TestSharesUnderALimit(t *testing.T) {
	for _, c := range []struct {
		limit uint64
		sizes []uint64
		share uint64
	}{
		{1000, nil, 1000}, {1000, []uint64{1000}, 1000}, {1000, []uint64{1001}, 500}, {1000, []uint64{600, 400}, 1000},
		{1000, []uint64{600, 401}, 250}, {1000, []uint64{1 << 63, 1 << 63, 1}, 166},
	} {
		if share := ShareOf(c.limit, c.sizes...); share != c.share {
			t.Errorf("limit %d, indexes of %d: share %d instead of %d", c.limit, c.sizes, share, c.share)
		}
	}
}

// TestWhatFitsIsNotDivided has indexes on both sides of a limit.
func TestWhatFitsIsNotDivided(t *testing.T) {
	p := bloomlsh.Params{Bands: 32, Votes: 8, Capacity: 1_000_000}
	size := p.FilterBytes()
	for _, c := range []struct {
		limit   uint64
		divided bool
	}{{size, false}, {size - 1, true}, {2 * size, false}} {
		share := ShareOf(c.limit, size)
		got := Divide(p, share)
		if (got.Generations > 0) != c.divided || got.Memory != share {
			t.Errorf("limit %d of %d: %d generations, %d bytes", c.limit, size, got.Generations, got.Memory)
		}
		if err := got.Validate(); err != nil {
			t.Error(err)
		}
	}
}
