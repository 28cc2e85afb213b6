package run

import (
	"maps"
	"slices"

	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
)

// optionsOf are the options that decide what a run writes, beside those that the index (I5), the
// streams and the format of a commit stand for. A run is resumed with the same: else the half that
// is written and the half that is not would be of two different runs.
func optionsOf(c *config.Filter, r formats.Settings, against []string) map[string]string {
	options := map[string]string{}
	for _, s := range c.ToResume(map[string]any{
		"--field": r.TextFields(), "--against": against, "--record-separator": r.Separator,
	}) {
		if _, isSize := s.Value.(int64); s.IsSet() || isSize {
			options[s.Name] = s.String()
		}
	}
	return options
}

// checkSame refuses options that differ from those of the run to be resumed. One that an older
// program began has none.
func (p *State) checkSame(options map[string]string) error {
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
	return name + " " + CommandLine([]string{value})
}
