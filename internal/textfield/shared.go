package textfield

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shared is a part of the text that is most of it in many records of an input which differ
// elsewhere: a passage that several questions are about, or a prompt with several answers. Such
// records would be near-duplicates.
type Shared struct {
	Input  string   // the name of the input
	Paths  []string // of the part
	Within string   // the path of a single value that the records share

	sample int
	found  *tally
}

const (
	// If at least leastSharing records of a sample, and a fourth of them, have most of their text
	// in common with an earlier one and a rest of their own, these are no accident.
	leastSharing = 2
	oneInSharing = 4
)

// A tally counts, for one sample, what its records share.
type tally struct {
	records, sharing int
	parts            map[*leaf]int // where the shared part is
	rests            map[*leaf]bool
	roles, restRoles map[string]bool // of messages in conversations
	within           map[string]int  // places of the longest string of the part
}

// findShared returns what many records of a sample share, or nil.
func (s *survey) findShared() *Shared {
	look := newSharing(s)
	tallies := map[int]*tally{}
	for i := range s.all {
		record := &s.all[i]
		t := tallies[record.sample]
		if t == nil {
			t = &tally{parts: map[*leaf]int{}, rests: map[*leaf]bool{}, roles: map[string]bool{},
				restRoles: map[string]bool{}, within: map[string]int{}}
			tallies[record.sample] = t
		}
		t.records++
		if common, rest := look.at(record); common != nil {
			t.add(record, common, rest)
		}
	}
	for _, sample := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[sample]
		if t.sharing >= leastSharing && oneInSharing*t.sharing >= t.records {
			return &Shared{sample: sample, found: t, Paths: t.paths(), Within: t.place()}
		}
	}
	return nil
}

// maxPlaced is for how many records the places of what they share are looked up.
const maxPlaced = 50

// add counts a record with what it shares with an earlier one and what is its own.
func (t *tally) add(record *sampled, common, rest []said) {
	t.sharing++
	for _, part := range common {
		t.parts[part.leaf]++
		t.roles[part.role] = true
	}
	for _, part := range rest {
		t.rests[part.leaf] = true
		t.restRoles[part.role] = true
	}
	if t.sharing <= maxPlaced {
		t.within[placeOf("", record.value, common[0].text)]++
	}
}

// leaves are where the shared part is in at least half of the records that share one.
func (t *tally) leaves() (leaves []*leaf) {
	for l, records := range t.parts {
		if 2*records >= t.sharing {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

func (t *tally) paths() (paths []string) {
	for _, l := range t.leaves() {
		paths = append(paths, l.path)
	}
	slices.Sort(paths)
	return paths
}

// place is where most records have the longest string of the part.
func (t *tally) place() string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(t.within)), func(a, b string) int {
		return cmp.Compare(t.within[a], t.within[b])
	})
}

// leaveOutShared takes what records share out of the text. It reports whether that leaves all of
// the rest there: not if the two are at the same paths.
func (s *survey) leaveOutShared(found *Shared) (isApart bool) {
	t := found.found
	leaves := t.leaves()
	for _, l := range leaves {
		if l.chat == "" {
			l.shared = true
			if t.rests[l] {
				return false
			}
			continue
		}
		chat := s.chats[l.chat]
		for role := range t.roles {
			if role != "" && (t.restRoles[role] || !chat.isList) || strings.ContainsAny(role, "|]") {
				return false
			}
		}
		delete(t.roles, "")
		chat.shared = slices.Sorted(maps.Keys(t.roles))
	}
	return len(leaves) > 0
}

// placeOf returns the path of the first string in a value that is the given one, with the numbers
// of elements of lists.
func placeOf(path string, value any, text string) string {
	switch v := value.(type) {
	case string:
		if v == text {
			return path
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "" {
				continue // no path can express it
			}
			if at := placeOf(join(path, key), v[key], text); at != "" {
				return at
			}
		}
	case []any:
		for i, element := range v {
			if at := placeOf(join(path, strconv.Itoa(i)), element, text); at != "" {
				return at
			}
		}
	}
	return ""
}
