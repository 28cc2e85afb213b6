// Package config is the command line: its grammar, defaults, presets and the checks that span
// several flags. What it returns does not change any more; what a value means is up to the package
// that it is handed to.
package config

import (
	"errors"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// CLI is the grammar of the command line without a command.
type CLI struct {
	Filter FilterFlags `cmd:"" default:"withargs" help:"Copy records from standard input to standard output and leave out near-duplicates of earlier ones (this is what happens without a command)."`

	Version versionFlag `env:"-" help:"Print the version and stop."`
}

// commands are the others. Their flags are made when they are needed.
var commands = []struct {
	name, help string
	flags      func() any
}{
	{"sketch", "Write the band keys of records to a file, so that their texts need not be read again.",
		func() any { return new(SketchFlags) }},
	{"dedup", "Say of each record of sketch files whether it is kept: a line for each, 1 or 0.",
		func() any { return new(DedupFlags) }},
	{"apply", "Copy the records whose line in a file of flags is 1.", func() any { return new(ApplyFlags) }},
	{"kafka", "Do the same between the topics of a Kafka cluster, for as long as it runs, exactly once.",
		func() any { return new(KafkaFlags) }},
	{"substr", "Find passages that records repeat verbatim, and cut, mask or report them.",
		func() any { return new(Substr) }},
	{"contaminate", "Find which texts of an evaluation set occur in the records, and where.",
		func() any { return new(ContaminateFlags) }},
	{"groups", "Join records that resemble each other to groups, and keep one of each.",
		func() any { return new(GroupsFlags) }},
	{"audit", "Compare a sample of what the filter removes, and keeps, with all earlier records.",
		func() any { return new(AuditFlags) }},
	{"eval", "Try methods and parameters on labelled records, and say which ones find the duplicates.",
		func() any { return new(EvalFlags) }},
	{"idf", "Make a table of the weights of shingles from records, for --sketch simhash --idf.",
		func() any { return new(IDFFlags) }},
	{"near", "Say which records of an index are the most similar to others, or to a text.",
		func() any { return new(NearFlags) }},
	{"judge", "Judge texts that another program sends in blocks, as the Python module does.",
		func() any { return new(JudgeFlags) }},
	{"plan", "Say what an index would cost and how often it would err, without building one.",
		func() any { return new(Plan) }},
	{"index", "Look at, check and tend an index on disk.", func() any { return new(IndexCommands) }},
}

// grammarOf adds the commands to the grammar. Half of the start of the program would go into the
// flags of all of them: one whose name is not among the arguments cannot be meant, so it is only
// listed.
func grammarOf(args []string) kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, c := range commands {
			flags := any(&struct{}{})
			if slices.Contains(args, c.name) {
				flags = c.flags()
			}
			if err := kong.DynamicCommand(c.name, c.help, "", flags).Apply(k); err != nil {
				return err
			}
		}
		return nil
	})
}

// ErrStop is returned when --help or --version has been served and nothing is left to do.
var ErrStop = errors.New("stop")

// A Command is what the user asked for: a *Filter, *Audit, *Eval, *Groups, *IDF, *Near, *Judge,
// *Kafka, *Substr, *Plan, *Inspect, *Verify, *Compact, *Merge, *Unlock or *Settle.
type Command any

// Parse reads the command line and the environment. Help and version go to stdout. Errors are
// usage.Err or ErrStop.
func Parse(args []string, version string, stdout io.Writer) (Command, error) {
	if slices.Equal(args, []string{"--version"}) {
		printVersion(stdout, version) // needs no flags, whose making is a third of the start
		return nil, ErrStop
	}
	stopped := false
	parser := newParser(args, version, stdout, func(int) { stopped = true })
	ctx, err := parser.Parse(args)
	if stopped {
		return nil, ErrStop
	}
	if err != nil {
		return nil, usage.Error(err)
	}
	g := givenFlags(ctx)
	if err := g.checkRanges(ctx); err != nil {
		return nil, usage.Error(err)
	}
	if command, ok := ctx.Selected().Target.Addr().Interface().(resolver); ok {
		resolved, err := command.resolve(g)
		if err != nil {
			return nil, usage.Error(err)
		}
		return resolved, nil
	}
	return ctx.Selected().Target.Addr().Interface(), nil
}

// newParser makes the parser of a command line; exit is called when --help or --version was served.
func newParser(args []string, version string, stdout io.Writer, exit func(int)) *kong.Kong {
	parser, err := kong.New(new(CLI),
		grammarOf(args),
		kong.Name("mithril-stream"),
		kong.Bind(programVersion(version)),
		kong.DefaultEnvars("MITHRIL_STREAM"),
		kong.Writers(stdout, io.Discard),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}),
		kong.PostBuild(putHelpOff),
		kong.Help(printHelp),
		kong.ValueFormatter(flagHelp),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		panic("config: internal error: " + err.Error()) // the grammar itself is wrong: no input can cause it
	}
	return parser
}

// Help is the command that shows the help of the command that args ask for, as far as they can be
// understood.
func Help(args []string) string {
	help := "mithril-stream"
	if ctx, err := kong.Trace(newParser(args, "", io.Discard, func(int) {}), args); err == nil {
		for _, p := range ctx.Path {
			if p.Command != nil && p.Command.Tag.Default == "" {
				help += " " + p.Command.Name
			}
		}
	}
	return help + " --help"
}

// A resolver is a command whose flags need more than parsing.
type resolver interface{ resolve(given) (Command, error) }
