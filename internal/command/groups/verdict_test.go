package groups

import (
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/config/values"
)

// TestVerdict: a page says what looks wrong about groups, and what to do about it.
func TestVerdict(t *testing.T) {
	chained := chains{records: 3, groups: 1, least: .2, most: chain{kept: 1, unlike: 3, removed: 9}}
	for _, c := range []struct {
		name       string
		chosen     choice
		keep, file string
		days       *groupDays
		doubt, try string // the first doubt, if any
		fine, next string // without a doubt: what is fine, and the first step
	}{
		{"nothing found", choice{}, "first", "", nil, "", "", "No record", ""},
		{"as it should be", choice{groups: 4, crowd: 200}, "first", "", nil, "", "", "Every removed record", "closest"},
		{"none kept", choice{groups: 4}, "none", "c.jsonl", nil, "", "",
			"the record that represents the group", "--keep none"},
		{"a crowd", choice{groups: 4, crowd: 201}, "first", "", nil, "201 of 2,000 records", "--markup html", "", ""},
		{"a chain", choice{groups: 4, chains: chained}, "first", "", nil, "through others", "--linkage leader", "", ""},
		{"a chain of days", choice{groups: 4, chains: chained}, "first", "", &groupDays{},
			"through others", "--clusters FILE", "", ""},
	} {
		options := &config.Groups{Keep: values.Keep{{Rule: c.keep}}, Clusters: c.file}
		g := &grouping{c: options, chosen: c.chosen, days: c.days}
		v := g.verdict(2000)
		if c.doubt != "" {
			if len(v.Doubts) != 1 || !strings.Contains(v.Doubts[0].Says, c.doubt) ||
				!strings.Contains(v.Doubts[0].Try, c.try) {
				t.Errorf("%s: doubts %q", c.name, v.Doubts)
			}
			continue
		}
		if len(v.Doubts) > 0 || !strings.Contains(v.Fine, c.fine) {
			t.Errorf("%s: %q, doubts %q", c.name, v.Fine, v.Doubts)
		}
		if next := append(v.Next, "")[0]; !strings.Contains(next, c.next) {
			t.Errorf("%s: next %q", c.name, next)
		}
	}
}

// TestCopiesAreNoCrowd: a group of copies may be as large as it likes.
func TestCopiesAreNoCrowd(t *testing.T) {
	c := choice{kept: make([]uint64, 9)}
	similarity := func(_, b uint64) float32 {
		if b%2 == 0 {
			return 1
		}
		return .9
	}
	c.noteCrowd([]uint64{1, 2, 4, 6, 8}, 1, similarity)
	if c.crowd != 1 {
		t.Errorf("four copies of a record are a crowd of %d", c.crowd)
	}
	c.noteCrowd([]uint64{1, 2, 3, 5}, 1, similarity)
	if c.crowd != 3 {
		t.Errorf("two records that resemble a third are a crowd of %d", c.crowd)
	}
}
