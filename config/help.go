package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config/help"
	"github.com/mithril-stream/mithril-stream/sketch"
)

const purpose = `Reads records, removes every record whose text is a near-duplicate of one that it has seen
before, and writes the others: same bytes, same order.`

var examples = []string{
	"mithril-stream crawl/*.jsonl.zst -o unique.jsonl",
	"zcat crawl.jsonl.gz | mithril-stream > unique.jsonl",
	"mithril-stream --index seen today.parquet -o new.parquet",
}

// manual returns the manual of the program with the given grammar.
func manual(grammar *kong.Application) help.Manual {
	return help.Manual{
		Grammar: grammar, Purpose: purpose, Usage: examples, Root: "filter", Topics: topics(), Choices: choicesOf,
		Pages: pages,
	}
}

// pages maps each command to the document that describes it.
var pages = map[string]string{
	"groups":      page + "reference/groups.md",
	"near":        page + "reference/exact.md",
	"audit":       page + "reference/audit.md",
	"eval":        page + "reference/evaluation.md",
	"substr":      page + "reference/substr.md",
	"boilerplate": page + "recipes/boilerplate.md",
	"contaminate": page + "recipes/evaluation-sets.md",
	"kafka":       page + "recipes/kafka.md",
	"index":       page + "reference/index.md",
	"plan":        page + "reference/index.md",
	"sketch":      page + "reference/sketch-files.md",
	"dedup":       page + "reference/sketch-files.md",
	"apply":       page + "reference/sketch-files.md",
	"templates":   page + "recipes/logs.md#which-kinds-there-are",
	"pairs":       page + "reference/pairs.md",
	"version":     page + "reference/compatibility.md",
	"idf":         page + "reference/fingerprints.md",
	"judge":       page + "reference/judge.md",
	"fingerprint": page + "reference/signatures.md",
}

// wholeManual returns a manual that covers the flags of all commands.
func wholeManual() help.Manual {
	all := []string{"filter"} // filter is what runs when no command is named
	for _, c := range commands {
		all = append(all, c.name)
	}
	return manual(newParser(all, "", io.Discard, func(int) {}).Model)
}

// topics returns the topics that users can ask about by name.
func topics() []help.Topic {
	presets := help.Topic{Name: "presets", Title: "Presets: the settings of published recipes, for --preset"}
	for _, name := range sketch.PresetNames() {
		recipe, _ := sketch.Preset(name) // cannot fail: the name comes from PresetNames
		text := recipe.Source + ". Here: " + settingsOf(recipe) + "."
		presets.Rows = append(presets.Rows, help.Row{Name: name, Text: text})
	}
	presets.Rows = append(presets.Rows, help.Row{Name: "other corpora", Text: "GPT-3, RefinedWeb, Llama 3, " +
		"Olmo 3 and others were made in several steps: docs/recipes/corpora.md has the commands."})
	return []help.Topic{
		presets,
		{Name: "exit-codes", Title: "Exit codes", Rows: []help.Row{
			{Name: "0", Text: "All input was read, and every unseen record was written."},
			{Name: "1", Text: "Failed."},
			{Name: "2", Text: "Usage error: nothing was read."},
			{Name: "3", Text: "Complete, but records could not be read, and --on-error is fail, or --to leaves them " +
				"out; or names are in no index."},
			{Name: "4", Text: "Complete, but a FILE could not be read to its end."},
			{Name: "5", Text: "An input ends in the middle of a record, and --on-error is fail."},
			{Name: "6", Text: "More is removed, or looks wrong, than --max-duplicates and --max-doubts allow: no " +
				"output is put in place."},
			{Name: "78", Text: "A Kafka consumer or its cluster is misconfigured: starting it again does not help."},
			{Name: "130, 143", Text: "Interrupted, terminated."},
			{Name: "134", Text: "The program crashed: please report it."},
			{Name: "141", Text: "The reader of the output closed it."},
		}},
		{Name: "environment", Title: "Environment", Rows: []help.Row{
			{Name: "MITHRIL_STREAM_FLAG", Text: "The value of --flag, unless that is given, as in " +
				"MITHRIL_STREAM_FP_RATE."},
			{Name: "TMPDIR", Text: "The directory for temporary files, which have no names."},
			{Name: "AWS_*", Text: "Credentials, region and endpoint of s3://."},
			{Name: "GOOGLE_APPLICATION_CREDENTIALS", Text: "The file with the credentials of gs://. Without it, " +
				"those of gcloud or of the machine."},
			{Name: "AZURE_STORAGE_CONNECTION_STRING", Text: "Server and credentials of az://. Alternatively, " +
				"AZURE_STORAGE_ACCOUNT, with AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, or neither, to use those " +
				"of AZURE_CLIENT_ID, of the machine, or of az login."},
			{Name: "HF_*", Text: "Token (HF_TOKEN, or a file in HF_HOME) and endpoint of hf://."},
		}},
	}
}

