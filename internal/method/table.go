package method

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory/kinds"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Method is a way to find duplicates: how a text is sketched, and which judge decides about it.
// All users of judges take it from the table: runs, groups, consumers, queries.
type Method struct {
	name string
	// is reports whether records are to be compared in this way.
	is func(c spec.Method) bool
	// sketcher returns a function that makes a sketcher for each worker, for texts without markup,
	// and the kind of its sketches.
	sketcher sketchers.Maker
	// ofTexts is sketcher for texts about which more is known. It is nil if that makes no
	// difference.
	ofTexts func(c spec.Method, t sketchers.Texts) (func() stream.Sketcher, identity.KeyKind, error)
	// begin returns the judge of a run.
	begin func(o *Opening) (*Detector, error)
	// Kind describes the memory of records that the judge can name. It is nil if the judge names
	// none.
	Kind func(c spec.Method, keys identity.KeyKind) *exact.Kind
	// signs returns how signatures of texts are made and written. It is nil if the method has none.
	signs func(c spec.Method) (Signing, error)
	// Page returns what the page of a run says about the method.
	Page func(c spec.Method, keys identity.KeyKind) Page
	// memory names the memory of its indexes, and stored completes the description of such a memory
	// from its parameters. Without these, near and index merge do not accept such an index.
	memory string
	stored func(m *storedMemory, dir string, files *SketchFiles) error
}

// methods lists all methods. The first one whose is returns true applies.
var methods = []Method{
	{name: "embedding",
		is:       func(c spec.Method) bool { return c.Rule.ByVectors() },
		sketcher: VectorSketcher, ofTexts: vectorsOfTexts, begin: beginExact,
		Kind: func(c spec.Method, keys identity.KeyKind) *exact.Kind {
			return exact.KindOfVectors(vectorParams(c, keys))
		},
		memory: identity.MemoryOfVectors, stored: (*storedMemory).ofVectors, Page: pageOfVectors, signs: signVector},
	{name: "containment",
		is:       func(c spec.Method) bool { return c.Rule.Sketch == spec.SketchFracMinHash },
		sketcher: sampleSketcher, begin: beginExact, Kind: samplesOf,
		memory: identity.MemoryOfSamples, stored: (*storedMemory).ofSamples, Page: pageOfSamples, signs: signSample},
	{name: "equality, exactly",
		is:       exact.MapsKeysToRecords,
		sketcher: equalitySketcher, ofTexts: equalityOfTexts, begin: beginExact, Kind: exact.KindOfRecords,
		memory: identity.MemoryOfKeys, stored: (*storedMemory).ofKeys, Page: pageOfKeys},
	{name: "parts, exactly",
		is:       func(c spec.Method) bool { return c.Rule.Parts.Method != "" && c.Memory.Kind == spec.MemoryExact },
		sketcher: partSketcher, begin: beginSet, Page: pageOfParts},
	{name: "parts",
		is:       func(c spec.Method) bool { return c.Rule.Parts.Method != "" },
		sketcher: partSketcher, ofTexts: partsOfTexts, begin: beginFilters, Page: pageOfParts},
	{name: "fingerprint",
		is:       func(c spec.Method) bool { return c.Rule.Fingerprint != nil },
		sketcher: fingerprintSketcher, begin: beginExact, Kind: fingerprintsKind,
		memory: identity.MemoryOfFingerprints, stored: (*storedMemory).ofFingerprints, Page: pageOfFingerprints,
		signs: signFingerprint},
	{name: "MinHash, by kinds",
		is:       func(c spec.Method) bool { return c.Rule.Kinds != nil },
		sketcher: minHashSketcher, begin: beginDigest, Page: pageOfDigest},
	{name: "sets, exactly",
		is:       func(c spec.Method) bool { return c.FindsByRarest() },
		sketcher: setSketcher, begin: beginExact, Kind: setsKind, Page: pageOfSets,
		memory: identity.MemoryOfSets, stored: (*storedMemory).ofSets, signs: signMinHash},
	{name: "MinHash, exactly",
		is:       func(c spec.Method) bool { return c.Memory.Kind == spec.MemoryExact },
		sketcher: minHashSketcher, begin: beginExact, Kind: signaturesOf, Page: pageOfMinHash,
		memory: spec.MemoryExact, stored: (*storedMemory).ofSignatures, signs: signMinHash},
	{name: "MinHash, exactly up to a limit",
		is:       func(c spec.Method) bool { return c.Memory.Kind == spec.MemoryAuto },
		sketcher: minHashSketcher, begin: beginAuto, Kind: signaturesOf, Page: pageOfMinHash, signs: signMinHash},
	{name: "MinHash",
		is:       func(c spec.Method) bool { return true },
		sketcher: minHashSketcher, begin: beginFilters, Kind: signaturesOf, Page: pageOfMinHash, signs: signMinHash},
}

