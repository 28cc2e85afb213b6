package sketchers

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/memory/prefixes"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/urlkey"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// WithinParameter names the field whose value records must have in common to be compared, in the
// identity of an index.
const WithinParameter = "within"

// A layout is the number of words of each kind in a sketch, in their order.
type layout struct {
	keys   int  // words of keys, two each
	packed int  // bits of a signature or a fingerprint
	isSet  bool // a number follows, and as many hashes in ascending order
	parts  bool // it is a sketch of package overlap, which says itself where its keys are
	sample bool // it is a sketch of package fracminhash
	digest bool // it is a digest of package tlsh
	vector bool // it is a row of package vectors, which a word for the value follows
	rarest int  // if not 0, it is a sketch of package prefixes with that many bands
}

// confine restricts the comparison of sketches to records with the same value of a field, and says
// so in their identity, if the rule asks for that.
func confine(
	c spec.Method, made func() stream.Sketcher, kind identity.KeyKind,
) (func() stream.Sketcher, identity.KeyKind) {
	within := c.Rule.Within
	if within.Field == "" {
		return made, kind
	}
	made = confineBy(within, layoutOf(c, kind), made)
	kind.Identity = append(slices.Clip(kind.Identity),
		bloomlsh.Parameter{Name: WithinParameter, Value: within.String()})
	return made, kind
}

// layoutOf returns the layout of the sketches of a method.
func layoutOf(c spec.Method, kind identity.KeyKind) (of layout) {
	p := kind.Params
	switch rule := c.Rule; {
	case rule.Parts.IsEnabled():
		return layout{parts: true}
	case rule.Parts.ByEquality():
		return layout{keys: 2}
	case rule.Fingerprint != nil && rule.Fingerprint.TLSH:
		return layout{digest: true}
	case rule.Fingerprint != nil:
		return layout{packed: rule.Fingerprint.Bits}
	case rule.Samples != nil:
		return layout{sample: true}
	case rule.ByVectors():
		return layout{vector: true}
	}
	if c.FindsByRarest() {
		return layout{rarest: p.Bands}
	}
	of.keys = 2 * p.Bands
	if c.Memory.IsExact() || c.Memory.Signatures {
		of.packed = p.NumPerm * p.PackedBits()
		of.isSet = c.HasSets()
	}
	return of
}

// ConfineSets has sketches of sketch.SignedSet confined as the rule asks, or with zero parameters
// those of sketch.Set.
func ConfineSets(c spec.Method, p sketch.Params, made func() stream.Sketcher) func() stream.Sketcher {
	return confineBy(c.Rule.Within, layout{keys: 2 * p.Bands, packed: p.NumPerm * p.PackedBits(), isSet: true}, made)
}

// ConfineKeys confines sketches that consist of the keys of that many bands, if the rule says so.
func ConfineKeys(c spec.Method, bands int, made func() stream.Sketcher) func() stream.Sketcher {
	return confineBy(c.Rule.Within, layout{keys: 2 * bands}, made)
}

// confineBy confines sketches of a layout if the rule says so.
func confineBy(within spec.Within, of layout, made func() stream.Sketcher) func() stream.Sketcher {
	if within.Field == "" {
		return made
	}
	return func() stream.Sketcher { return newConfined(made(), of, within.Form) }
}

// confined makes sketches that resemble only those of records with the same value. Each word that
// is compared is combined with bits that depend on the value: what is equal under one value stays
// equal, and what is equal under two becomes as unlike as two texts that have nothing in common.
type confined struct {
	stream.Sketcher
	of     layout
	mask   xxh3.Uint128
	hashes []uint64 // scratch: of a set of package prefixes
}

// MostScratch bounds the memory that is kept from one sketch to the next, in words.
const MostScratch = 1 << 19

func newConfined(s stream.Sketcher, of layout, form urlkey.Form) stream.Confiner {
	c := &confined{Sketcher: s, of: of}
	c.Within(nil, false)
	if form == urlkey.AsItIs {
		return c
	}
	texts, _ := stream.Ability[stream.URLReader](s)
	return &confinedByURL{confined: c, writer: urlkey.NewWriter(form), texts: texts}
}

// Unwrap returns the sketcher whose sketches are confined.
func (c *confined) Unwrap() stream.Sketcher { return c.Sketcher }

// Seeds of the hashes of values: "1" and 1 are two values, and so are "" and none.
const numberSeed, textSeed = 1, 2

// Within sets the value of the next record, as a stream.Confiner.
func (c *confined) Within(value []byte, isText bool) {
	seed := uint64(numberSeed)
	if isText {
		seed = textSeed
	}
	c.mask = xxh3.Hash128Seed(value, seed)
}

// confinedByURL is confined by values that are URLs. It is a stream.URLReader.
type confinedByURL struct {
	*confined
	writer  *urlkey.Writer
	value   []byte // scratch
	notURLs int
	texts   stream.URLReader // nil if texts are not URLs
}

// Within sets the value of the next record. A number is not a URL.
func (c *confinedByURL) Within(value []byte, isText bool) {
	isURL := false
	if isText {
		c.value, isURL = c.writer.Append(c.value[:0], value)
		value = c.value
	}
	if !isURL && (isText || len(value) > 0) {
		c.notURLs++
	}
	c.confined.Within(value, isText)
}

// NotURLs returns how many values were not URLs since the last call.
func (c *confinedByURL) NotURLs() (n int) {
	if n, c.notURLs = c.notURLs, 0; c.texts != nil {
		n += c.texts.NotURLs()
	}
	return n
}

// Append appends the sketch of a text.
func (c *confined) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	before := len(dst)
	if dst, ok = c.Sketcher.Append(dst, text); !ok {
		return dst, false
	}
	switch words := dst[before:]; {
	case c.of.parts:
		c.maskKeys(overlap.KeysIn(words))
	case c.of.sample:
		fracminhash.Confine(words, uint32(c.mask.Hi))
	case c.of.digest:
		tlsh.Confine(words, c.mask.Hi, c.mask.Lo)
	case c.of.vector:
		dst = append(dst, c.mask.Hi)
	case c.of.rarest > 0:
		c.hashes = prefixes.Params{Bands: c.of.rarest}.Confine(words, c.hashes, c.mask.Hi)
		if cap(c.hashes) > MostScratch {
			c.hashes = nil
		}
	default:
		c.maskAll(words)
	}
	return dst, true
}

func (c *confined) maskAll(words []uint64) {
	keys, words := words[:c.of.keys], words[c.of.keys:]
	c.maskKeys(keys)
	packed := sketch.PackedWords(c.of.packed, 1)
	c.maskPacked(words[:packed])
	if c.of.isSet {
		set := words[packed+1:] // after their number
		for i := range set {
			set[i] ^= c.mask.Hi
		}
		slices.Sort(set)
	}
}

func (c *confined) maskKeys(words []uint64) {
	for i := 0; i+1 < len(words); i += 2 {
		low := memory.LowHalf(words[i], words[i+1]) // which a mask of sums would hide
		words[i], words[i+1] = words[i]^c.mask.Hi, low^c.mask.Lo
	}
}

// maskPacked combines each word with other bits, since slots are compared place by place. Bits that
// belong to no slot stay zero.
func (c *confined) maskPacked(words []uint64) {
	state := c.mask.Lo
	for i := range words {
		state += 0x9e3779b97f4a7c15 // SplitMix64
		bits := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		bits = (bits ^ bits>>27) * 0x94d049bb133111eb
		bits ^= bits >> 31
		if left := c.of.packed - 64*i; left < 64 {
			bits &= 1<<left - 1
		}
		words[i] ^= bits
	}
}
