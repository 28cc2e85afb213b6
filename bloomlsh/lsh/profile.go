package lsh

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Profile says how similar the earlier records are that a record of a stream meets. Tune weighs
// rules by it.
type Profile struct {
	// Nearest holds the share of records by the similarity of their nearest earlier record: in
	// steps of 1/20 from 0 on, and last those that are equal to an earlier one. The shares add up
	// to 1.
	Nearest [nearestBins + 1]float64
	// Crowded is the share of records that meet the Others beside their nearest one.
	Crowded float64
	Others  []Crowd
}

// A Crowd is a number of earlier records of the same similarity, such as pages that share a
// template with this one.
type Crowd struct {
	Records, Similarity float64
}

const nearestBins = 20

// nearestOfCorpora is the mean over rfc_sample, docs_sample, course_onek, newsgroups20 and
// reuters21578 (docs/design/quality.md), each with equal weight, by shingles of five words.
var nearestOfCorpora = [nearestBins + 1]float64{
	.5156, .0786, .0483, .0371, .0329, .0294, .0274, .0252, .0233, .0185,
	.0162, .0134, .0119, .0119, .0132, .0126, .0148, .0100, .0115, .0112, .0370,
}

// crowdedShare is measured on docs_sample: one page in twenty has more than 160 of 17,000 earlier
// ones at a similarity of 0.3 or more.
const crowdedShare = .05

// DefaultProfile is the name of the profile that Tune uses unless another is asked for.
const DefaultProfile = "boilerplate"

// profiles are named by what one record in twenty meets beside its nearest one.
var profiles = map[string]Profile{
	"distinct":     {Nearest: nearestOfCorpora},
	DefaultProfile: {Nearest: nearestOfCorpora, Crowded: crowdedShare, Others: []Crowd{{1000, .3}}},
	"templates":    {Nearest: nearestOfCorpora, Crowded: crowdedShare, Others: []Crowd{{1000, .3}, {100_000, .2}}},
}

// ProfileNames are the profiles that ParseProfile knows by name.
func ProfileNames() []string { return slices.Sorted(maps.Keys(profiles)) }

// ParseProfile returns the profile of a name, or one of
// "share:records@similarity,records@similarity,…", such as "0.05:1000@0.3,100000@0.2": that share
// of the records meets these numbers of earlier records of these similarities, beside its nearest
// one.
func ParseProfile(text string) (Profile, error) {
	if p, named := profiles[text]; named {
		return p, nil
	}
	fail := func(what string) (Profile, error) {
		return Profile{}, fmt.Errorf("profile %q: %s: use %s, or SHARE:RECORDS@SIMILARITY,… such as 0.05:1000@0.3",
			text, what, strings.Join(ProfileNames(), ", "))
	}
	share, crowds, found := strings.Cut(text, ":")
	if !found {
		return fail("no such name")
	}
	p := Profile{Nearest: nearestOfCorpora}
	var err error
	if p.Crowded, err = strconv.ParseFloat(share, 64); err != nil || !(p.Crowded >= 0 && p.Crowded <= 1) {
		return fail("the share is not between 0 and 1")
	}
	for crowd := range strings.SplitSeq(crowds, ",") {
		records, similarity, _ := strings.Cut(crowd, "@")
		n, err := strconv.ParseFloat(records, 64)
		if err != nil || !(n > 0 && n <= MaxCapacity) {
			return fail("the number of records is not above 0")
		}
		j, err := strconv.ParseFloat(similarity, 64)
		if err != nil || !(j > 0 && j < 1) {
			return fail("the similarity is not between 0 and 1")
		}
		p.Others = append(p.Others, Crowd{n, j})
	}
	return p, nil
}

// A meeting is a share of the records of a profile whose nearest earlier record has one similarity.
type meeting struct {
	jaccard, share float64
}

// meetings spreads the steps of Nearest evenly over their width.
func (p Profile) meetings() []meeting {
	const parts = 4
	list := make([]meeting, 0, nearestBins*parts+1)
	for bin, share := range p.Nearest[:nearestBins] {
		for part := range parts {
			jaccard := (float64(bin*parts+part) + .5) / (nearestBins * parts)
			list = append(list, meeting{jaccard, share / parts})
		}
	}
	return append(list, meeting{1, p.Nearest[nearestBins]})
}
