package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/sketch"
)

const intro = `zcat crawl.jsonl.gz | mithril-stream > unique.jsonl
mithril-stream crawl/*.jsonl.zst -o unique.jsonl

mithril-stream reads records, removes every record whose text is a near-duplicate of one that it has
seen before, and writes the others: same bytes, same order.
`

const outro = `
Environment: each flag can be given as a variable, --fp-rate as MITHRIL_STREAM_FP_RATE.

Exit codes: 0 all input was read and every unseen record was written; 1 failed; 2 wrong usage;
3 complete, but records could not be read, and --on-error is fail or --to leaves them out; 4 complete,
but a FILE could not be read to its end; 5 an input ends in the middle of a record, and --on-error is fail;
130, 143 interrupted, terminated; 141 the reader of the output has gone.
`

// printHelp prints the help of a command. Without a command it is the help of the filter, since
// that is what runs then.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() != nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	filter, err := kong.Trace(ctx.Kong, []string{"filter"})
	if err != nil {
		return err
	}
	out := ctx.Stdout
	fmt.Fprint(out, intro+"\n")
	options.NoAppSummary = true
	if err := kong.DefaultHelpPrinter(options, filter); err != nil {
		return err
	}
	fmt.Fprint(out, "\n"+presetHelp()+commandHelp(ctx)+outro)
	return nil
}

// commandHelp lists the commands beside the filter.
func commandHelp(ctx *kong.Context) string {
	var b strings.Builder
	for _, command := range ctx.Model.Children {
		if command.Name != "filter" && !command.Hidden {
			fmt.Fprintf(&b, "  %-12s %s\n", command.Name, command.Help)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nOther commands (mithril-stream COMMAND --help says more)\n" + b.String()
}

// putHelpOff leaves the help of the flags out of the model. Kong looks through all of it for names
// in ${} at every start; flagHelp does so when it is printed.
func putHelpOff(k *kong.Kong) error {
	return kong.Visit(k.Model.Node, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Flag:
			node.Help = ""
		case *kong.Value:
			node.Help = ""
		}
		return next(nil)
	})
}

// flagHelp is the help of a flag or an argument, with its default and the presets in their places.
func flagHelp(value *kong.Value) string {
	return strings.NewReplacer(
		"${default}", value.Default,
		"${presets}", strings.Join(sketch.PresetNames(), ", "),
	).Replace(value.OrigHelp)
}

// programVersion is what the flag --version prints.
type programVersion string

// A versionFlag prints the version before values are checked.
type versionFlag bool

// BeforeReset is called by kong.
func (versionFlag) BeforeReset(k *kong.Kong, version programVersion) error {
	printVersion(k.Stdout, string(version))
	k.Exit(0)
	return nil
}

func printVersion(to io.Writer, version string) {
	fmt.Fprintln(to, "mithril-stream "+version)
}
