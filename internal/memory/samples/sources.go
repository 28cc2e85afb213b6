package samples

import (
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// A hash is common because many texts have it that have nothing else to do with each other, as a
// template is. A thousand copies of one page are one source of what the page says. So an entry that
// is a copy of an earlier one is a source only of hashes that none of the copies before it has; of
// the others it is a member. A hash weighs by its sources, whatever members it has.
//
// A hash keeps all of its sources, and of its members the first ones and the latest, since a copy
// is like one of these. So the list of a hash has a bound, however many copies there are.

// postingOf is how a table knows an entry: a member has the lowest bit.
func postingOf(entry uint32, isMember bool) uint32 {
	if isMember {
		return entry<<1 | 1
	}
	return entry << 1
}

func entryOf(word uint64) uint32 { return postings.EntryOf(word) >> 1 }

func isMember(word uint64) bool { return postings.EntryOf(word)&1 == 1 }

// commonPosting stands after all entries of a hash that is common.
const commonPosting = math.MaxUint32 - 1

// holders are the entries that a hash leads to, as words from the earliest one on.
type holders struct {
	words   []uint64
	sources int // of these, or Common if there are as many: then words say nothing
}

func (h holders) isCommon() bool { return h.sources >= Common }

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

// surplus is the index of the member that gives its place to the next one, if words have as many as
// a hash leads to.
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

// withoutSurplus leaves the members of a hash out that it does not lead to. Those of what was
// sealed may be among words, each part of which has kept what it would if it were alone.
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

// having returns the entries that have a hash. They are good until the next ones are asked for, or
// something is added.
func (x *Index) having(h uint64) holders {
	table, key := tableOf(h), keyOf(h)
	inMemory := x.tables[table].Of(key)
	words := x.wordsOf(table, key, inMemory)
	if len(words) > len(inMemory) {
		words = withoutSurplus(words)
	}
	return holdersOf(words)
}

// addHash has an entry, which is a copy of origin if it is not origin itself, be one of those that
// have a hash. If the hash weighs less then, it does so in all of them. That is so for 2, 4, 8 …
// sources, so that all of this takes few steps an entry.
func (x *Index) addHash(h uint64, entry, origin uint32) error {
	had := x.having(h)
	if had.isCommon() {
		return nil
	}
	level, member := fracminhash.LevelOf(h), origin != entry && x.anyCopyOf(origin, had.words)
	sources := had.sources
	if !member {
		sources++
	}
	weight := weightOf(sources)
	x.entries.weigh(entry, level, weight)
	if less := weightOf(had.sources) - weight; less > 0 {
		for _, word := range had.words {
			if earlier := entryOf(word); earlier != entry {
				x.entries.lighten(earlier, level, less)
			}
		}
	}
	table, key := tableOf(h), keyOf(h)
	if sources == Common && len(x.parts) > 0 {
		return x.noteCommon(table, key)
	}
	if member {
		if i, ok := surplus(had.words); ok {
			x.entries.lighten(entryOf(had.words[i]), level, weight)
		}
		if i, ok := surplus(x.tables[table].Of(key)); ok {
			x.tables[table].Replace(key, i, postingOf(entry, true))
			return nil
		}
	}
	return x.tables[table].Insert(key, postingOf(entry, member))
}

// anyCopyOf reports whether one of the entries that words lead to is a copy of one of which origin
// is the first.
func (x *Index) anyCopyOf(origin uint32, words []uint64) bool {
	return slices.ContainsFunc(words, func(word uint64) bool {
		entry := entryOf(word)
		return entry == origin || *x.entries.originAt(entry) == origin
	})
}
