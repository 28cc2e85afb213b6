package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// Substr asks to find passages that occur verbatim in several places.
type Substr struct {
	Filter Filter `kong:"-"` // how records are read, and where kept ones are written

	Files []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, directories or patterns, compressed or not; - or no FILE is standard input."`
	FormatFlags
	PassageFlags
	CorpusFlags
	Output string `writes:"-" short:"o" default:"-" placeholder:"FILE" help:"Write the output to this file. (default: standard output)"`
	ReportFlags
	Quiet bool `short:"q" help:"Print no progress and no summary to standard error."`
}

// PassageFlags say what a repeated passage is, and what to do with it.
type PassageFlags struct {
	MinLength      int    `range:"[1,16777216]" placeholder:"N" help:"The length from which a passage counts as repeated, at most 16777216. (default: 100, or that of --against)"`
	Unit           string `placeholder:"UNIT" help:"The unit of the length: bytes, chars or words. (default: bytes, or that of --against)"`
	Action         string `default:"cut" enum:"cut,mask,drop-record,report" placeholder:"WHAT" help:"@substr/action"`
	Mask           string `needs:"--action mask: nothing else is replaced" default:"[…]" placeholder:"TEXT" help:"With --action mask: the text that replaces a passage. (default: ${default})"`
	Merge          int    `range:"[0,1048576]" default:"0" placeholder:"N" help:"@substr/merge"`
	Within         string `default:"all" enum:"all,record" placeholder:"WHAT" help:"@substr/within"`
	WordBoundaries bool   `help:"Let passages begin and end with whole words."`
}

// CorpusFlags say which corpus to search for passages, and where its index is stored.
type CorpusFlags struct {
	Against string      `reads:"directory" placeholder:"DIR" help:"Find passages that occur in this stored corpus, instead of those that the records repeat."`
	Store   string      `placeholder:"DIR" help:"Store the texts in this directory as a corpus for --against, and write no records."`
	Memory  values.Size `range:"[1,)" placeholder:"SIZE" help:"@substr/memory"`
	TempDir string      `placeholder:"DIR" help:"The directory for temporary files, which take 1.25 bytes per byte of text. (default: that of the system)"`
}

func (s Substr) resolve(given cmdline.Given) (Command, error) {
	if len(s.Files) == 0 {
		s.Files = []string{"-"}
	}
	if s.Against == "" {
		fill(&s.MinLength, 100)
		fill(&s.Unit, "bytes")
	}
	slices.Sort(s.Field)
	switch {
	case slices.Contains(s.Field, "auto"):
		return nil, errors.New("--field auto is not for substr, which edits what it names: name the field, " +
			"or write /auto")
	case len(slices.Compact(slices.Clone(s.Field))) != len(s.Field):
		return nil, errors.New("--field is given twice with the same path")
	case s.Against != "" && s.Store != "":
		return nil, errors.New("--against and --store do not go together: store a corpus first, then compare with it")
	case s.Within == "record" && (s.Against != "" || s.Store != ""):
		return nil, errors.New("--within record compares a record with itself, and --against and --store are about a " +
			"corpus: leave one of them out")
	case s.Output != "-" && slices.Contains(s.Files, s.Output):
		return nil, fmt.Errorf("--output %s is also an input: write to another file, then rename it", s.Output)
	case layout.Of(s.Format).Has(layout.Whole):
		return nil, errors.New("--format file has names of files for records, and substr edits texts: give text, or " +
			"leave it out")
	}
	if err := s.checkStore(given); err != nil {
		return nil, err
	}
	var err error
	if s.Filter, err = s.reading(s.Files, "", s.Quiet); err != nil {
		return nil, err
	}
	s.Filter.Output.Output = s.Output
	return &s, firstOf(func() error { return checkInputs(s.Files) }, s.FormatFlags.check,
		s.ReportFlags.check)
}

// checkStore rejects flags about passages and records where texts are only stored.
func (s Substr) checkStore(given cmdline.Given) error {
	flag := given.First("--output", "--action", "--mask", "--merge", "--word-boundaries")
	switch {
	case s.Store == "":
	case s.Report != "":
		return errors.New("--report shows what is repeated, and --store only stores texts: leave one of them out")
	case flag != "":
		return fmt.Errorf("%s is about records that are written, and --store writes none: leave one of them "+
			"out", flag)
	}
	return nil
}
