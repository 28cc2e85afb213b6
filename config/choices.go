package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// choices are the values of flags whose lists other packages have.
var choices = map[string]func() []string{
	"format": layout.Names,
	"to":     layout.Targets,
	"preset": func() []string { return slices.Concat(sketch.PresetNames(), overlap.MethodNames()) },
	"method": overlap.MethodNames,
	"sketch": func() []string { return append(sketch.SketchNames(), spec.OtherSketches...) },
}

// choicesOf are the values of a flag that has a list of them: in its declaration, as enum, or as
// values if others are possible too; nil if it has none.
func choicesOf(f *kong.Flag) []string {
	// the value of a flag that was not given
	declared := strings.TrimPrefix(strings.TrimPrefix(f.Enum, "0"), ",")
	declared = cmp.Or(declared, f.Tag.Get("values"))
	if declared != "" {
		return strings.Split(declared, ",")
	}
	// --to also names a topic, and a run
	isOfList := f.PlaceHolder == "NAME" || f.PlaceHolder == "HOW"
	if list := choices[f.Name]; list != nil && isOfList {
		return list()
	}
	return nil
}
