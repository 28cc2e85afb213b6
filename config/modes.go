package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A mode is what a run compares or remembers, or does with records, in place of the default: to
// compare texts by their sets of shingles with Bloom filters, and to leave out what is a duplicate.
// A flag that has no meaning in a mode says so where it is declared, by not:"NAME,…", with names of
// modes and of what several of them lack. One that has meaning with some values only is checked
// where the mode is resolved. docs/reference/combinations.md shows the whole table.
type mode struct {
	name string
	does string // what asks for it does so: "compares vectors"
}

// What is compared.
var (
	bySimHash   = mode{"simhash", "compares fingerprints"}
	byTLSH      = mode{"tlsh", "compares digests of bytes"}
	bySamples   = mode{"samples", "compares samples of shingles"}
	byEmbedding = mode{"embedding", "compares vectors, all of them in memory"}
	byVectors   = mode{"vectors", "compares vectors that records have, and no texts"}
	byTokens    = mode{"tokens", "compares tokens that records have, and no texts"}
	byEquality  = mode{"equality", "is about whole records that are equal"}
	byKey       = mode{"key", "compares fields as they are"}
	byParts     = mode{"parts", "is about parts of records that are equal"}
)

// What is remembered.
var (
	inKeys   = mode{"keys", "remembers the key of each record"}
	inSet    = mode{"set", "remembers nothing after the run, and has no filters"} // of parts of records
	inBoth   = mode{"auto", "asks tables first and Bloom filters later"}          // of one kind for all records
	ofKinds  = mode{"kinds", "remembers kinds, and no other records"}
	readOnly = mode{"read-only", "adds nothing to an index, and commits nothing"}
)

// What is written, or looked at again.
var (
	withKinds  = mode{"told", "says what came again between the records"}
	withCounts = mode{"counts", "counts the copies of records of this run and its --index, and forgets none"}
	withEdits  = mode{"edits", "changes records, or writes none"}
	withAudit  = mode{"audit", "compares sets of shingles of records of this run"}
)

// Modes of single commands, which say in their own words why a flag has no meaning.
const (
	byPrefix   = "prefix"   // pairs without bands
	ofSketches = "sketched" // groups of sketch files, which leave no choice about records
)

// A lack is what a flag may be about that some modes do not have.
type lack struct {
	modes []string
	why   string
}

// lacks are what several flags are about, by the name that these give it.
var lacks = map[string]lack{
	"texts": {[]string{"vectors", "tokens", "key", "sketched"}, "what is compared is no text of a field"},
	"similarity": {[]string{"equality", "key", "parts"},
		"records, or parts of them, are equal or they are not"},
	"shingles": {[]string{"equality", "key", "parts", "tlsh", "embedding", "sketched"},
		"no set of shingles is made of a text"},
	"presets": {[]string{"equality", "key", "parts", "tlsh", "embedding", "sketched", "simhash", "samples"},
		"a published recipe is one of MinHash"},
	"bands": {[]string{"equality", "key", "parts", "tlsh", "embedding", "sketched", "simhash", "samples", "prefix"},
		"only signatures of MinHash are cut into bands"},
	"filters": {[]string{"simhash", "tlsh", "samples", "embedding", "keys", "kinds"},
		"all that is remembered is remembered exactly, without Bloom filters"},
	"rules": {[]string{"simhash", "tlsh", "samples", "tokens", "kinds", "audit"},
		"it has a rule of its own for which records are duplicates"},
	"past": {[]string{"set", "kinds", "auto", "counts"},
		"the memory is neither shared with other runs nor made of parts that are forgotten"},
}

// modesIn are the modes that a flag names by not:"NAME,…".
func modesIn(not string) (modes []string) {
	for name := range strings.SplitSeq(not, ",") {
		if of, isLack := lacks[name]; isLack {
			modes = append(modes, of.modes...)
		} else if name != "" {
			modes = append(modes, name)
		}
	}
	return modes
}

// refusals are the flags that have no meaning in each mode, in the order of their declarations. A
// flag means the same in all commands, so that of the filter speaks for those of its name.
var refusals = sync.OnceValue(func() map[string][]string {
	in := map[string][]string{}
	for _, flags := range []any{FilterFlags{}, GroupsFlags{}} {
		eachFlag(reflect.ValueOf(flags), func(name string, tag reflect.StructTag, _ reflect.Value) {
			for _, mode := range modesIn(tag.Get("not")) {
				if !slices.Contains(in[mode], name) {
					in[mode] = append(in[mode], name)
				}
			}
		})
	}
	return in
})

// refuses are the flags that have no meaning in the mode.
func (m mode) refuses() []string { return refusals()[m.name] }

// check refuses a flag that has no meaning beside the one that asks for the mode.
func (m mode) check(g explicitFlags, asks string) error {
	if flag := g.first(m.refuses()...); flag != "" {
		return fmt.Errorf("%s does not go with %s, which %s: leave one of them out", flag, asks, m.does)
	}
	return nil
}
