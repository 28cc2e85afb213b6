// Package spec has the plain values that say how records are judged: the rule by which one is a
// duplicate, and the memory that it is compared with. The command line, the Go package dedup and
// every other caller fill them in; package method makes a sketcher and a judge of them. So equal
// values always mean the same judge and the same identity of an index.
//
// Text and Tuning are the flags of the same names: their tags say what package config asks of each.
// Zero is what the user has left alone, until Complete fills it in.
//
// A value that has been handed on is complete, and is never written afterwards. The types have no
// hidden state, and may be copied and read by several goroutines.
package spec

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/urlkey"
)

// A Method is everything that decides how records are judged.
type Method struct {
	Rule   Rule
	Memory Memory
}

// Values of Rule.Sketch beside the sketches of MinHash.
const (
	SketchSimHash     = "simhash"
	SketchTLSH        = "tlsh"
	SketchEmbedding   = "embedding"   // compares vectors
	SketchFracMinHash = "fracminhash" // asks how much of a text is in another one
)

// OtherSketches are the values of Rule.Sketch that are not of MinHash.
var OtherSketches = []string{SketchSimHash, SketchTLSH, SketchEmbedding, SketchFracMinHash}

// A Rule says which records are duplicates. Of Fingerprint, Samples, Kinds and Parts.Method at most
// one is set; without any, texts are compared by their sets of shingles.
type Rule struct {
	Text    Text
	Sketch  string // what texts are compared by: a sketch of MinHash, or one of the constants above
	BandKey string // xxh3 or sum
	Seed    Seed
	Tuning
	Verification
	Fingerprint *Fingerprint
	Samples     *Samples
	Vectors     Vectors
	Parts       Parts
	Kinds       *Kinds
	Within      Within
}

// Within says what records have in common that are compared with each other. The zero Within is for
// nothing.
type Within struct {
	Field string
	Form  urlkey.Form
}

// ParseWithin reads what a user has written.
func ParseWithin(written string) (w Within) {
	w.Field, w.Form = urlkey.Cut(written)
	return w
}

// String returns the field and its form, as a user would write them.
func (w Within) String() string {
	if w.Form == urlkey.AsItIs {
		return w.Field
	}
	return w.Field + ":" + string(w.Form)
}

// ByMinHash reports whether sets of shingles are compared, by signatures of MinHash.
func (r Rule) ByMinHash() bool {
	return !slices.Contains(OtherSketches, r.Sketch)
}

// ByVectors reports whether vectors are compared.
func (r Rule) ByVectors() bool { return r.Sketch == SketchEmbedding }

// Values of Verification.Verify.
const (
	VerifySignature   = "signature"   // the similarity is estimated from signatures
	VerifyText        = "text"        // the sets of shingles are compared
	VerifyContainment = "containment" // the same, by how much of the smaller one is in the other
	VerifySample      = "sample"      // a sample represents the whole text
)

// A Verification says how an exact memory checks the candidates that bands find.
type Verification struct {
	Verify      string
	Containment float64 // of VerifyContainment: the least share
	Shingle     int     // tokens of the shingles that sets have; 0: as many as those of signatures
	// Estimated is the tuning by which an index without sets of shingles is used; nil if the user
	// has said how candidates are verified, or the memory keeps no sets.
	Estimated *Tuning
}

// ComparesSets reports whether candidates are verified by their sets of shingles.
func (v Verification) ComparesSets() bool {
	return v.Verify == VerifyText || v.Verify == VerifyContainment
}

// A Fingerprint says which fingerprints are compared, and how near they must be.
type Fingerprint struct {
	TLSH     bool
	Distance int
	Bits     int    // 0 with TLSH
	Weight   string // empty with TLSH
	IDF      string // the file of weights, if Weight is idf
}

// DefaultScale is the usual Samples.Scale.
const DefaultScale = 16

// DefaultShare is the usual threshold of a rule with Samples.
const DefaultShare = .8

// Samples say how much of a text is kept to find out how much of it is in another one.
type Samples struct {
	Scale  int  // of a long text one in Scale of its shingles is kept
	Either bool // an earlier record that is in the new one makes a duplicate as well
	Finer  bool // finer samples confirm what samples say
}

// Vectors say which vectors are compared.
type Vectors struct {
	Model, Pooling string // the directory of the model that makes them
	Field          string // where records have them, in place of a model
	Dims           int    // of those in Field; 0 if the first record is to tell
}

// MethodExact is the Parts.Method that compares whole records for equality.
const MethodExact = "exact"

// Parts say by which parts of records these are judged.
type Parts struct {
	Method  string        // the name of a method; empty if records are judged by similarity
	Overlap float64       // the share of the parts of a record that makes it a duplicate
	NGram   int           // tokens, of a method that has n-grams
	Tokens  string        // of bloom-ngrams
	Scale   int           // of a sample of n-grams; 1 if all are taken
	Forms   []urlkey.Form // of MethodExact: of the values of each field; nil if all are as they are
	IsKey   bool          // of MethodExact: a record that lacks one of the fields is equal to none
}

// ByEquality reports whether whole records are compared for equality.
func (p Parts) ByEquality() bool { return p.Method == MethodExact }

// IsEnabled reports whether records are judged by parts of them.
func (p Parts) IsEnabled() bool { return p.Method != "" && p.Method != MethodExact }

// Params are the parameters of the method.
func (p Parts) Params() (overlap.Params, error) {
	return overlap.Params{
		Method: p.Method, NGram: p.NGram, Tokens: p.Tokens, Threshold: p.Overlap, Scale: p.Scale,
	}.Complete()
}

// Usual returns the approximate number of parts of a text, for plans made before any text is known.
func (p Parts) Usual() (float64, error) {
	params, err := p.Params()
	return float64(params.PartsPerRecord()), err
}
