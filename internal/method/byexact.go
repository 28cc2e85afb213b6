package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
)

// beginExact opens an exact memory that judges records.
func beginExact(o *Opening) (*Detector, error) {
	m, err := exact.Open(o.forExact())
	if err != nil {
		return nil, err
	}
	return &Detector{Judge: o.Keys.Failures.Before(m.Judge()), Exact: m}, nil
}

// beginAuto opens an exact memory that judges records, and Bloom filters that judge once it is
// full.
func beginAuto(o *Opening) (*Detector, error) {
	later := *o
	later.Keys = exact.KeysAfter(o.Keys, o.Method.Memory.AfterLimit)
	after, err := filters.Open(later.forFilters())
	if err != nil {
		return nil, err
	}
	m, err := exact.OpenUpToLimit(o.forExact(), after)
	if err != nil {
		return nil, errors.Join(err, after.Close())
	}
	return &Detector{Judge: o.Keys.Failures.Before(m.Judge()), Exact: m, Filters: after}, nil
}
