package cmdline

import (
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// A Given is the set of flags that the user has given, on the command line or as environment
// variables. A flag is in the set whatever its value, even if that is the default or 0.
type Given map[string]bool

// GivenIn returns the flags that were given on a parsed command line.
func GivenIn(ctx *kong.Context) Given {
	g := Given{}
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

// First returns the first of the named flags that was given, or "".
func (g Given) First(names ...string) string {
	for _, name := range names {
		if g[name] {
			return name
		}
	}
	return ""
}

// With returns a copy of g that includes the named flag.
func (g Given) With(name string) Given {
	g = maps.Clone(g)
	g[name] = true
	return g
}

// Without returns a copy of g that excludes the named flags.
func (g Given) Without(names ...string) Given {
	g = maps.Clone(g)
	maps.DeleteFunc(g, func(name string, _ bool) bool { return slices.Contains(names, name) })
	return g
}
