package command

import (
	"context"
	"iter"

	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
)

// A groupFinder joins records that resemble each other. Its methods are those of signatures.Groups.
type groupFinder interface {
	Add(words []uint64) error
	Pass()
	Find(ctx context.Context) error
	Joining() (band, bands int)
	All() iter.Seq[[]uint64]
	Similarity(a, b uint64) float32
	Split(records []uint64) ([][]uint64, error)
	Close() error
}

// newGroups returns groups of what the run compares.
func (f *filterRun) newGroups() (groupFinder, error) {
	switch {
	case f.c.Fingerprint != nil:
		groups, err := fingerprints.NewGroups(fingerprintParams(f.c))
		if err != nil {
			return nil, err
		}
		return fingerprintGroups{Groups: groups, params: fingerprintParams(f.c)}, nil
	case f.c.Similar.ByVectors():
		groups, err := vectors.NewGroups(vectorParams(f.c, f.keys))
		if err != nil {
			return nil, err
		}
		return vectorGroups{Groups: groups}, nil
	}
	groups, err := signatures.NewGroups(exactParams(f.c, f.keys))
	if err != nil {
		return nil, err
	}
	return groups, nil
}

// joinedAtOnce is for groups whose records are joined when they are added.
type joinedAtOnce struct{}

func (joinedAtOnce) Find(ctx context.Context) error { return ctx.Err() }

func (joinedAtOnce) Joining() (band, bands int) { return 0, 0 }

// fingerprintGroups are groups by fingerprints.
type fingerprintGroups struct {
	joinedAtOnce
	*fingerprints.Groups
	params fingerprints.Params
}

func (g fingerprintGroups) Similarity(a, b uint64) float32 {
	distance, ok := g.Distance(a, b)
	if !ok {
		return 0
	}
	return float32(max(0, similarityAt(distance, g.params)))
}

func (g fingerprintGroups) Split(records []uint64) ([][]uint64, error) {
	return g.Groups.Split(records), nil
}

// vectorGroups are groups by vectors.
type vectorGroups struct {
	joinedAtOnce
	*vectors.Groups
}

func (g vectorGroups) Split(records []uint64) ([][]uint64, error) {
	return g.Groups.Split(records), nil
}

func (g vectorGroups) Close() error { return nil }
