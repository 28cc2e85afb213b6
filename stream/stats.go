package stream

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// Stats counts what a run did. Every record is counted exactly once: Records = Unseen + Duplicates
// + Empty + Blank + all Rejects.
type Stats struct {
	Records     uint64
	Unseen      uint64
	Duplicates  uint64
	Empty       uint64       // records whose text has nothing to compare, where they are not rejects
	Blank       uint64       `json:",omitempty"` // lines and rows without anything in them, which are no records but count as such
	LeftOut     LeftOut      `json:",omitzero"`  // what fields lead to and texts leave out
	NotURLs     LeftOut      `json:",omitzero"`  // values that were to be URLs, and are compared as they are
	NonFinite   uint64       `json:",omitempty"` // records with NaN or Infinity, which are no JSON
	Rejects     RejectCounts // records that could not be read
	FirstReject *Place       // the first of them, but for those that their inputs cut off
	FirstCut    *Place       `json:",omitempty"` // the first of those
	Followers   Followers    `json:",omitzero"`
	Withheld    uint64       // records, among the last two, that are not in the output
	BytesIn     uint64       // of the inputs, decompressed, up to their last records
	At          Position     // where in the inputs the last of them stands
	LineTime    *int64       `json:",omitempty"` // under Source.LineTimes the time of the last line that has one
	Header      uint64       // a hash of the header below which the records stand, where they have one
	Lost        uint64       // inputs that could not be read to their ends
	FirstLost   *Place       // the first of them
	Written     Written      // bytes
	Shards      []Shard      `json:",omitempty"` // those that are through, where the output is divided
	Shard       Shard        `json:",omitzero"`  // and the one after them

	NeverLeftOut []FieldMember `json:"-"` // members that fields leave out and no record has; known at the end

	Complete bool // all input was read, as far as it can be, and everything was written (I4)
}

// Written counts the bytes of each stream of records that a run writes.
type Written struct {
	Output, Duplicates, Rejects uint64
}

// RejectCounts counts rejected records by problem.
type RejectCounts [record.Kinds]uint64

// Kept returns the number of records in the output.
func (s Stats) Kept() uint64 { return s.Records - s.Duplicates - s.Withheld }

// Total returns the number of rejected records.
func (r RejectCounts) Total() uint64 {
	var n uint64
	for _, count := range r {
		n += count
	}
	return n
}

// CutOff returns the number of rejected records that are cut off by the end of their input.
func (r RejectCounts) CutOff() uint64 { return r[record.KindCutOff] }

// Broken returns the number of rejected records that are malformed, and so cannot be converted to
// another format.
func (r RejectCounts) Broken() uint64 {
	var n uint64
	for k, count := range r {
		if !record.Kind(k).IsTextProblem() {
			n += count
		}
	}
	return n
}

// NotUTF8 returns the number of records with bytes that are not valid UTF-8, which cannot be
// converted either.
func (r RejectCounts) NotUTF8() uint64 { return r[record.KindNotUTF8] }

// MarshalJSON writes an object with a member for each problem that occurred.
func (r RejectCounts) MarshalJSON() ([]byte, error) {
	counts := map[string]uint64{}
	for k, count := range r {
		if count > 0 {
			counts[record.Kind(k).String()] = count
		}
	}
	return json.Marshal(counts)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *RejectCounts) UnmarshalJSON(text []byte) error {
	var counts map[string]uint64
	if err := json.Unmarshal(text, &counts); err != nil {
		return err
	}
	*r = RejectCounts{}
	for name, count := range counts {
		k, ok := record.KindNamed(name)
		if !ok {
			return fmt.Errorf("%q is no kind of reject that this program knows", name)
		}
		r[k] = count
	}
	return nil
}

// liveStats are the committer's counts, which others can read while it works.
type liveStats struct {
	mu    sync.Mutex
	stats Stats
}

func (l *liveStats) store(s Stats) {
	l.mu.Lock()
	l.stats = s
	l.mu.Unlock()
}

func (l *liveStats) load() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}
