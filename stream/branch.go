package stream

import "io"

// A lane is one of the streams of records that a run writes.
type lane uint8

const (
	toOutput lane = iota
	toDuplicates
	toRejects
)

// A fateSet is a set of fates, with a bit for each.
type fateSet uint

func fatesOf(list ...Fate) (f fateSet) {
	for _, fate := range list {
		f |= 1 << fate
	}
	return f
}

func (f fateSet) has(fate Fate) bool { return f>>fate&1 != 0 }

// fatesOf returns the fates of the records that go to a lane.
func (o *Options) fatesOf(l lane) fateSet {
	switch l {
	case toDuplicates:
		if o.converts(l) {
			return fatesOf(Duplicate)
		}
		return fatesOf(Duplicate, Follower)
	case toRejects:
		return fatesOf(Diverted, Tolerated)
	}
	all := fatesOf(Unseen, Tolerated, Blank)
	if o.Annotate {
		all |= fatesOf(Duplicate)
	}
	if !o.converts(l) { // what is no record has no other form
		all |= fatesOf(Aside)
	}
	return all
}

// writer returns where the records of a lane are written, the counter of their bytes, and whether
// records are written packed.
func (p *plan) writer() (name string, w io.Writer, written *uint64, packed bool) {
	of := &p.stats.Written
	switch p.lane {
	case toDuplicates:
		return "duplicates", p.Duplicates, &of.Duplicates, p.Packed.Duplicates
	case toRejects:
		return "rejects", p.Rejects, &of.Rejects, p.Packed.Rejects
	}
	return "output", p.Output, &of.Output, p.Packed.Output
}

// A branch is the link to one output. It takes the records with some of the fates, undoes what
// other links have changed, and sends them through a chain of its own.
type branch struct {
	chain
	fates fateSet
}

// newBranch returns the row of chainLinks for a lane.
func newBranch(to lane) func(p plan) link {
	return func(p plan) link {
		p.lane = to
		if to != toOutput {
			p.out = newLaneOutput(p)
		}
		if p.out == nil {
			return nil
		}
		return &branch{append(newChain(p, outputLinks), p.out), p.fatesOf(to)}
	}
}

func (b *branch) process(r *passing) error {
	if !b.fates.has(r.decision.Fate) {
		return nil
	}
	r.restore()
	return b.chain.process(r)
}
