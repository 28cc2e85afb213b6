package bloomlsh

import (
	"errors"
	"math/bits"
)

// A groupRecord is the form in which the log of a tagged index stores a record: its keys, followed
// by a few more keys that contain the tag of its group, the bands whose keys were marked, and the
// bands in which it was entered. So replaying the log requires no judging.
type groupRecord struct {
	keys  []Key
	bands int
}

// recordKeys returns the number of keys that the log stores for a record.
func (p Params) recordKeys() int {
	if p.isTagged() {
		return p.Bands + 1 + setKeys(p.Bands)
	}
	return p.Bands
}

// setKeys returns the number of keys that hold one bit for each band.
func setKeys(bands int) int { return (bands + 127) / 128 }

// begin stores a record's keys, the bands in which its group was entered, and whether the record
// was also entered as a whole.
func (r *groupRecord) begin(keys []Key, group uint16, entered bandSet, whole bool) {
	r.bands = len(keys)
	tag := Key{Lo: uint64(group)}
	if whole {
		tag.Hi = 1
	}
	r.keys = append(append(r.keys[:0], keys...), tag)
	for i := 0; i < len(entered); i += 2 {
		set := Key{Lo: entered[i]}
		if i+1 < len(entered) {
			set.Hi = entered[i+1]
		}
		r.keys = append(r.keys, set)
	}
}

// mark stores the bands whose keys were marked.
func (r *groupRecord) mark(marks bandMarks) { r.keys[r.bands].Hi |= uint64(marks) << 16 }

func (r *groupRecord) marks() bandMarks { return bandMarks(r.keys[r.bands].Hi >> 16) }

func (r *groupRecord) isWhole() bool { return r.keys[r.bands].Hi&1 != 0 }

func (r *groupRecord) group() uint16 { return uint16(r.keys[r.bands].Lo) }

// eachBand calls do for each band in which the group was entered.
func (r *groupRecord) eachBand(do func(band int)) {
	for i, set := range r.keys[r.bands+1:] {
		for j, word := range [2]uint64{set.Lo, set.Hi} {
			for ; word != 0; word &= word - 1 {
				do(128*i + 64*j + bits.TrailingZeros64(word))
			}
		}
	}
}

// checkRecord returns an error for keys that no tagged index writes.
func (p Params) checkRecord(keys []Key) error {
	if !p.isTagged() {
		return nil
	}
	r := groupRecord{keys: keys, bands: p.Bands}
	switch group := keys[p.Bands]; {
	case group.Hi&0xfffe != 0 || group.Lo == 0 || group.Lo > p.tagLayout().tags():
		return errors.New("a record of no group")
	}
	last := 0
	r.eachBand(func(band int) { last = max(last, band) })
	r.marks().each(func(band int) { last = max(last, band) })
	if last >= p.Bands {
		return errors.New("a record that was entered in more bands than there are")
	}
	return nil
}

// replay enters a record of the log into a generation, and counts the record.
func (x *Index) replay(g *generation, keys []Key) error {
	if x.groups == nil {
		g.add(keys)
		g.inserted++
		return nil
	}
	if x.params.doubles() && g.full() {
		if err := x.double(); err != nil {
			return err
		}
	}
	x.groups.replay(g, groupRecord{keys: keys, bands: x.params.Bands})
	g.inserted++
	g.keepUp()
	return nil
}

func (j *groupJudge) replay(g *generation, r groupRecord) {
	g.makeTagRoom(r.bands + j.params.Votes)
	own := r.keys[:r.bands]
	lines := g.tags.address(own)
	r.eachBand(func(band int) {
		g.addTag(lines[band], j.entryOf(lines[band].bits, r.group()))
	})
	if r.isWhole() {
		j.addWhole(g, own, r.group())
	}
	j.mark(g, own, r.group(), r.marks())
}
