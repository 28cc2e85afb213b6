package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
)

// Near asks which records of an index are most similar to some texts.
type Near struct {
	Filter Filter   // how to read the records to look up, if there are inputs
	Texts  []string // texts to look up as well

	Index     string
	Cache     CacheFlags
	Model     string // directory of the model, for an index of vectors; may be empty
	Pooling   string
	Vector    string      // field with the vector of a record; may be empty
	Tokens    string      // field with the tokens of a record; may be empty
	IDF       string      // table of weights, for an index of fingerprints; may be empty
	MaxMemory values.Size // 0 means no limit
	ID        string      // field that identifies a record; may be empty
	Count     int         // maximum number of records of the index to return
}

// NearFlags are the flags of the command that queries an index.
type NearFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"@near/file"`
	Texts  []string `name:"text" placeholder:"TEXT" sep:"none" help:"A text to look up. Repeat it for several."`
	Index  string   `required:"" placeholder:"DIR" help:"The index to search, made with --memory exact, or a --sketch of fingerprints or vectors."`
	CacheFlags
	FormatFlags `group:"records"`
	ID          string `name:"id" group:"records" placeholder:"FIELD" help:"The field, or column, that names a record in its answer. (default: FILE:LINE)"`
	Model       string `reads:"directory" placeholder:"DIR" help:"The directory of the model that the index of vectors was made with."`
	Vector      string `group:"records" placeholder:"PATH" help:"The field with the vectors of the records, for an index made with --vector."`
	TokenFlags  `group:"records"`
	NearMemory
	Count int  `range:"[1,)" name:"count" short:"k" default:"10" placeholder:"N" help:"How many records to find, at most. (default: ${default})"`
	Quiet bool `short:"q" help:"Print no progress to standard error."`
}

// NearMemory holds the settings needed to open the index.
type NearMemory struct {
	Pooling   string      `enum:",cls,mean,max" default:"" placeholder:"HOW" help:"The pooling of the model, if the run that made the index was given one."`
	IDF       string      `name:"idf" placeholder:"FILE" help:"The table of weights, if the index of fingerprints was made with one."`
	MaxMemory values.Size `range:"[1,)" placeholder:"SIZE" help:"@near/max-memory"`
}

func (n NearFlags) resolve(isGiven cmdline.Given) (Command, error) {
	filter, err := n.reading(n.Inputs, "", n.Quiet)
	if err != nil {
		return nil, err
	}
	if err := firstOf(func() error { return checkInputs(n.Inputs) }, n.FormatFlags.check); err != nil {
		return nil, err
	}
	switch {
	case n.Vector != "" && len(n.Texts) > 0:
		return nil, errors.New("--text has no vector, and --vector compares nothing else: leave one of them out")
	case n.Vector != "" && (len(n.Field) > 0 || n.Model != ""):
		return nil, errors.New("--vector says what is compared: leave --field and --model out")
	case n.TokenIDs != "" && (n.Vector != "" || n.Model != ""):
		return nil, errors.New("--tokens says what is compared: leave --vector and --model out")
	case n.Vector != "":
		filter.Input.Records.Fields = []string{n.Vector}
	case n.TokenIDs != "":
		if err := byTokens.check(isGiven, "--tokens"); err != nil {
			return nil, err
		}
		filter.Input.Records.Fields = []string{n.TokenIDs}
	}
	if len(n.Inputs) == 0 && len(n.Texts) == 0 {
		filter.Input.Paths = []string{"-"}
	}
	filter.Rule.Vectors.Field, filter.Input.Tokens = n.Vector, n.TokenIDs
	return &Near{
		Filter: filter,
		Texts:  n.Texts, Index: n.Index, Cache: n.CacheFlags, Model: n.Model, Pooling: n.Pooling,
		Vector: n.Vector, Tokens: n.TokenIDs, IDF: n.IDF,
		MaxMemory: n.MaxMemory, ID: n.ID, Count: n.Count,
	}, nil
}
