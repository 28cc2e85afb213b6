package config

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// Contaminate says which items to look for in records, and how.
type Contaminate struct {
	ItemFlags
	Format layout.Settings // format of the file of items
	Action string
	Mask   string
}

// ItemFlags say what to look for, and how much of it counts as a match.
type ItemFlags struct {
	Items       string   `required:"" group:"items" placeholder:"FILE" help:"The evaluation set: the texts to look for in the records."`
	ItemsFormat string   `group:"items" placeholder:"NAME" help:"The format of the items: jsonl, json, csv, tsv or text. (default: what the name of FILE says, or jsonl)"`
	ItemsField  []string `group:"items" placeholder:"PATH" sep:"none" help:"Where to find the text of an item; repeat it to look for several as one. (default: text)"`
	ItemsID     string   `name:"items-id" group:"items" placeholder:"FIELD" help:"The field, or column, that names an item. (default: its number)"`
	ItemsAnswer string   `group:"items" placeholder:"FIELD" help:"@contaminate/items-answer"`
	NGram       int      `range:"[1,1000]" name:"ngram" group:"items" default:"13" placeholder:"N" help:"How many words a passage to look for has; shorter items are looked for as a whole. (default: ${default})"`
	Changes     int      `group:"items" default:"1" placeholder:"N" help:"How many words may differ in a passage of 8 or more: 0 or 1. (default: ${default})"`
	MinShare    float64  `range:"(0,1]" group:"items" default:"0.6" placeholder:"S" help:"The share of an item that one record must contain; words that many items have count little. (default: ${default})"`
	MinWords    int      `range:"[1,1000]" group:"items" default:"4" placeholder:"N" help:"Leave out items with fewer different words, or of common words alone, which many records have by chance; 1 leaves out none. (default: ${default})"`
}

// ContaminateFlags are the flags of the command that looks for evaluation sets.
type ContaminateFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"The records: files, - for standard input, directories, quoted patterns. (default: standard input)"`

	ItemFlags

	RecordFlags `group:"records"`
	ID          string `name:"id" group:"records" placeholder:"FIELD" help:"@contaminate/id"`

	Action      string `group:"output" default:"report" enum:"report,keep,mask,remove" placeholder:"WHAT" help:"@contaminate/action"`
	Mask        string `needs:"--action mask: nothing else is replaced" group:"output" default:"[…]" placeholder:"TEXT" help:"With --action mask: the text that replaces what was found. (default: ${default})"`
	Findings    string `writes:"records" group:"output" placeholder:"FILE" help:"@contaminate/findings"`
	ReportFlags `group:"output"`
	OutputFlags `group:"output"`
}

func (c ContaminateFlags) resolve(cmdline.Given) (Command, error) {
	filter, err := c.reading(c.Inputs, c.To, c.Quiet)
	if err != nil {
		return nil, err
	}
	items, err := FormatFlags{Format: c.ItemsFormat, Field: c.ItemsField}.recordFormat("")
	if err != nil {
		return nil, fmt.Errorf("--items-format: %w", err)
	}
	if err := firstOf(func() error { return checkInputs(c.Inputs) }, c.FormatFlags.check, c.checkAction); err != nil {
		return nil, err
	}
	f := &filter
	f.Input.Unreadable, f.Input.ID = c.RejectFlags.value(c.MaxUnreadable), c.ID
	f.Rule.Text.Markup = "none"
	f.Output.OutputFlags, f.Output.Originals, f.Report.ReportFlags = c.OutputFlags, c.Findings, c.ReportFlags
	f.Contaminate = &Contaminate{ItemFlags: c.ItemFlags, Format: items, Action: c.Action, Mask: c.Mask}
	if c.Action == ActionReport { // no records are written
		f.Output.Originals, f.Output.Output = c.Output, ""
	}
	return f, nil
}

func (c ContaminateFlags) checkAction() error {
	reports := c.Action == ActionReport
	switch {
	case c.Changes != 0 && c.Changes != 1:
		return fmt.Errorf("--changes %d must be 0 or 1", c.Changes)
	case reports && c.Findings != "":
		return errors.New("--findings is for records that are written: with --action report it is the output, -o FILE")
	case !reports && c.Findings == "" && c.Report == "":
		return fmt.Errorf("--action %s needs --findings FILE, or --report FILE: what was found is written there",
			c.Action)
	case c.Annotate:
		return errors.New("--annotate is about duplicates: use --findings or --flags")
	case reports && (c.To != "" || c.Duplicates != "" || c.Flags != ""):
		return errors.New("--action report writes no records: leave --to, --duplicates and --flags out")
	case c.Duplicates != "" && c.Action != "remove":
		return errors.New("--duplicates needs --action remove: nothing else is removed")
	case c.Action == ActionMask && c.To != "":
		return errors.New("--action mask does not go with --to: convert what comes out, in a second step")
	case c.Action == ActionMask && len(c.Field) > 1:
		return errors.New("--action mask takes one --field: the texts of several could not be told apart")
	case c.OnError == "divert" && c.Rejects == "":
		return errors.New("--on-error divert needs --rejects FILE, or the records would be lost")
	}
	return c.ReportFlags.check()
}
