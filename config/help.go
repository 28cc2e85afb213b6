package config

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
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
but a FILE could not be read to its end; 130, 143 interrupted, terminated; 141 the reader of the output
has gone.
`

// printHelp prints the help of a command. Without a command it is that of the filter, since that is
// what runs then.
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