// For returns the method of a configuration.
func For(c spec.Method) Method {
	return methods[slices.IndexFunc(methods, func(m Method) bool { return m.is(c) })]
}

// Open returns the judge of a run.
func (m Method) Open(o Opening) (*Detector, error) {
	o.kind = m.Kind
	return m.begin(&o)
}

// An Opening tells a method about the run for which it judges.
type Opening struct {
	Method spec.Method
	Keys   identity.KeyKind
	Cores  filters.Cores
	Format record.Format // nil if records are not named by a field
	ID     string        // the field that names them; may be empty
	// FormatName is the name of the format, and Separator is what ends a record of text.
	FormatName, Separator string
	// kind describes the memory of the method. It is nil if the method names no records.
	kind   func(c spec.Method, keys identity.KeyKind) *exact.Kind
	Decide index.Decide // decides a prepared commit; may be nil
	// Records estimates the number of records. It returns 0 if that is unknown.
	Records func() uint64
	// EachKey calls do for the band keys of all records, in order and some at a time, before the
	// run reads them. It is nil if they can be read only once. do does not retain the keys.
	EachKey func(do func(keys []bloomlsh.Key) error) error
	// PartsPerRecord estimates the number of parts of a record, if records are judged by parts.
	PartsPerRecord func() (float64, error)
}

// forFilters returns what filters need to know about the run.
func (o *Opening) forFilters() filters.Opening {
	return filters.Opening{
		Method: o.Method, Keys: o.Keys, Cores: o.Cores, Decide: o.Decide, Records: o.Records, EachKey: o.EachKey,
		PartsPerRecord: o.PartsPerRecord,
	}
}

// forExact returns what an exact memory needs to know about the run.
func (o *Opening) forExact() exact.Opening {
	return exact.Opening{
		Method: o.Method, Keys: o.Keys, Kind: o.kind(o.Method, o.Keys), Format: o.Format, ID: o.ID, Decide: o.Decide,
	}
}

// A Detector determines by a method which records are duplicates. Fields that the method does not
// need are nil.
type Detector struct {
	Judge      stream.Judge
	Similarity func(votes int) float64 // similarity for a number of votes; may be nil
	Ahead      int64                   // bytes of batches that the judge wants to see in advance
	Filters    *filters.Memory         // Bloom filters
	Exact      *exact.Memory           // knows which record another one resembles
	Pieces     *overlap.Judge          // knows which parts of a record were seen
	Digest     *kinds.Digest           // knows kinds, and writes what came again
	set        *overlap.Set            // of parts that are remembered exactly
}

// Store returns the index that a run is committed to, or nil if nothing is kept.
func (j *Detector) Store() *index.Writer {
	if w := j.Exact.Writer(); w != nil {
		return w
	}
	if store := j.Filters.Durable(); store != nil {
		return store.Writer
	}
	return nil
}

// Judges reports whether records are compared.
func (j *Detector) Judges() bool {
	return j.Filters != nil || j.Exact != nil || j.Digest != nil || j.set != nil
}

// HasNames reports whether originals have names.
func (j *Detector) HasNames() bool { return j.Exact != nil }

// Planned returns the number of records, or of their parts, that the run's own Bloom filters were
// made for; 0 without filters.
func (j *Detector) Planned() uint64 {
	if j == nil || j.Filters == nil {
		return 0
	}
	return j.Filters.Planned()
}

// Progress describes the size of the memory, in parts of a line.
func (j *Detector) Progress() (parts []string) {
	if g := j.Filters; g != nil {
		if inserted, capacity, bytes := g.Size(); j.Exact == nil || inserted > 0 {
			parts = append(parts, fmt.Sprintf("index %s of %s records, %s", units.Count(inserted),
				units.Count(capacity), units.Bytes(bytes)))
		}
	}
	if e := j.Exact; e != nil {
		if entries, bytes := e.Size(); bytes > 0 {
			parts = append(parts, fmt.Sprintf("index %s, %s", units.Of(entries, "signature"), units.Bytes(bytes)))
		}
	}
	return parts
}

// Close closes the memory and its index.
func (j *Detector) Close() error {
	if j == nil { // the run failed before
		return nil
	}
	err := errors.Join(j.Exact.Close(), j.Filters.Close())
	if j.Digest != nil {
		err = errors.Join(err, j.Digest.Close())
	}
	return err
}
