// Package doubts detects runs that look wrong, so that users need not find out later. The first
// texts may be of a kind that the rule was not made for, and the votes of records may show that the
// rule does not separate duplicates from other records.
//
// A doubt changes nothing. It requires enough records to be significant, and is silent if it cannot
// tell.
package doubts

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A Doubt is a reason to check a run.
type Doubt struct {
	// html, field, spaces, long, short, extracts, hidden, unlike, equal, removed, group, votes,
	// alike, climbs or hill
	Name string `json:"name"`
	Says string `json:"says"` // the observation, as one sentence
	Try  string `json:"try"`  // advice, as the end of a sentence
}

// String returns the doubt as one line.
func (d Doubt) String() string { return d.Says + ": " + d.Try }

// Votes counts the votes of the records of a run.
type Votes struct {
	Needed int // for a duplicate
	// by number of votes; the last one counts copies, which have a vote from each band
	Records []uint64
	Largest uint64 // records in the largest group, without copies
}

const (
	leastRecords = 1000 // fewer say nothing about a rule

	// On five corpora at most a tenth of the records have about as many votes as needed, from half
	// to one and a half times as many. If records resemble many others slightly, most of them do.
	aboutNeeded = 1. / 3
	// If hardly anything is removed the rule works.
	leastRemoved = .01

	// On the same corpora at most .46 of the removed records, beside copies, have fewer than one
	// and a half times as many votes as needed: most duplicates are close. In a corpus with dozens
	// of groups of 30 pages whose similarity is just below the threshold, .66 to .72 of them have.
	mostlyByFew = .6
	leastFew    = 100 // records

	// If one vote makes a duplicate, at most a twentieth of the records of five corpora have just
	// that one by published rules that work there, and a fifth by unigrams at .5, which remove
	// unrelated records. Where records have no duplicates, nearly all removals are by one vote.
	aboutOne    = .1
	mostlyByOne = .75
)

// OfCrowd examines the number of records that resemble a single one, without its copies, among all
// records of a run.
func OfCrowd(largest, records uint64) []Doubt {
	if records < leastRecords || float64(largest) <= .1*float64(records) {
		return nil
	}
	return []Doubt{{"group", fmt.Sprintf("one record and what resembles it are %s of %s records",
		units.Count(largest), units.Count(records)),
		"if they share a frame, compare their content: --markup html, or cut the frame by substr"}}
}

// Of examines the votes of a run.
func Of(v Votes) (all []Doubt) {
	var records, removed, about, few uint64 // few are those removed by about as many votes as needed
	for votes, n := range v.Records {
		records += n
		if votes == len(v.Records)-1 {
			break // copies are certain
		}
		if votes >= v.Needed {
			removed += n
		}
		if 2*votes >= v.Needed && 2*votes < 3*v.Needed {
			about += n
			if votes >= v.Needed {
				few += n
			}
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
	all = append(all, OfCrowd(v.Largest, records)...)
	if says := v.tellsNothing(about, few, removed, records); says != "" {
		all = append(all, Doubt{"votes", says, "use --memory exact, a higher --threshold or longer shingles"})
	}
	return all
}

// tellsNothing says why the rule cannot tell duplicates from other records: too many of them have
// about as many votes as needed. It returns "" if the rule can.
func (v Votes) tellsNothing(about, few, removed, records uint64) string {
	ofAll, ofRemoved := float64(about)/float64(records), float64(few)/float64(removed)
	switch {
	case float64(removed) <= leastRemoved*float64(records):
		return ""
	case v.Needed == 1:
		if ofAll > aboutOne || ofRemoved > mostlyByOne {
			return fmt.Sprintf("%.0f %% of the removed records, beside exact copies, have a single band in common "+
				"with earlier ones, as unrelated records may", 100*ofRemoved)
		}
	case ofAll > aboutNeeded:
		return fmt.Sprintf("%.0f %% of the records have about as many votes as make a duplicate, so the rule does "+
			"not tell duplicates from others", 100*ofAll)
	case few >= leastFew && ofRemoved > mostlyByFew:
		return fmt.Sprintf("%.0f %% of the removed records, beside exact copies, have hardly more votes than make "+
			"a duplicate, as pages of one site may whose similarity is below the threshold", 100*ofRemoved)
	}
	return ""
}
