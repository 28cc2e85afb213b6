package config

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Eval asks which method best finds the duplicates in labelled records.
type Eval struct {
	Filter Filter   // how records are read, and what their text is
	Test   []string // inputs to test the best settings on; may be empty

	Cluster string  // field with the label of a record; empty if Jaccard is the truth
	Labels  string  // file with the labels in that field; empty if the records contain them
	ID      string  // field that identifies a record in both files
	Kind    string  // field with the kind of a record; may be empty
	Jaccard float64 // similarity to an earlier record at which a record is a duplicate
	Grid    eval.Grid

	TSV, Report string // files for the results; may be empty
}

// EvalFlags are the flags of the command that compares methods.
type EvalFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" needs:"eval needs FILE: name the labelled records; - is standard input" help:"The labelled records: files, directories, quoted patterns. They are held in memory."`
	Test   []string `placeholder:"FILE" sep:"none" help:"@eval/test"`

	TruthFlags `group:"truth"`

	FormatFlags `group:"records"`
	EvalRule

	GridFlags `group:"grid"`

	TSV    string `writes:"table" name:"tsv" group:"output" placeholder:"FILE" help:"Write each run to this file, as a row."`
	Report string `writes:"table" group:"output" placeholder:"FILE" help:"Write a page of HTML with plots to this file. It needs no network."`
	Quiet  bool   `short:"q" group:"output" help:"Print no progress to standard error."`
}

// TruthFlags say which records really are duplicates.
type TruthFlags struct {
	Cluster string  `placeholder:"FIELD" help:"@eval/cluster"`
	Labels  string  `placeholder:"FILE" help:"@eval/labels"`
	ID      string  `needs:"--labels FILE: it names the record that a label is of" name:"id" placeholder:"FIELD" help:"With --labels: the field, or column, that names a record, in the records and in the labels. (default: id)"`
	Kind    string  `placeholder:"FIELD" help:"@eval/kind"`
	Jaccard float64 `range:"(0,1]" placeholder:"J" help:"@eval/jaccard"`
}

// EvalRule holds the settings that all methods share.
type EvalRule struct {
	Markup      string   `group:"text" default:"none" placeholder:"WHAT" help:"Extract the text from markup first: html, html-text, markdown, auto. (default: ${default})"`
	Normalize   string   `group:"text" placeholder:"HOW" help:"How to normalize texts, as in the filter, for methods that compare similarity. (default: nfkc-fold)"`
	Tokenize    string   `group:"text" placeholder:"HOW" help:"How to split texts into tokens, as in the filter, for methods that compare similarity. (default: word)"`
	ShingleSize int      `range:"[1,)" group:"truth" default:"5" placeholder:"N" help:"With --jaccard: how many tokens form a shingle. (default: ${default})"`
	Sketch      string   `group:"text" default:"fss" placeholder:"HOW" help:"The MinHash of the signatures: fss, affine, datasketch or murmur3, as in the filter. (default: ${default})"`
	FPRate      *float64 `range:"(0,1)" name:"fp-rate" group:"text" placeholder:"P" help:"Probability that full filters take an unseen record for a duplicate. (default: 1e-8)"`
}

// GridFlags list the settings to try, in all combinations.
type GridFlags struct {
	EmbeddingFlags

	Methods      []string  `placeholder:"NAME,…" help:"@eval/methods"`
	Thresholds   []float64 `placeholder:"T,…" help:"@eval/thresholds"`
	Permutations []int     `placeholder:"K,…" help:"The lengths of signatures to try. (default: 32,64,128,256)"`
	NGrams       []int     `name:"ngrams" placeholder:"N,…" help:"The sizes of shingles and n-grams to try, in tokens. (default: 1,2,5,7,13,26)"`
}

func (e EvalFlags) resolve(cmdline.Given) (Command, error) {
	recipe, err := findPreset("", 0)
	if err != nil {
		return nil, err
	}
	c := comparisonOf(&e, nil, &e.Field)
	*c.Text = spec.Text{Markup: e.Markup, Normalize: e.Normalize, Tokenize: e.Tokenize, ShingleSize: e.ShingleSize}
	c.Sketch, c.Memory, c.Verify = e.Sketch, spec.MemoryBloom, spec.VerifySignature
	c.GivenFPRate, c.OnFull = e.FPRate, bloomlsh.OnFullGrow
	c.Text.Complete(recipe)
	c.SimilarFlags.complete(recipe)
	c.SeenFlags.complete(recipe)
	filter, err := e.reading(e.Inputs, "", e.Quiet)
	if err != nil {
		return nil, err
	}
	grid := e.grid()
	if err := firstOf(e.check, grid.Validate, e.FormatFlags.check); err != nil {
		return nil, err
	}
	if e.Jaccard == 0 {
		fill(&e.Cluster, "cluster")
	}
	if e.Labels != "" {
		fill(&e.ID, "id")
	}
	filter.Rule, filter.Memory = c.rule(), c.memory()
	return &Eval{
		Filter: filter,
		Test:   e.Test, Cluster: e.Cluster, Labels: e.Labels, ID: e.ID, Kind: e.Kind, Jaccard: e.Jaccard, Grid: grid,
		TSV: e.TSV, Report: e.Report,
	}, nil
}

// grid returns the default grid with the values that were given in place of the defaults.
func (e EvalFlags) grid() eval.Grid {
	g := eval.DefaultGrid()
	switch {
	case len(e.Methods) > 0:
		g.Methods = e.Methods
	case e.Model != "":
		g.Methods = append(g.Methods, eval.Embedding)
	}
	if len(e.Thresholds) > 0 {
		g.Thresholds = e.Thresholds
	}
	if len(e.Permutations) > 0 {
		g.NumPerms = e.Permutations
	}
	if len(e.NGrams) > 0 {
		g.NGrams = e.NGrams
	}
	return g
}

func (e EvalFlags) check() error {
	switch {
	case (e.FilesFrom == "-" || slices.Contains(e.Inputs, "-")) && slices.Contains(e.Test, "-"):
		return errors.New("standard input can be read only once: name a file for --test")
	case e.Cluster != "" && e.Jaccard != 0:
		return errors.New("--cluster and --jaccard both say what is true: give one of them")
	case e.Labels != "" && e.Jaccard != 0:
		return errors.New("--labels and --jaccard both say what is true: give one of them")
	case e.Labels == "-":
		return errors.New("--labels - is not possible: name a file")
	case e.Model == "" && slices.Contains(e.Methods, eval.Embedding):
		return errors.New("the method embedding needs --model DIR: what vectors are made with")
	case e.Model == "" && e.Pooling != "":
		return errors.New("--pooling needs --model DIR")
	}
	return nil
}
