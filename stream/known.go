package stream

import "github.com/mithril-stream/mithril-stream/stream/internal/known"

// knownTexts is a set of texts whose copies need no sketch. The judge remembers them for good, so
// any later record with the same bytes as its text is a duplicate. The committer adds texts, and
// workers look them up. Whether a worker finds a text depends on timing and space, but the verdict
// does not, since the judge would come to the same one from the sketch.
type knownTexts struct {
	*known.Table
	judge  Judge
	limits knownLimits
	judged int // records, since it was found out whether there are many copies
	copies int // of these
}

// knownLimits are the maximum number of buckets, and the number of records after which to decide
// again whether to look up texts.
type knownLimits struct {
	buckets uint64
	trial   int
}

const (
	// If at least one in copiesLeast of knownTrial records is a copy, the next texts are looked up.
	// Otherwise they are not even hashed.
	knownTrial  = 4096
	copiesLeast = 16

	knownAhead = 8 // texts whose buckets are prefetched while another one is entered
)

// newKnownTexts returns nil, which is usable, if the judge remembers nothing for good.
func newKnownTexts(o *Options, limits knownLimits) *knownTexts {
	judge := o.Method.Judge
	if judge.Remembers == nil || !judge.Remembers(0) || o.Timed || o.Within != "" {
		return nil
	}
	return &knownTexts{Table: known.New(limits.buckets, judge.ReadsHashes), judge: judge, limits: limits}
}

// table returns the table in which workers look up texts.
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

// learn adds the texts of a batch that the judge remembers for good, and counts copies to decide
// whether to look up the next texts.
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
