package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Boilerplate asks to cut text that many records of a site share.
type Boilerplate struct {
	Filter Filter `kong:"-"` // how records are read, and where they go

	Files []string `arg:"" optional:"" name:"file" sep:"none" help:"The input: files, directories or patterns, compressed or not; - or no FILE is standard input."`
	FormatFlags
	CommonFlags
	Memory  values.Size `range:"[1,)" placeholder:"SIZE" help:"@boilerplate/memory"`
	TempDir string      `placeholder:"DIR" help:"The directory for temporary files. (default: that of the system)"`
	Output  string      `writes:"-" short:"o" default:"-" placeholder:"FILE" help:"Write the records to this file. (default: standard output)"`
	Cut     string      `writes:"records" placeholder:"FILE" help:"@boilerplate/cut"`
	ReportFlags
	Quiet bool `short:"q" help:"Print no progress and no summary to standard error."`
}

// CommonFlags say how widely text must be shared among records before it is cut.
type CommonFlags struct {
	Within     string       `placeholder:"FIELD" help:"@boilerplate/within"`
	MinShare   values.Share `default:"30%" placeholder:"SHARE" help:"@boilerplate/min-share"`
	MinRecords int          `range:"[2,)" default:"3" placeholder:"N" help:"@boilerplate/min-records"`
	Part       string       `default:"line" enum:"line,block,sentence" placeholder:"WHAT" help:"@boilerplate/part"`
}

func (b Boilerplate) resolve(cmdline.Given) (Command, error) {
	if len(b.Files) == 0 {
		b.Files = []string{"-"}
	}
	slices.Sort(b.Field)
	switch {
	case len(slices.Compact(slices.Clone(b.Field))) != len(b.Field):
		return nil, errors.New("--field is given twice with the same path")
	case b.Part == "block" && len(b.Field) > 1:
		return nil, errors.New("--part block compares blocks of one text, and --field names several: name one, or " +
			"give --part line")
	case b.Output != "-" && slices.Contains(b.Files, b.Output):
		return nil, fmt.Errorf("--output %s is also an input: write to another file, then rename it", b.Output)
	case layout.Of(b.Format).Has(layout.Whole):
		return nil, errors.New("--format file has names of files for records, and boilerplate edits texts: give " +
			"text, or leave it out")
	}
	var err error
	if b.Filter, err = b.reading(b.Files, "", b.Quiet); err != nil {
		return nil, err
	}
	b.Filter.Output.Output, b.Filter.Rule.Within = b.Output, spec.ParseWithin(b.Within)
	return &b, firstOf(func() error { return checkInputs(b.Files) }, b.FormatFlags.check, b.ReportFlags.check)
}
