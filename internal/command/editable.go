package command

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// leaveEditable makes the filter write records as they came, or as JSON if bytes cannot be replaced
// in their format.
func leaveEditable(filter config.Filter, std files.Streams) (_ config.Filter, err error) {
	named := filter.Input.Records.Name
	if named == "" {
		paths, err := std.Paths(filter.Input.Paths)
		if err != nil {
			return filter, err
		}
		if named, err = formats.ByPaths(paths, std); err != nil {
			return filter, usage.Error(err)
		}
	}
	if !formats.IsEditable(named) && layout.ByPath(filter.Output.Output) == "" && filter.Input.Records.To == "" {
		return filter.WrittenAs("jsonl"), nil
	}
	return filter, nil
}
