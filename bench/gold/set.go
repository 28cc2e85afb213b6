package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// A record is a line of a set.
type record struct {
	ID      string `json:"id"`
	Cluster string `json:"cluster"`
	Kind    string `json:"kind"` // first, reader or truncated
	Reader  string `json:"reader"`
	Text    string `json:"text"`
}

// The duplicates of a set. Half of them are of a few popular documents, since copies are not spread
// evenly; so a set can also be cut to a share of nine tenths.
const (
	popularShare   = .05 // of the documents
	popularRecords = .5  // of the duplicates
)

// writeSet writes a set of records: the first text of each document by any reader, and duplicates
// of both kinds, all in random order.
func writeSet(path string, documents []document, count int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := set{rng: rng}
	for i := range documents {
		s.addFirst(&documents[i])
	}
	duplicates := count - len(documents)
	popular := documents[:max(1, int(popularShare*float64(len(documents))))]
	s.addDuplicates(popular, int(popularRecords*float64(duplicates)), duplicates/2-duplicates/2/5)
	s.addDuplicates(documents[len(popular):], count-len(s.records), duplicates/2-s.truncated)
	rng.Shuffle(len(s.records), func(i, j int) { s.records[i], s.records[j] = s.records[j], s.records[i] })
	return records.WriteEach(path, s.records, func(_ int, r record) any { return r })
}

type set struct {
	rng       *rand.Rand
	records   []record
	truncated int
	first     map[string]int   // the reader of the first text, by document
	read      map[string][]int // readers whose texts are not there yet
}

func (s *set) addFirst(d *document) {
	if s.first == nil {
		s.first, s.read = map[string]int{}, map[string][]int{}
	}
	order := s.rng.Perm(len(d.texts))
	s.first[d.id], s.read[d.id] = order[0], order[1:]
	s.add(d, "first", order[0], d.texts[order[0]])
}

func (s *set) add(d *document, kind string, reader int, text string) {
	s.records = append(s.records, record{
		ID: fmt.Sprint(len(s.records)), Cluster: d.id, Kind: kind, Reader: d.readers[reader], Text: text,
	})
}

// addDuplicates adds count near-duplicates, taking the documents in turn. It truncates some of
// them, spread as evenly as the remaining readers allow.
func (s *set) addDuplicates(documents []document, count, truncated int) {
	until := s.truncated + truncated
	for added := 0; added < count; {
		for _, i := range s.rng.Perm(len(documents)) {
			if added == count {
				return
			}
			d := &documents[i]
			left := s.read[d.id]
			cut := until - s.truncated // still to be truncated, of count-added
			if len(left) == 0 || s.rng.IntN(count-added) < cut {
				s.addTruncated(d)
			} else {
				s.add(d, "reader", left[0], d.texts[left[0]])
				s.read[d.id] = left[1:]
			}
			added++
		}
	}
}

// addTruncated adds the first part of a text, between a half and nearly all of its lines.
func (s *set) addTruncated(d *document) {
	text := d.texts[s.first[d.id]]
	end := int((.5 + .45*s.rng.Float64()) * float64(len(text)))
	s.add(d, "truncated", s.first[d.id], strings.ToValidUTF8(text[:end], ""))
	s.truncated++
}
