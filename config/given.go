package config

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// given has the names of the flags that the user has given, in the command line or as variables of
// the environment. A flag is among them whatever its value is: its default, or 0.
type given map[string]bool

// givenFlags are the flags of a command line that was parsed.
func givenFlags(ctx *kong.Context) given {
	g := given{}
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
func (g given) first(names ...string) string {
	for _, name := range names {
		if g[name] {
			return name
		}
	}
	return ""
}

// without is g without these flags.
func (g given) without(names ...string) given {
	g = maps.Clone(g)
	maps.DeleteFunc(g, func(name string, _ bool) bool { return slices.Contains(names, name) })
	return g
}

// checkRanges refuses values out of the range that their flag is declared with: range:"(0,1]". Only
// what was given is looked at. So a flag whose zero is out of its range can have zero for what was
// left alone.
func (g given) checkRanges(ctx *kong.Context) error {
	for _, flag := range ctx.Flags() {
		if declared := flag.Tag.Get("range"); declared != "" && g["--"+flag.Name] {
			if err := checkRange(flag, declared); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRange(flag *kong.Flag, declared string) error {
	least, most, _ := strings.Cut(declared[1:len(declared)-1], ",")
	above, below := declared[0] == '(', strings.HasSuffix(declared, ")")
	v := reflect.Indirect(flag.Target)
	n := numberOf(v)
	low, high := boundOf(least), boundOf(most)
	if (n > low || n == low && !above) && (most == "" || n < high || n == high && !below) {
		return nil
	}
	if says := flag.Tag.Get("outside"); says != "" {
		return fmt.Errorf("%s", says)
	}
	name := "--" + flag.Name
	if v.CanInterface() && slices.Contains([]reflect.Kind{reflect.Int, reflect.Float64}, v.Kind()) {
		name += fmt.Sprintf(" %v", v.Interface()) // others are written in units
	}
	switch {
	case most == "":
		return fmt.Errorf("%s must be at least %s", name, least)
	case above && !below:
		return fmt.Errorf("%s must be above %s and at most %s", name, least, most)
	}
	return fmt.Errorf("%s must be between %s and %s", name, least, most)
}

// numberOf is the number that a flag's value is.
func numberOf(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// boundOf is an end of a range, which may have a unit.
func boundOf(text string) float64 {
	var bound Size
	if text == "" || bound.UnmarshalText([]byte(text)) != nil {
		return 0
	}
	return float64(bound)
}
