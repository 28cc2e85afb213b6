package textfield

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/zeebo/xxh3"
)

const (
	// sharesMost is the share of the text from which on two records that have the rest of their own
	// may be taken for near-duplicates.
	sharesMost = .8
	// leastCommon is the least length, in bytes, of what is more than a phrase.
	leastCommon = 80
	// mostRests is how many rests are kept, for comparison, of the records that share a part.
	mostRests = 8
)

// A sharing finds records that have most of their text in common with an earlier one, and differ
// from it elsewhere. Copies do not, and neither do near-duplicates, which differ only in ids,
// numbers or a few words, or in a label that other records have, too.
type sharing struct {
	compared map[*leaf]bool
	records  map[uint64]*occurrence // of strings, by their hashes
	rests    map[uint64][]words     // of records that share a part, by its hash
	known    map[uint64]bool        // rests that were seen
}

// An occurrence is where a string was seen.
type occurrence struct{ records, last int }

func newSharing(s *survey) *sharing {
	f := &sharing{compared: map[*leaf]bool{}, records: map[uint64]*occurrence{}, rests: map[uint64][]words{},
		known: map[uint64]bool{}}
	for _, l := range s.leaves {
		f.compared[l] = l.isCompared()
	}
	for i, record := range s.all {
		for j := range record.says {
			part := &record.says[j]
			part.hash = hashOf(part.text)
			of := f.records[part.hash]
			if of == nil {
				of = &occurrence{last: -1}
				f.records[part.hash] = of
			}
			if of.last != i {
				of.records, of.last = of.records+1, i
			}
		}
	}
	return f
}

// at returns the part of the next record that it shares with an earlier one, the longest string
// first, and the rest, which is its own. common is nil if there is no such part.
func (f *sharing) at(record *sampled) (common, rest []said) {
	common, rest = f.divide(record)
	words := newWords(rest)
	if common == nil || words.areFew() {
		return nil, nil
	}
	var part uint64
	for _, of := range common {
		part += of.hash
	}
	own, earlier := words.hash(), f.rests[part]
	isOwn := !f.known[own] && len(earlier) > 0 && !slices.ContainsFunc(earlier, words.isNear)
	if f.known[own] = true; len(earlier) < mostRests {
		f.rests[part] = append(earlier, words)
	}
	if !isOwn {
		return nil, nil
	}
	return common, rest
}

// divide divides the text of a record: the longest strings that other records have, too, if they
// make up most of it, and the rest.
func (f *sharing) divide(record *sampled) (common, rest []said) {
	total := 0
	var parts []said
	for _, part := range record.says {
		if f.compared[part.leaf] {
			parts = append(parts, part)
			total += len(part.text)
		}
	}
	slices.SortStableFunc(parts, func(a, b said) int { return cmp.Compare(len(b.text), len(a.text)) })
	shared := 0
	for _, part := range parts {
		isMost := float64(shared) >= sharesMost*float64(total)
		if !isMost && f.records[part.hash].records > 1 {
			shared += len(part.text)
			common = append(common, part)
		} else {
			rest = append(rest, part)
		}
	}
	if shared < leastCommon || float64(shared) < sharesMost*float64(total) {
		return nil, nil
	}
	return common, rest
}

// hashOf is the same for texts that differ only in white space and in the case of ASCII letters.
func hashOf(text string) uint64 {
	normal := make([]byte, 0, len(text))
	isSpace := true
	for _, c := range []byte(text) {
		wasSpace := isSpace
		switch isSpace = c == ' ' || '\t' <= c && c <= '\r'; {
		case isSpace && wasSpace:
			continue
		case isSpace:
			c = ' '
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		normal = append(normal, c)
	}
	return xxh3.Hash(bytes.TrimSuffix(normal, []byte(" ")))
}
