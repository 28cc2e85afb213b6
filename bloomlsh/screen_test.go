package bloomlsh

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestScreenEqualsTally checks that a screen counts what a tally does for every record that it
// accepts, that it accepts those that it should, and that nothing of one record affects the next.
func TestScreenEqualsTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom([]*tagLayout{&narrowTags, &narrowDoubling}).Draw(t, "layout")
		const bands, lines = 70, 40
		table := &tagTable{tagLayout: *layout, words: make([]uint64, lines*lineWords)}
		most := min(layout.tags(), rapid.SampledFrom([]uint64{3, 40, 600}).Draw(t, "most"))
		few := rapid.Uint64Range(1, most).Draw(t, "tags")
		for place := range uint64(lines * table.perLine()) {
			table.put(place, 1<<15|1+rapid.Uint64Range(0, few-1).Draw(t, "tag"))
		}
		rule := groupRule{votes: rapid.IntRange(2, 9).Draw(t, "votes"), bands: bands}
		screened, full, s := newTally(layout, bands), newTally(layout, bands), &screen{}
		for range rapid.IntRange(1, 4).Draw(t, "records") {
			hits := drawHits(t, bands, lines)
			group := uint16(rapid.Uint64Range(1, layout.tags()).Draw(t, "group"))
			for _, votes := range []*tally{screened, full} {
				votes.reset()
				votes.limits = true
			}
			full.addTable(table, hits)
			accepts := int(full.most) < rule.votes && full.groups[group].votes == 0 && full.present.count() < bands
			if got := s.passes(screened, table, hits, rule, group); got != accepts {
				t.Fatalf("a record with %d votes is accepted: %v", full.most, got)
			}
			if got, want := countsOf(screened), countsOf(full); accepts && got != want {
				t.Fatalf("most votes, bands present, held and whether one is full: %s; should be %s", got, want)
			}
		}
	})
}

// drawHits draws hits as a lookup finds them: those of a band follow each other.
func drawHits(t *rapid.T, bands, lines int) (hits []tagHit) {
	most := rapid.SampledFrom([]int{bands / 4, bands}).Draw(t, "most")
	named := rapid.SliceOfN(rapid.IntRange(0, bands-1), 0, most).Draw(t, "bands")
	if rapid.IntRange(0, 9).Draw(t, "all") == 0 {
		for band := range bands {
			named = append(named, band)
		}
	}
	slices.Sort(named)
	for _, band := range named {
		entries := rapid.Uint32().Draw(t, "entries") & rapid.Uint32().Draw(t, "some") & rapid.Uint32().Draw(t, "few")
		word := uint64(rapid.IntRange(0, lines-1).Draw(t, "line") * lineWords)
		hits = append(hits, tagHit{word, entries, uint32(band)})
	}
	return hits
}

func countsOf(t *tally) string { return fmt.Sprint(t.most, t.present, t.held, t.full) }
