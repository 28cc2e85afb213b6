// Package config defines the command line: its grammar, defaults and presets, and the checks that
// involve several flags. The values it returns never change afterwards; what they mean is up to the
// packages they are passed to.
package config

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/words"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// CLI is the grammar of a command line that names no command.
type CLI struct {
	Filter FilterFlags `cmd:"" default:"withargs" help:"Copy records from standard input to standard output without near-duplicates of earlier ones (the default command)."`

	Version versionFlag `env:"-" help:"Print the version and exit."`
}

// A command is one that users call by name.
type command struct {
	name, help string
	flags      func() any // called only when the flags are needed
}

// commands lists all commands.
var commands = []command{
	{"groups", "Group similar records, and keep the best of each group.", func() any { return new(GroupsFlags) }},
	{"near", "Find the records of an index that resemble others, or a text.",
		func() any { return new(NearFlags) }},
	{"templates", "List the kinds of lines or other short texts, with counts.",
		func() any { return new(TemplatesFlags) }},
	{"pairs", "Find all pairs of similar records, exactly.", func() any { return new(PairsFlags) }},
	{"fingerprint", "Write the signature of each record, of any kind.", func() any { return new(SignFlags) }},
	{"audit", "Measure on a sample whether the verdicts are right.", func() any { return new(AuditFlags) }},
	{"eval", "Compare methods and parameters on labelled records.", func() any { return new(EvalFlags) }},
	{"substr", "Cut or mask passages that records repeat verbatim.", func() any { return new(Substr) }},
	{"boilerplate", "Cut lines that many pages of one site have in common.", func() any { return new(Boilerplate) }},
	{"contaminate", "Find evaluation sets in training data.", func() any { return new(ContaminateFlags) }},
	{"kafka", "Filter a topic of a Kafka cluster, exactly once.", func() any { return new(KafkaFlags) }},
	{"index", "Inspect, verify, compact, delete from, merge or undo an index.",
		func() any { return new(IndexCommands) }},
	{"plan", "Show what an index costs, and how often it errs.", func() any { return new(Plan) }},
	{"sketch", "Write the band keys of records, to deduplicate elsewhere.", func() any { return new(SketchFlags) }},
	{"dedup", "Deduplicate files of sketches: a flag for each record, 1 or 0.", func() any { return new(DedupFlags) }},
	{"apply", "Copy the records whose flag in a file is 1.", func() any { return new(ApplyFlags) }},
	{"idf", "Weigh shingles, for --sketch simhash --idf.", func() any { return new(IDFFlags) }},
	{"judge", "Judge texts for another program, such as Python.", func() any { return new(JudgeFlags) }},
	{"version", "Print the version, and how the program was built.", func() any { return new(Version) }},
}

// A commandsOnly is the grammar of a command line that begins with a command's name. It leaves out
// the filter's flags, which are as many as those of all commands together and cannot be meant
// there.
type commandsOnly struct {
	Filter struct{} `cmd:"" default:"withargs" help:"The default command."`

	Version versionFlag `env:"-" help:"Print the version and exit."`
}

// grammarOf adds the commands to the grammar. Building the flags of every command would take half
// of the program's start-up time, so a command whose name is not among the arguments is listed
// without its flags.
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

// environment is the prefix of environment variables that set flags.
const environment = "MITHRIL_STREAM"

// ErrStop is returned after help or the version has been printed, when nothing is left to do.
var ErrStop = errors.New("stop")

// Parse reads the command line and the environment. Help and version information go to stdout. The
// error is a usage.Err or ErrStop.
func Parse(args []string, version string, stdout io.Writer) (Command, error) {
	local := func(asked RuleQuestion) ([]string, error) { return MadeBy(asked.Index) }
	command, _, err := ParseFiles(args, version, stdout, local)
	return command, err
}

// A RuleReader is like MadeBy, but also reads indexes that are in buckets.
type RuleReader func(RuleQuestion) (arguments []string, err error)

// A RuleQuestion names an index whose rule the command line adopts.
type RuleQuestion struct {
	Index  string
	Remote RemoteFlags // how to reach it, if it is in a bucket
	Quiet  bool        // print nothing while waiting for a server
}

