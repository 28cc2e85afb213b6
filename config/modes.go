package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
)

// A mode is a departure from the default, which is to compare texts by their sets of shingles,
// remember them in Bloom filters and drop duplicates. A flag that means nothing in a mode declares
// so with the tag not:"NAME,…", which lists modes and lacks. Flags that allow only some values are
// in valueLacks. docs/reference/combinations.md lists all combinations.
type mode struct {
	name  string
	does  string // what the flag that selects the mode does, as in "compares vectors"
	needs string // what to give instead; empty if one of the two flags must be dropped
}

// Modes of comparing.
var (
	bySimHash   = mode{name: "simhash", does: "compares fingerprints"}
	byTLSH      = mode{name: "tlsh", does: "compares digests of bytes"}
	bySamples   = mode{name: "samples", does: "compares samples of shingles"}
	byEmbedding = mode{name: "embedding", does: "compares vectors, all of them in memory"}
	byVectors   = mode{name: "vectors", does: "compares vectors that records have, and no texts"}
	byTokens    = mode{name: "tokens", does: "compares tokens that records have, and no texts"}
	byEquality  = mode{name: "equality", does: "is about whole records that are equal"}
	byKey       = mode{name: "key", does: "compares fields as they are"}
	byParts     = mode{name: "parts", does: "is about parts of records that are equal"}
)

// Modes of remembering.
var (
	inKeys   = mode{name: "keys", does: "remembers the key of each record"}
	inSet    = mode{name: "set", does: "remembers nothing after the run, and has no filters"}
	inBoth   = mode{name: "auto", does: "asks tables first and Bloom filters later"}
	ofKinds  = mode{name: "kinds", does: "remembers kinds, and no other records"}
	readOnly = mode{name: "read-only", does: "adds nothing to an index, and commits nothing"}
	overDays = mode{name: "days", does: "continues the groups of earlier days, whose kept records are gone"}
	inExact  = mode{name: "exact", does: "remembers records themselves, without Bloom filters"}
	inBloom  = mode{
		name: "bloom", does: "Bloom filters know that a record was seen, and not which one",
		needs: "--memory exact",
	}
)

// Modes of writing, and of reviewing what was written.
var (
	withKinds  = mode{name: "told", does: "writes what is repeated between the records"}
	withCounts = mode{name: "counts",
		does: "counts the copies of records of this run and its --index, and forgets none"}
	withEdits = mode{name: "edits", does: "changes records, or writes none"}
	withAudit = mode{name: "audit", does: "compares sets of shingles of records of this run"}
)

// Modes of single commands, which explain in their own words why a flag means nothing.
const (
	byPrefix   = "prefix"   // pairs found without bands
	ofSketches = "sketched" // groups of sketch files, which fix how records are compared
)

// A lack is something that flags refer to and that several modes do not have.
type lack struct {
	modes []string
	why   string
}

// lacks maps the names used in tags to lacks.
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
	"filters": {[]string{"simhash", "tlsh", "samples", "embedding", "keys", "exact", "kinds"},
		"all that is remembered is remembered exactly, without Bloom filters"},
	"rules": {[]string{"simhash", "tlsh", "samples", "tokens", "kinds", "audit"},
		"it has a rule of its own for which records are duplicates"},
	"past": {[]string{"set", "kinds", "auto", "counts"},
		"the memory is neither shared with other runs nor made of parts that are forgotten"},
}

// modesIn returns the modes that a tag not:"NAME,…" refers to.
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

// refusals maps each mode to the flags that mean nothing in it, in the order of declaration. A flag
// means the same in all commands, so the filter's declaration applies to all flags of that name.
var refusals = sync.OnceValue(func() map[string][]string {
	in := map[string][]string{}
	for _, flags := range []any{FilterFlags{}, GroupsFlags{}, KafkaFlags{}} {
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

// refuses returns the flags that mean nothing in the mode.
func (m mode) refuses() []string { return refusals()[m.name] }

// check rejects flags that mean nothing in the mode. asks is the flag that selects it.
func (m mode) check(g cmdline.Given, asks string) error {
	switch flag := g.First(m.refuses()...); {
	case flag != "" && m.needs != "":
		return fmt.Errorf("%s needs %s: %s", flag, m.needs, m.does)
	case flag != "":
		return fmt.Errorf("%s does not go with %s, which %s: leave one of them out", flag, asks, m.does)
	}
	return nil
}

// A valueLack declares values that a flag cannot have in some modes.
type valueLack struct {
	modes  []mode
	flag   string
	values string // separated by |; after "not ", the only values allowed
	why    string
}

var valueLacks = []valueLack{
	{[]mode{overDays}, "--keep", "not first",
		"what was kept on an earlier day is already written, so the first record of a group stays"},
	{[]mode{overDays}, "--linkage", "leader",
		"one run over all days may have other leaders; where it is the default, --linkage single joins chains of " +
			"records, whose ends may be unlike"},
	{[]mode{overDays}, "--seed", "random", "all days need one seed: give a number"},
	{[]mode{inBoth}, "--verify", "text|containment", "Bloom filters have no texts to compare with"},
	{[]mode{bySimHash, byTLSH, bySamples, byEmbedding}, "--memory", "not exact",
		"all that is compared is remembered exactly"},
	{[]mode{byEquality, byKey, byParts}, "--memory", "auto", "it is about similar texts"},
}

// checkValue rejects a value that a flag cannot have in the mode. asks is the flag that selects it.
// An empty value is allowed.
func (m mode) checkValue(asks, flag, value string) error {
	for _, of := range valueLacks {
		if of.flag != flag || value == "" || !slices.Contains(of.modes, m) {
			continue
		}
		values, others := strings.CutPrefix(of.values, "not ")
		if slices.Contains(strings.Split(values, "|"), value) != others {
			return fmt.Errorf("%s %s does not go with %s: %s", flag, value, asks, of.why)
		}
	}
	return nil
}
