// Package config is the command line: its grammar, defaults, presets and the checks that span several flags. What it returns
// does not change any more; what a value means is up to the package that it is handed to.
package config

import (
	"errors"
	"io"

	"github.com/alecthomas/kong"
)

// CLI is the grammar of the command line.
type CLI struct {
	Filter FilterFlags `cmd:"" default:"withargs" help:"Copy records from standard input to standard output and leave out near-duplicates of earlier ones (this is what happens without a command)."`

	Sketch SketchFlags   `cmd:"" help:"Write the band keys of records to a file, so that their texts need not be read again."`
	Dedup  DedupFlags    `cmd:"" help:"Say of each record of sketch files whether it is kept: a line for each, 1 or 0."`
	Apply  ApplyFlags    `cmd:"" help:"Copy the records whose line in a file of flags is 1."`
	Kafka  KafkaFlags    `cmd:"" help:"Do the same between the topics of a Kafka cluster, for as long as it runs, exactly once."`
	Substr Substr        `cmd:"" help:"Find passages that records repeat verbatim, and cut, mask or report them."`
	Plan   Plan          `cmd:"" help:"Say what an index would cost and how often it would err, without building one."`
	Index  IndexCommands `cmd:"" help:"Look at, check and tend an index on disk."`

	Version kong.VersionFlag `env:"-" help:"Print the version and stop."`
}

// ErrUsage marks an error in the way that the program was called.
var ErrUsage = errors.New("usage")

// ErrStop is returned when --help or --version has been served and nothing is left to do.
var ErrStop = errors.New("stop")

// A Command is what the user asked for: a *Filter, *Kafka, *Substr, *Plan, *Inspect, *Verify, *Compact, *Merge or *Settle.
type Command any

// Parse reads the command line and the environment. Help and version go to stdout. Errors are ErrUsage or ErrStop.
func Parse(args []string, version string, stdout io.Writer) (Command, error) {
	var cli CLI
	stopped := false
	parser, err := kong.New(&cli,
		kong.Name("mithril-stream"),
		kong.Vars{"version": "mithril-stream " + version, "presets": presetNames()},
		kong.DefaultEnvars("MITHRIL_STREAM"),
		kong.Writers(stdout, io.Discard),
		kong.Exit(func(int) { stopped = true }),
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}),
		kong.Help(printHelp),
		kong.ValueFormatter(func(value *kong.Value) string { return value.Help }),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		panic("config: internal error: " + err.Error()) // the grammar itself is wrong: no input can cause it
	}
	ctx, err := parser.Parse(args)
	if stopped {
		return nil, ErrStop
	}
	if err != nil {
		return nil, Usage(err)
	}
	if command, ok := ctx.Selected().Target.Addr().Interface().(resolver); ok {
		resolved, err := command.resolve()
		if err != nil {
			return nil, Usage(err)
		}
		return resolved, nil
	}
	return ctx.Selected().Target.Addr().Interface(), nil
}

// A resolver is a command whose flags need more than parsing.
type resolver interface{ resolve() (Command, error) }

// usageError is an error in the way that the program was called, in its own words.
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == ErrUsage }

// Usage marks an error as ErrUsage: what a flag asks for turned out to make no sense when it was used.
func Usage(err error) error { return usageError{err} }
