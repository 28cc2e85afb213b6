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

// choices maps flags to the values they accept, for lists that other packages define.
var choices = map[string]func() []string{
	"format": layout.Names,
	"to":     layout.Targets,
	"preset": func() []string { return slices.Concat(sketch.PresetNames(), overlap.MethodNames()) },
	"method": overlap.MethodNames,
	"sketch": func() []string { return append(sketch.SketchNames(), spec.OtherSketches...) },
}

// choicesOf returns the values that a flag lists, or nil if it lists none. They come from its enum
// tag, from its values tag if it accepts other values too, or from choices.
func choicesOf(f *kong.Flag) []string {
	// drop the value that means the flag was not given
	declared := strings.TrimPrefix(strings.TrimPrefix(f.Enum, "0"), ",")
	declared = cmp.Or(declared, f.Tag.Get("values"))
	if declared != "" {
		return strings.Split(declared, ",")
	}
	// --to can also name a topic or a run
	isOfList := f.PlaceHolder == "NAME" || f.PlaceHolder == "HOW"
	if list := choices[f.Name]; list != nil && isOfList {
		return list()
	}
	return nil
}
