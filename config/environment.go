package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// otherVariables lists variables with the program's prefix that set no flag.
var otherVariables = []string{
	"MITHRIL_STREAM_SASL_PASSWORD", // password for a Kafka cluster
	"MITHRIL_STREAM_PROGRAM",       // for the Python package: which program to start
}

// checkEnvironment returns an error for a variable that has the prefix of flags but sets no flag of
// any command, since it would have no effect.
func checkEnvironment(version string) error {
	var given []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, environment+"_") && !slices.Contains(otherVariables, name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil // skip building the flags of all commands, which would slow down every start
	}
	var all []string
	for _, c := range commands {
		all = append(all, c.name)
	}
	known := map[string]bool{}
	parser := newParser(all, version, io.Discard, func(int) {})
	_ = kong.Visit(parser.Model.Node, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			for _, name := range flag.Envs {
				known[name] = true
			}
		}
		return next(nil)
	})
	filter, err := kong.New(new(FilterFlags), kong.DefaultEnvars(environment), kong.Vars{"presets": ""})
	if err != nil {
		return nil // the grammar is checked elsewhere
	}
	for _, flag := range filter.Model.Flags {
		for _, name := range flag.Envs {
			known[name] = true
		}
	}
	for _, name := range given {
		if !known[name] {
			return fmt.Errorf("the environment variable %s belongs to no flag: unset it, or name it after one, as "+
				"MITHRIL_STREAM_FP_RATE is named after --fp-rate", name)
		}
	}
	return nil
}
