package samples

import (
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// A hash is common if many unrelated texts have it, as those made from one template do. A thousand
// copies of a page are one source of what it says. So an entry that is a copy of an earlier one
// counts as a source only for hashes that none of the copies before it has; for the others it is a
// member. The weight of a hash depends on its sources, however many members it has.
//
// A hash lists all its sources, and the first and the latest of its members, since a copy resembles
// one of these. So the list of a hash is bounded, however many copies there are.

// postingOf returns the posting of an entry in a table. The lowest bit marks a member.
func postingOf(entry uint32, isMember bool) uint32 {
	if isMember {
		return entry<<1 | 1
	}
	return entry << 1
}

func entryOf(word uint64) uint32 { return postings.EntryOf(word) >> 1 }

func isMember(word uint64) bool { return postings.EntryOf(word)&1 == 1 }

// commonPosting follows the entries of a common hash.
const commonPosting = math.MaxUint32 - 1

// holders holds the entries listed for a hash, as postings in ascending order.
type holders struct {
	words []uint64
	// number of sources, or Common if there are at least as many; then words has no meaning
	sources int
}

func (h holders) isCommon() bool { return h.sources >= Common }

// crowds returns 1 if enough sources have the hash for it to count for near keys, otherwise 0.
func (h holders) crowds() int {
	if h.sources >= crowdedSources {
		return 1
	}
	return 0
}

// holdersOf counts the sources among the words of a key.
func holdersOf(words []uint64) holders {
	h := holders{words: words}
	for _, word := range words {
		if postings.EntryOf(word) == commonPosting {
			return holders{sources: Common}
		}
		if !isMember(word) {
			h.sources++
		}
	}
	return h
}

// surplus returns the index of the member that the next one replaces, if words lists the maximum
// number of members.
func surplus(words []uint64) (i int, ok bool) {
	members := 0
	for at, word := range words {
		if isMember(word) {
			if members == Members/2 {
				i = at
			}
			members++
		}
	}
	return i, members >= Members
}

// withoutSurplus removes members that exceed the limit of a hash. Words from several sealed parts
// may, since each part keeps as many as if it were alone.
func withoutSurplus(words []uint64) []uint64 {
	members, at := 0, 0
	for _, word := range words {
		if isMember(word) {
			members++
		}
	}
	if members <= Members {
		return words
	}
	return slices.DeleteFunc(words, func(word uint64) bool {
		if !isMember(word) {
			return false
		}
		at++
		return at > Members/2 && at <= members-Members/2
	})
}

// having returns the entries that have a hash. They are valid until the next call or addition.
func (x *hashLists) having(h uint64) holders {
	table, key := tableOf(h), keyOf(h)
	inMemory := x.tables[table].Of(key)
	words := x.wordsOf(table, key, inMemory)
	if len(words) > len(inMemory) {
		words = withoutSurplus(words)
	}
	return holdersOf(words)
}

// addHash lists an entry, which is a copy of origin unless it is origin itself, for a hash, and
// returns those that had it. If that lowers the weight of the hash, it lowers it in all entries.
// This happens at 2, 4, 8 … sources, so the total work is a few steps for each entry.
func (x *Index) addHash(h uint64, entry, origin uint32) (had holders, err error) {
	had = x.having(h)
	if had.isCommon() {
		return had, nil
	}
	level, member := fracminhash.LevelOf(h), origin != entry && x.anyCopyOf(origin, had.words)
	with := had.sources
	if !member {
		with++
	}
	weight := weightOf(with)
	x.entries.weigh(entry, level, weight)
	if less := weightOf(had.sources) - weight; less > 0 {
		for _, word := range had.words {
			if earlier := entryOf(word); earlier != entry {
				x.entries.lighten(earlier, level, less)
			}
		}
	}
	table, key := tableOf(h), keyOf(h)
	if with == Common && len(x.parts) > 0 {
		return had, x.noteCommon(table, key)
	}
	if member {
		if i, ok := surplus(had.words); ok {
			x.entries.lighten(entryOf(had.words[i]), level, weight)
		}
		if i, ok := surplus(x.tables[table].Of(key)); ok {
			x.tables[table].Replace(key, i, postingOf(entry, true))
			return had, nil
		}
	}
	return had, x.tables[table].Insert(key, postingOf(entry, member))
}

// anyCopyOf reports whether words lists a copy with the given origin.
func (x *Index) anyCopyOf(origin uint32, words []uint64) bool {
	return slices.ContainsFunc(words, func(word uint64) bool {
		entry := entryOf(word)
		return entry == origin || *x.entries.originAt(entry) == origin
	})
}
