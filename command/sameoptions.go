package command

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// optionsOf are the options that decide what a run writes, beside those that the index (I5), the
// streams and the format of a commit stand for. A run is resumed with the same: else the half that
// is written and the half that is not would be of two different runs.
func optionsOf(c *config.Filter, against []string) map[string]string {
	fields := c.Records.Fields
	if len(fields) == 0 {
		fields = []string{"text"}
	}
	options := map[string]string{
		"--field":            strings.Join(fields, ", "),
		"--against":          strings.Join(against, ", "),
		"--annotate":         strconv.FormatBool(c.Output.Annotate),
		"--empty":            c.Empty,
		"--on-error":         c.OnError,
		"--max-record":       strconv.Itoa(c.MaxRecord),
		"--no-header":        strconv.FormatBool(c.Records.NoHeader),
		"--record-separator": c.Records.Separator,
		"--time":             c.Index.Forget.Time,
		"--id":               c.ID,
		"--action":           c.Action,
		"--mask":             c.Mask,
	}
	maps.DeleteFunc(options, func(_, value string) bool { return value == "" || value == "false" })
	return options
}

// checkSame refuses options that differ from those of the run to be resumed. One that an older
// program began has none.
func (p *progress) checkSame(options map[string]string) error {
	if p.Options == nil {
		return nil
	}
	names := maps.Clone(p.Options)
	maps.Copy(names, options)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if then, now := p.Options[name], options[name]; then != now {
			return stream.CannotResume("the run to be resumed had %s, this one has %s: give the same options",
				given(name, then), given(name, now))
		}
	}
	return nil
}

// given is an option as it is given.
func given(name, value string) string {
	switch value {
	case "":
		return "no " + name
	case "true":
		return name
	}
	return name + " " + commandLine([]string{value})
}
