package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// ShardFlags say how kept records are divided into files.
type ShardFlags struct {
	OutputDir    string       `not:"told" placeholder:"DIR" brief:"One output file for each input, of the same name" help:"@shards/output-dir"`
	Name         string       `needs:"--output-dir DIR: there the files go" placeholder:"PATTERN" help:"@shards/name"`
	ShardRecords values.Count `needs:"--output-dir DIR: there the files go" range:"[1,)" placeholder:"N" help:"With --output-dir: begin another file after this many records."`
	ShardSize    values.Size  `needs:"--output-dir DIR: there the files go" range:"[1,)" placeholder:"SIZE" help:"@shards/shard-size"`
}

// rule returns the division that the flags ask for.
func (s ShardFlags) rule() layout.Shards {
	return layout.Shards{
		OutputDir: s.OutputDir, Name: s.Name, Records: uint64(s.ShardRecords), Bytes: uint64(s.ShardSize),
	}
}

// resolveShards checks and completes the flags about shards, and checks those given with them.
func (f *FilterFlags) resolveShards() error {
	s := f.ShardFlags.rule()
	switch {
	case !s.IsSet():
		return nil
	case f.given["--output"]:
		return errors.New("--output-dir and --output both say where kept records go: give one of them")
	case f.Edits() && f.Action == ActionReport:
		return errors.New("--action report writes no records: leave --output-dir out")
	}
	f.Output = ""
	if s.Name == "" {
		return nil // the command's error names the format
	}
	return checkShardName(s)
}

func checkShardName(s layout.Shards) error {
	rest := strings.NewReplacer(layout.NameOfInput, "", layout.NameOfStem, "", layout.NumberPart, "").Replace(s.Name)
	switch {
	case strings.ContainsAny(rest, "{}"):
		return fmt.Errorf("--name %s: only {input}, {stem} and {shard} are replaced", s.Name)
	case s.ByInput() && !strings.Contains(s.Name, layout.NameOfInput) && !strings.Contains(s.Name, layout.NameOfStem) &&
		!strings.Contains(s.Name, layout.NumberPart):
		return fmt.Errorf("--name %s would be the name of all files: write {input}, {stem} or {shard} in it", s.Name)
	case !s.ByInput() && !strings.Contains(s.Name, layout.NumberPart):
		return fmt.Errorf("--name %s would be the name of all parts: write {shard} in it", s.Name)
	case !s.ByInput() && (strings.Contains(s.Name, layout.NameOfInput) || strings.Contains(s.Name, layout.NameOfStem)):
		return fmt.Errorf("--name %s has the name of an input, and a part may have records of several: write {shard} "+
			"alone", s.Name)
	case !filepath.IsLocal(s.Name):
		return fmt.Errorf("--name %s leads out of --output-dir", s.Name)
	}
	return nil
}
