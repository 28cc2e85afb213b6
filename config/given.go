package config

import (
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// explicitFlags has the names of the flags that the user has given, in the command line or as
// variables of the environment. A flag is among them whatever its value is: its default, or 0.
type explicitFlags map[string]bool

// givenFlags are the flags of a command line that was parsed.
func givenFlags(ctx *kong.Context) explicitFlags {
	g := explicitFlags{}
	for _, p := range ctx.Path {
		if p.Flag != nil {
			g["--"+p.Flag.Name] = true
		}
	}
	for _, flag := range ctx.Flags() {
		for _, name := range flag.Envs {
			if _, isSet := os.LookupEnv(name); isSet {
				g["--"+flag.Name] = true
			}
		}
	}
	return g
}

// first is the first of these flags that was given, or empty.
func (g explicitFlags) first(names ...string) string {
	for _, name := range names {
		if g[name] {
			return name
		}
	}
	return ""
}

// with is g with a flag.
func (g explicitFlags) with(name string) explicitFlags {
	g = maps.Clone(g)
	g[name] = true
	return g
}

// without is g without these flags.
func (g explicitFlags) without(names ...string) explicitFlags {
	g = maps.Clone(g)
	maps.DeleteFunc(g, func(name string, _ bool) bool { return slices.Contains(names, name) })
	return g
}
