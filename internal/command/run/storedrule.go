package run

import (
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/indexbucket"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// MadeBy is config.MadeBy for an index in a directory or in a bucket.
func MadeBy(index string, std files.Streams) (arguments []string, err error) {
	if !object.IsRemote(index) {
		return config.MadeBy(index)
	}
	err = indexbucket.WithParameters(std.Objects, index, func(dir string) (err error) {
		arguments, err = config.MadeBy(dir)
		return err
	})
	return arguments, err
}
