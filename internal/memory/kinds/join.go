package kinds

import (
	"cmp"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/dedup/union"
)

// Kinds that differ in only one word are joined if that word has at least leastValues values and at
// least leastFixed other words are equal: names of users and hosts vary although they contain no
// digits. Words with a digit, and words that vary already, count as equal.
const (
	leastValues = 4
	leastFixed  = 3
	mostJoined  = 64 // maximum words of a kind that is joined with others
)

// A shape holds a hash for each word of a kind, or 0 for a word that varies.
type shape struct {
	words []uint32
	sum   uint64 // of all words with their positions
	fixed int
}

// placed returns what a word adds to the sum.
func placed(word uint32, at int) uint64 {
	x := (uint64(word)<<8 | uint64(at)) * 0x9e3779b97f4a7c15
	return (x ^ x>>32) * 0xbf58476d1ce4e5b9
}

func shapeOf(words []word) (s shape) {
	for at, w := range words {
		hash := uint32(0)
		if !w.varies && !hasDigit(w.begin) {
			hash = uint32(xxh3.HashString(w.begin)) | 1
			s.fixed++
		}
		s.words = append(s.words, hash)
		s.sum += placed(hash, at)
	}
	return s
}

func hasDigit(word string) bool {
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			return true
		}
	}
	return false
}

// A maskedKind is a kind, keyed by all its words but one.
type maskedKind struct {
	key  uint64
	word uint32 // the word that is left out
	kind uint32
}

// joined joins kinds that differ in only one word. Kinds are ordered by number, and a joined kind
// takes the lowest.
func joined(all []*Counted) []*Counted {
	shapes := make([]shape, len(all))
	longest := 0
	for i, of := range all {
		if words := of.Template.current(); len(words) <= mostJoined {
			shapes[i] = shapeOf(words)
			longest = max(longest, len(words))
		}
	}
	var groups union.Groups
	for range all {
		groups.Add()
	}
	var list []maskedKind
	for at := range longest {
		list = list[:0]
		for i, s := range shapes {
			if at >= len(s.words) {
				continue
			}
			word, fixed := s.words[at], s.fixed
			if word != 0 {
				fixed--
			}
			if fixed >= leastFixed {
				key := s.sum - placed(word, at) + uint64(len(s.words))
				list = append(list, maskedKind{key, word, uint32(i)})
			}
		}
		slices.SortFunc(list, func(a, b maskedKind) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.word, b.word), cmp.Compare(a.kind, b.kind))
		})
		joinRuns(&groups, list)
	}
	return combined(all, &groups)
}

// joinRuns joins the kinds in list with equal keys if they have enough values or a word that
// varies.
func joinRuns(groups *union.Groups, list []maskedKind) {
	for from := 0; from < len(list); {
		to, values := from+1, 1
		for ; to < len(list) && list[to].key == list[from].key; to++ {
			if list[to].word != list[to-1].word {
				values++
			}
		}
		for i := from + 1; i < to; i++ {
			if values >= leastValues || list[i].word == list[i-1].word {
				groups.Join(list[i-1].kind, list[i].kind)
			}
		}
		from = to
	}
}

// combined returns one kind for each group, as a copy that leaves the originals unchanged.
func combined(all []*Counted, groups *union.Groups) (kinds []*Counted) {
	of := map[uint32]*Counted{}
	for i, k := range all {
		root := groups.Root(uint32(i))
		into := of[root]
		if into == nil {
			into = &Counted{}
			*into = *k
			of[root], kinds = into, append(kinds, into)
			continue
		}
		into.Records += k.Records
		into.Template.join(&k.Template)
	}
	return kinds
}
