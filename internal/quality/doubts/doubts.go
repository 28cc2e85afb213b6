// Package doubts says when a run looks wrong, so that nobody has to find out later: from the first
// texts, that they are of a kind for which the rule was not made; from the votes that records had,
// that the rule does not tell duplicates from other records.
//
// A doubt changes nothing. It needs enough records to be more than chance, and stays silent where
// it cannot tell.
package doubts

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A Doubt is a reason to look at a run again.
type Doubt struct {
	Name string `json:"name"` // for programs: html, spaces, long, short, removed, group, votes
	Says string `json:"says"` // what was seen, in one sentence
	Try  string `json:"try"`  // what to do, as the end of a sentence
}

// String is the doubt as one line.
func (d Doubt) String() string { return d.Says + ": " + d.Try }

// Votes are what the records of a run had, of an index whose rule takes several votes.
type Votes struct {
	Needed  int      // for a duplicate
	Records []uint64 // by their votes; the last number is of copies, which had a vote from each band
	Largest uint64   // records that joined the largest group, without copies
}

const (
	leastRecords = 1000 // fewer say nothing about a rule

	// Of records on five corpora at most a tenth have about as many votes as it takes to be
	// removed, from half as many to one and a half times as many. Where records resemble many
	// others a little, most of them do.
	aboutNeeded = 1. / 3
	// Where hardly anything is removed the rule has held.
	leastRemoved = .01
)

// Of looks at the votes of a run.
func Of(v Votes) (all []Doubt) {
	var records, removed, about uint64
	for votes, n := range v.Records {
		records += n
		if votes == len(v.Records)-1 {
			break // copies are beyond doubt
		}
		if votes >= v.Needed {
			removed += n
		}
		if 2*votes >= v.Needed && 2*votes < 3*v.Needed {
			about += n
		}
	}
	if records < leastRecords {
		return nil
	}
	share := func(n uint64) float64 { return float64(n) / float64(records) }
	if share(removed) > .5 {
		all = append(all, Doubt{"removed", fmt.Sprintf("%.0f %% of the records were removed, beside exact copies",
			100*share(removed)), "look at some of them with --report page.html --memory exact before you trust it"})
	}
	if share(v.Largest) > .1 {
		all = append(all, Doubt{"group", fmt.Sprintf("one record and what resembles it are %s of %s records",
			units.Count(v.Largest), units.Count(records)),
			"if they share a frame, compare their content: --markup html, or cut the frame by substr"})
	}
	if share(about) > aboutNeeded && share(removed) > leastRemoved {
		all = append(all, Doubt{"votes", fmt.Sprintf("%.0f %% of the records have about as many votes as make a "+
			"duplicate, so the rule does not tell duplicates from others", 100*share(about)),
			"use --memory exact, a higher --threshold or longer shingles"})
	}
	return all
}
