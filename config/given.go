package config

import (
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// explicitFlags is the set of flags that the user has given, on the command line or as environment
// variables. A flag is in the set whatever its value, even if that is the default or 0.
type explicitFlags map[string]bool

// givenFlags returns the flags that were given on a parsed command line.
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

// first returns the first of the named flags that was given, or "".
func (g explicitFlags) first(names ...string) string {
	for _, name := range names {
		if g[name] {
			return name
		}
	}
	return ""
}

// with returns a copy of g that includes the named flag.
func (g explicitFlags) with(name string) explicitFlags {
	g = maps.Clone(g)
	g[name] = true
	return g
}

// without returns a copy of g that excludes the named flags.
func (g explicitFlags) without(names ...string) explicitFlags {
	g = maps.Clone(g)
	maps.DeleteFunc(g, func(name string, _ bool) bool { return slices.Contains(names, name) })
	return g
}
