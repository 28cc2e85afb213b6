package bloomlsh

import "math/bits"

// A screen recognises, in a third of the time that a tally takes, a record for which no group has
// enough votes. Nearly all records that are not duplicates are such. This matters most in a table
// that has doubled, where a record meets some twenty entries by chance.
type screen struct {
	tags [1 << 9]screenedTag // by narrow tag
	band uint64              // number of the band being counted, among those of all records; from 1
}

// A screenedTag contains the number of bands of a record that name a group, in its low 16 bits, and
// the number of the last such band.
type screenedTag uint64

// passes reports whether a record has fewer votes than a duplicate, none of its bands names the
// given group, and some band names none. Then the tally has everything that matters for such a
// record; otherwise it must be reset. The tally must have been reset before.
func (s *screen) passes(t *tally, table *tagTable, hits []tagHit, r groupRule, group uint16) bool {
	if table.bytes != narrowTags.bytes {
		return false
	}
	tags, mask, before := &s.tags, table.tags(), s.band
	number, band, named, most := before, -1, 0, screenedTag(0)
	for _, hit := range hits {
		if int(hit.band) != band {
			number, band, named = number+1, int(hit.band), 0
			t.present.put(band)
		}
		t.full = t.full || hit.entries == 0
		for rest := hit.entries; rest != 0; rest &= rest - 1 {
			place := uint64(bits.TrailingZeros32(rest))
			tag := &tags[table.words[hit.word+place/4]>>(place%4*16)&mask%uint64(len(tags))]
			votes := *tag & 0xffff
			switch last := uint64(*tag >> 16); {
			case last == number:
				continue
			case last <= before:
				votes = 0
			}
			*tag = screenedTag(number<<16) | votes + 1
			most = max(most, votes+1)
			if named++; named == tagHolders {
				t.held.put(band)
			}
		}
	}
	s.band, t.most = number, uint16(most)
	return int(most) < r.votes && uint64(tags[group]>>16) <= before && t.present.count() < r.bands
}
