package identity

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// A KeyKind says which band keys may be compared with each other, and how many equal ones make a
// duplicate.
type KeyKind struct {
	Identity Parameters
	Banding
	Model    embedding.Provider // of vectors; else nil
	Failures *vectors.Failures  // of these; else nil
}

// Parameters are everything beside an index's own parameters that decides which records resemble
// each other.
type Parameters []bloomlsh.Parameter

// A Banding is how many keys a record has, and what they are for.
type Banding struct {
	Bands, Votes int
	Rule         lsh.Banding   // of texts that are sketched in this run
	Params       sketch.Params // zero if the keys come from sketch files
	Threshold    float64       // that the bands are for; 0 if it is not known
	Words        int           // that sketch files with signatures have beside, for each record
}

// OneKey is the Banding of sketches that are compared as a whole.
var OneKey = Banding{Bands: 1, Votes: 1}

// Kept are the parameters that an index keeps of the keys: the identity, and what that is for.
func (k KeyKind) Kept() []bloomlsh.Parameter {
	if k.Threshold == 0 {
		return k.Identity
	}
	return append([]bloomlsh.Parameter{k.threshold()}, k.Identity...)
}

func (b Banding) threshold() bloomlsh.Parameter {
	return bloomlsh.Parameter{
		Name: bloomlsh.ThresholdParameter, Value: strconv.FormatFloat(b.Threshold, 'g', -1, 64),
	}
}

// Close closes the model, if there is one.
func (k KeyKind) Close() error {
	if model, ok := k.Model.(io.Closer); ok {
		return model.Close()
	}
	return nil
}

// Of is the kind of the keys of texts that are taken out of that markup and sketched with these
// parameters, for a threshold.
func Of(from string, p sketch.Params, rule lsh.Banding, threshold float64) KeyKind {
	return KeyKind{
		Identity: ofTexts(from, p),
		Banding:  Banding{Bands: p.Bands, Votes: rule.Votes, Rule: rule, Params: p, Threshold: threshold},
	}
}

// ofTexts returns the identity of sketches with these parameters. The fields of a record are not
// part of it: an index is about texts, and the same text may come from records of another shape.
func ofTexts(from string, p sketch.Params) Parameters {
	return append(Markup(from), []bloomlsh.Parameter{
		{Name: "normalize", Value: p.Normalize},
		{Name: "tokenize", Value: p.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(p.ShingleSize)},
		{Name: "sketch", Value: p.Sketch},
		{Name: "num-perm", Value: strconv.Itoa(p.NumPerm)},
		{Name: SeedParameter, Value: seedOf(p)},
		{Name: "rows", Value: strconv.Itoa(p.Rows)},
		{Name: "band-key", Value: p.BandKey},
	}...)
}

// The number of band keys of a record, and of those that make a duplicate, as parameters.
const (
	BandsParameter = "bands"
	VotesParameter = "votes"
)

// WordsParameter is the further parameter of files with signatures, besides the threshold.
const WordsParameter = "words"

// Parameters returns the parameters of a sketch file. It omits the default of one vote.
func (k KeyKind) Parameters() []bloomlsh.Parameter {
	list := append(slices.Clone(k.Identity), bloomlsh.Parameter{Name: BandsParameter, Value: strconv.Itoa(k.Bands)})
	if k.Votes > 1 {
		list = append(list, bloomlsh.Parameter{Name: VotesParameter, Value: strconv.Itoa(k.Votes)})
	}
	if k.Words > 0 {
		list = append(list, k.threshold(), bloomlsh.Parameter{Name: WordsParameter, Value: strconv.Itoa(k.Words)})
	}
	return list
}

// Number is the value of a parameter that must be one.
func (i Parameters) Number(name string) (int, error) {
	value, given := parameter.Value(i, name)
	if !given {
		return 0, fmt.Errorf("the parameter %s is missing", name)
	}
	return strconv.Atoi(value)
}