// settingsOf describes what a preset sets, as flags.
func settingsOf(r sketch.Recipe) string {
	p := r.Params
	s := fmt.Sprintf("--normalize %s, --tokenize %s, --shingle-size %d, %d permutations, %d bands of %d",
		p.Normalize, p.Tokenize, p.ShingleSize, p.NumPerm, p.Bands, p.Rows)
	if r.Votes > 1 {
		s += fmt.Sprintf(", %d votes", r.Votes)
	}
	if r.Threshold != 0 {
		s += fmt.Sprintf(", --threshold %g", r.Threshold)
	}
	return s
}

// helped serves requests for information about the program: help, version, completion, and what
// these need. It reports whether args make such a request. To filter a file of such a name, write
// ./help.
func helped(args []string, version string, stdout io.Writer) (bool, error) {
	if len(args) == 0 {
		return false, nil
	}
	rest := args[1:]
	switch args[0] {
	case "version", "--version":
		if len(rest) > 0 {
			return false, nil
		}
		printVersion(stdout, version) // without building the flags: a third of the start-up time
		return true, nil
	case "help":
		return true, wholeManual().About(stdout, rest...)
	case "complete": // called by shell completion
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		wholeManual().Complete(stdout, rest)
		return true, nil
	case "completion":
		shell := strings.Join(rest, " ")
		script, err := help.Script(shell, "mithril-stream")
		fmt.Fprint(stdout, script)
		return true, err
	case "man":
		return true, printMan(stdout, version, rest)
	}
	return false, nil
}

// printMan prints the manual page of a command or, with --list, the names of all pages.
func printMan(stdout io.Writer, version string, words []string) error {
	m := wholeManual()
	if slices.Equal(words, []string{"--list"}) {
		for _, page := range m.ManualPages() {
			fmt.Fprintln(stdout, strings.Join(page, " "))
		}
		return nil
	}
	node := m.Command(words...)
	if node == nil || !node.Leaf() {
		return fmt.Errorf("there is no manual page for %q: mithril-stream man --list lists those that exist",
			strings.Join(words, " "))
	}
	m.Man(stdout, node, version)
	return nil
}

// printHelp prints help on the command that the command line names. If it names none, that is the
// filter, which is what would run.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	var words []string
	for node := ctx.Selected(); node != nil && node.Parent != nil; node = node.Parent {
		words = slices.Insert(words, 0, node.Name)
	}
	m := wholeManual() // includes the flags that a command shares with the filter
	m.Brief(ctx.Stdout, m.Command(words...))
	return nil
}

// putHelpOff removes the help texts of flags from the model. Kong would search all of them for ${}
// variables at every start; package help replaces the variables when it prints the texts.
func putHelpOff(k *kong.Kong) error {
	k.Model.HelpFlag.OrigHelp = "Show how this command is used."
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

// nameAliases makes former names of flags work as environment variables, too.
func nameAliases(k *kong.Kong) error {
	isOurs := func(variable string) bool { return strings.HasPrefix(variable, environment+"_") }
	if !slices.ContainsFunc(os.Environ(), isOurs) {
		return nil // skip looking at all flags, which would slow down every start
	}
	return kong.Visit(k.Model.Node, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			for _, alias := range flag.Aliases {
				name := environment + "_" + strings.ToUpper(strings.ReplaceAll(alias, "-", "_"))
				flag.Envs, flag.Value.Tag.Envs = append(flag.Envs, name), append(flag.Value.Tag.Envs, name)
			}
		}
		return next(nil)
	})
}

// programVersion is the version printed by --version.
type programVersion string

// A versionFlag prints the version before values are checked.
type versionFlag bool

// BeforeReset implements kong's hook of that name.
func (versionFlag) BeforeReset(k *kong.Kong, version programVersion) error {
	printVersion(k.Stdout, string(version))
	k.Exit(0)
	return nil
}

func printVersion(to io.Writer, version string) {
	fmt.Fprintln(to, "mithril-stream "+version)
}
