package stream

import "github.com/mithril-stream/mithril-stream/stream/internal/known"

// knownTexts are texts whose copies need no sketch: the judge remembers them for good, so that any
// later record whose text is the same, byte for byte, is a duplicate. The committer enters them,
// workers look them up. What a worker finds depends on timing and room; what is said of a record
// does not, since the judge says the same of its sketch.
type knownTexts struct {
	*known.Table
	judge  Judge
	limits knownLimits
	judged int // records, since it was found out whether there are many copies
	copies int // of these
}

// knownLimits are how many buckets there may be, and of how many records it is found out whether to
// look texts up.
type knownLimits struct {
	buckets uint64
	trial   int
}

const (
	// Of knownTrial records one in copiesLeast must be a copy for the texts that come next to be
	// looked up. Else these are not even hashed.
	knownTrial  = 4096
	copiesLeast = 16

	knownAhead = 8 // texts whose buckets are prefetched while another one is entered
)

// newKnownTexts returns nil, which is good for use, if the judge remembers nothing for good.
func newKnownTexts(o *Options, limits knownLimits) *knownTexts {
	judge := o.Method.Judge
	if judge.Remembers == nil || !judge.Remembers(0) || o.Timed || o.Within != "" {
		return nil
	}
	return &knownTexts{Table: known.New(limits.buckets, judge.ReadsHashes), judge: judge, limits: limits}
}

// table is what workers look texts up in; nil for nil.
func (k *knownTexts) table() *known.Table {
	if k == nil {
		return nil
	}
	return k.Table
}

// A newText is a text that was looked up and not found.
type newText struct {
	record int // of those of the batch that are judged
	hash   uint64
}

// learn enters the texts of a batch that the judge remembers for good, and finds out whether there
// are many copies.
func (k *knownTexts) learn(b *batch, verdicts []Verdict) {
	if k == nil {
		return
	}
	for i, t := range b.texts {
		if i+knownAhead < len(b.texts) {
			k.Prefetch(b.texts[i+knownAhead].hash)
		}
		if t.record < len(verdicts) && k.judge.Remembers(verdicts[t.record].Votes) {
			sketch := uint64(0)
			if k.judge.ReadsHashes {
				sketch = b.sketches.Hashes[t.record]
			}
			k.Insert(t.hash, sketch)
		}
	}
	k.judged += len(verdicts)
	for _, v := range verdicts {
		if v.Duplicate && int(v.Votes) == k.judge.VotesOfCopy() {
			k.copies++
		}
	}
	if k.judged >= k.limits.trial {
		if k.copies*copiesLeast >= k.judged {
			k.Open()
		} else {
			k.Suspend()
		}
		k.judged, k.copies = 0, 0
	}
}
