package config

import (
	"errors"
	"fmt"
	"slices"
)

// Substr asks to find passages that records repeat verbatim.
type Substr struct {
	Files          []string `arg:"" optional:"" name:"file" help:"Files, directories or patterns, compressed or not; - or none is standard input."`
	Field          []string `aliases:"text-column" placeholder:"PATH" sep:"none" help:"Where the text is in a record; repeat it for several. (default: text)"`
	MinLength      int      `range:"[1,)" placeholder:"N" help:"A passage is repeated from this length on. (default: 100, or that of --against)"`
	Unit           string   `placeholder:"UNIT" help:"What the length counts: bytes, chars or words. (default: bytes, or that of --against)"`
	Action         string   `default:"cut" enum:"cut,mask,drop-record,report" placeholder:"WHAT" help:"What becomes of a passage after its first occurrence. cut: it is removed from its record. mask: it is replaced by --mask. drop-record: its record is removed. report: no records are written, but a line of JSON for each passage. (default: ${default})"`
	Mask           string   `default:"[…]" placeholder:"TEXT" help:"With --action mask: what a passage is replaced by. (default: ${default})"`
	WordBoundaries bool     `help:"Let passages begin and end with whole words."`
	Against        string   `placeholder:"DIR" help:"Find what occurs in this stored corpus, instead of what the records repeat of each other."`
	Store          string   `placeholder:"DIR" help:"Store the texts as a corpus for --against in this directory; no records are written."`
	AllFiles       bool     `help:"Of a directory, read all files, and not only those that are called like records."`
	RemoteFlags
	MaxWindow Size   `placeholder:"SIZE" default:"128MiB" help:"A compressed input that takes a larger window or dictionary is not read. (default: ${default})"`
	MaxRecord Size   `range:"[1,1GiB]" placeholder:"SIZE" default:"64MiB" help:"A longer record is not read into memory; it counts as one that cannot be read, and stays as it is. (default: ${default})"`
	Memory    Size   `default:"1GiB" placeholder:"SIZE" help:"Memory for hash tables. With less it takes longer; the result is the same. (default: ${default})"`
	TempDir   string `placeholder:"DIR" help:"Where temporary files go, 1.25 bytes a byte of text. (default: that of the system)"`
	Threads   int    `placeholder:"N" help:"Goroutines that search. They never change the output. (default: one for each CPU)"`
	Output    string `short:"o" default:"-" placeholder:"FILE" help:"Where the output goes. (default: standard output)"`
	ReportFlags
	Quiet bool `short:"q" help:"No progress and no summary on standard error."`
}

func (s Substr) resolve(given) (Command, error) {
	if len(s.Field) == 0 {
		s.Field = []string{"text"}
	}
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
	case s.Output != "-" && slices.Contains(s.Files, s.Output):
		return nil, fmt.Errorf("--output %s is also an input: write to another file, then rename it", s.Output)
	case s.Store != "" && s.Report != "":
		return nil, errors.New("--report shows what is repeated, and --store only stores texts: leave one of them out")
	case s.Threads < 0 || s.Memory < 0:
		return nil, errors.New("--threads and --memory cannot be negative")
	}
	return &s, s.ReportFlags.check(s.Output)
}
