package run

import (
	"errors"
	"fmt"
	"os"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/indexbucket"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// MadeBy is config.MadeBy of an index in a directory, or in a bucket. Of one in a bucket it fetches
// only the parameters, and takes no lock: these never change.
func MadeBy(index string, std files.Streams) (arguments []string, err error) {
	if !object.IsRemote(index) {
		return config.MadeBy(index)
	}
	dir, err := os.MkdirTemp("", "mithril-stream-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	bucket, err := indexbucket.Open(std.Objects, index, dir)
	if err == nil {
		err = bucket.ReadParameters(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read the parameters of %s: %w", index, err)
	}
	return config.MadeBy(dir)
}
