package command

import (
	"errors"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
)

// A resultFile is where a command writes what it has found out about each record: standard output,
// or a file that gets its name when it is complete.
type resultFile struct {
	to   io.Writer
	file *files.Output // nil if it is standard output
}

// openResults begins a file of results, which must not be one of the inputs.
func openResults(inputs, others []string, path string, std files.Streams) (*resultFile, error) {
	if path == "-" {
		to, err := std.Out.Open()
		return &resultFile{to: to}, err
	}
	all := slices.Concat(inputs, others)
	if len(inputs) == 0 {
		all = append(all, "-")
	}
	paths, err := std.Paths(all)
	if err != nil {
		return nil, err
	}
	file, err := files.CreateResult(paths, path, std)
	if err != nil {
		return nil, err
	}
	return &resultFile{to: file, file: file}, nil
}

// table begins a table in the file.
func (r *resultFile) table(format, schema string) (*formats.Results, error) {
	return formats.NewResults(r.to, format, schema)
}

// finish gives the file its name, unless err is not nil, and returns all errors.
func (r *resultFile) finish(err error) error {
	if r.file == nil {
		return err
	}
	return files.NameUnfinished(errors.Join(err, r.file.Finish(err == nil, false)), r.file)
}
