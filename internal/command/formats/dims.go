package formats

import (
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// findDims returns the number of dimensions of vectors. It takes that from the first record with a
// vector, at the beginning of the first input with records. first is standard input, if its
// beginning was read.
func findDims(ctx context.Context, w Request, std files.Streams) (dims int, first *files.Stdin, err error) {
	if compares := of(w.Name).Compares; compares != "" {
		return 0, nil, usage.Error(fmt.Errorf("--vector names a field, and %s has none (%s): leave it out", w.Name,
			compares))
	}
	name := w.Fields[0]
	field, err := record.ParseField(name)
	if err != nil {
		return 0, nil, usage.Error(fmt.Errorf("--vector: %w", err))
	}
	f := &finder{w, std}
	path, records, err := f.firstWithRecords(ctx)
	switch {
	case errors.Is(err, errReadOnce):
		return 0, nil, fmt.Errorf("--vector %s: the first record says how long vectors are, and %s can be read only "+
			"once: give it as standard input, or as a file", name, files.InputName(path))
	case err != nil:
		return 0, nil, fmt.Errorf("--vector %s: read the beginning of %s: %w", name, files.InputName(path), err)
	}
	for _, first := range records {
		if dims = record.VectorLength(field, first); dims > 0 {
			return dims, f.std.First, nil
		}
	}
	return 0, nil, usage.Error(fmt.Errorf("--vector %s: none of the %d records at the beginning of %s has a list of "+
		"numbers there, so the length of the vectors is not known", name, len(records), files.InputName(path)))
}
