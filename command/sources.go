package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/command/run"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sources are the inputs of a command that reads its records twice. Standard input is kept in a
// temporary file.
type sources struct {
	inputs []stream.Input
	kept   *os.File
}

func openSources(ctx context.Context, c *config.Substr, std files.Streams) (*sources, error) {
	paths, err := std.Paths(c.Files)
	if err != nil {
		return nil, err
	}
	run.AnnounceLeftOut(c.Quiet, std)
	if err := files.RefuseToMix(paths, []string{c.Output, c.Report}, std); err != nil {
		return nil, err
	}
	files.AnnounceTerminal(paths, std, c.Quiet)
	s := &sources{}
	if slices.Contains(paths, "-") {
		if s.kept, err = files.Spool(files.StopWith(ctx, std.In), "stdin", c.TempDir); err != nil {
			return nil, err
		}
	}
	std.In = s.kept
	s.inputs = files.Inputs(paths, std)
	formats.UnlessColumnar(s.inputs)
	if err := onlyJSONLines(paths, std); err != nil {
		return nil, errors.Join(usage.Error(err), s.close())
	}
	return s, nil
}

// onlyJSONLines refuses files that are something else by their first bytes, or by their names where
// these leave that open. Their lines would all be left as they are.
func onlyJSONLines(paths []string, std files.Streams) error {
	for _, path := range paths {
		format, err := formats.ByPaths([]string{path}, std)
		switch {
		case err != nil:
			return err
		case formats.BeginsLike(path, std, "{"):
			continue
		case formats.BeginsLike(path, std, "["):
			format = "json"
		}
		if format != "jsonl" {
			return fmt.Errorf("%s is %s, and substr reads JSON Lines: convert it first, as mithril-stream --format %s "+
				"--to jsonl does, which leaves out near-duplicates too", files.InputName(path), format, format)
		}
	}
	return nil
}

func (s *sources) close() error {
	if s.kept == nil {
		return nil
	}
	return s.kept.Close()
}

// each hands over each line of all sources.
func (s *sources) each(ctx context.Context, take files.LineTaker) error {
	for _, input := range s.inputs {
		if err := s.read(ctx, input, take); err != nil {
			return err
		}
	}
	return nil
}

func (s *sources) read(ctx context.Context, input stream.Input, take files.LineTaker) error {
	if s.kept != nil {
		if _, err := s.kept.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	src, err := input.Open()
	if err != nil {
		return err
	}
	err = files.EachLine(ctx, src, input.Name, take)
	if input.Name != "stdin" { // which is read again
		err = errors.Join(err, src.Close())
	}
	return err
}