// ParseFiles is like Parse, but reads the rules of indexes with a RuleReader, and also returns the
// files that the command line names.
func ParseFiles(
	args []string, version string, stdout io.Writer, rules RuleReader,
) (command Command, of cmdline.Files, err error) {
	if served, err := helped(args, version, stdout); served {
		if err != nil {
			return nil, of, usage.Error(err)
		}
		return nil, of, ErrStop
	}
	if err := checkEnvironment(version); err != nil {
		return nil, of, usage.Error(err)
	}
	ctx, err := parse(args, version, stdout)
	if err != nil {
		return nil, of, err
	}
	command, of, err = complete(ctx, args, version, rules)
	if err != nil {
		if answer := words.ValueOfOthers(args); answer != "" {
			err = errors.New(answer)
		}
		return nil, of, usage.Error(err)
	}
	return command, of, nil
}

// parse reads the command line. Help and version information go to stdout.
func parse(args []string, version string, stdout io.Writer) (*kong.Context, error) {
	stopped := false
	parser := newParser(args, version, stdout, func(int) { stopped = true })
	ctx, err := parser.Parse(args)
	if stopped {
		return nil, ErrStop
	}
	if err != nil {
		return nil, usage.Error(words.FlagOfOthers(args, err))
	}
	if err := words.Check(args, commandNames()); err != nil && ctx.Command() == "filter <file>" {
		return nil, usage.Error(err)
	}
	return ctx, nil
}

// complete checks a parsed command line and returns the command it asks for. It adds the flags
// stored in an index. If they conflict with flags the user has given, it leaves them out, so that
// an error only ever names flags the user has typed.
func complete(ctx *kong.Context, args []string, version string, rules RuleReader) (Command, cmdline.Files, error) {
	whole, notes := withStored(ctx, args, version, rules)
	if whole == nil || cmdline.GivenIn(whole).Check(whole) != nil {
		whole = ctx
	}
	if err := cmdline.GivenIn(whole).Check(whole); err != nil {
		return nil, cmdline.Files{}, err
	}
	of := cmdline.FilesOf(whole) // before the list of inputs is replaced by its contents
	if err := cmdline.ReadFileList(whole); err != nil {
		return nil, of, err
	}
	command, err := resolve(whole)
	if err != nil && whole != ctx {
		cmdline.CopyInputs(ctx, whole)
		command, err = resolve(ctx)
	}
	if slices.ContainsFunc(args, isCalledExact) {
		notes = append(notes, "as --equal, which is also called exact, only records that are the same are removed; "+
			"--memory exact compares similar ones by their texts")
	}
	if err == nil && command.Reads() != nil {
		command.Reads().Notes = notes
	}
	return command, of, err
}

// isCalledExact reports whether an argument is the alias of --equal that other programs use for an
// exact memory.
func isCalledExact(arg string) bool {
	name, isFlag := strings.CutPrefix(arg, "--")
	return isFlag && name == "exact"
}

// resolve returns the command that the flags ask for.
func resolve(ctx *kong.Context) (Command, error) {
	flags := ctx.Selected().Target.Addr().Interface()
	if r, ok := flags.(resolver); ok {
		return r.resolve(cmdline.GivenIn(ctx))
	}
	return flags.(Command), nil
}

// asBytes takes an argument as it is. File names need not be valid UTF-8, but kong would pass them
// through JSON, which replaces invalid bytes.
func asBytes(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text, isText := token.Value.(string)
	if !isText {
		return fmt.Errorf("expected a string, and not %v", token.Value)
	}
	target.SetString(text)
	return nil
}

// newParser returns the parser of a command line. It calls exit after printing help or the version.
func newParser(args []string, version string, stdout io.Writer, exit func(int)) *kong.Kong {
	grammar := any(new(CLI))
	if len(args) > 0 && slices.ContainsFunc(commands, func(c command) bool { return c.name == args[0] }) {
		grammar = new(commandsOnly)
	}
	parser, err := kong.New(grammar,
		kong.KindMapper(reflect.String, kong.MapperFunc(asBytes)),
		grammarOf(args),
		kong.Name("mithril-stream"),
		kong.Bind(programVersion(version)),
		kong.DefaultEnvars(environment),
		kong.Writers(stdout, io.Discard),
		kong.Exit(exit),
		kong.PostBuild(putHelpOff),
		kong.PostBuild(nameAliases),
		kong.Help(printHelp),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		panic("config: internal error: " + err.Error()) // the grammar is wrong
	}
	return parser
}

// Help returns help on the command that args ask for, as far as args can be parsed.
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

// A resolver is a command whose flags need more work after parsing.
type resolver interface {
	resolve(cmdline.Given) (Command, error)
}

// commandNames returns the words that name commands.
func commandNames() []string {
	names := []string{"help", "version", "completion"}
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}
