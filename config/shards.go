package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ShardFlags say how kept records are divided into files.
type ShardFlags struct {
	OutputDir    string `placeholder:"DIR" help:"In place of --output: write kept records to files in this directory, one for each input, under its name; or parts of --shard-records or --shard-size."`
	Name         string `placeholder:"PATTERN" help:"With --output-dir: what its files are called. {input} is the name of the input, with the directories in which inputs differ; {stem} the same without endings such as .jsonl.gz or .warc.wet.gz; {shard} the number of the file, from 00000. (default: {input}; or part-{shard}, and what the format is called)"`
	ShardRecords Count  `placeholder:"N" help:"With --output-dir: begin another file after so many records."`
	ShardSize    Size   `placeholder:"SIZE" help:"With --output-dir: begin another file after so many bytes of records, before they are compressed (of web archives, of gzip members). Those that become rows of csv, parquet or arrow count as JSON Lines."`
}

// The parts of a pattern that stand for something.
const (
	NameOfInput = "{input}"
	NameOfStem  = "{stem}"
	NumberPart  = "{shard}"
)

// IsSet reports whether records are divided into files.
func (s ShardFlags) IsSet() bool { return s.OutputDir != "" }

// ByInput reports whether there is a file for each input.
func (s ShardFlags) ByInput() bool { return s.ShardRecords == 0 && s.ShardSize == 0 }

// String says how, so that a run is resumed with the same.
func (s ShardFlags) String() string {
	switch {
	case s.ShardRecords > 0 && s.ShardSize > 0:
		return fmt.Sprintf("%d records or %d bytes as %s", s.ShardRecords, s.ShardSize, s.Name)
	case s.ShardRecords > 0:
		return fmt.Sprintf("%d records as %s", s.ShardRecords, s.Name)
	case s.ShardSize > 0:
		return fmt.Sprintf("%d bytes as %s", s.ShardSize, s.Name)
	}
	return "one for each input as " + s.Name
}

// resolveShards checks what is said about files, and what beside it, and completes it.
func (f *FilterFlags) resolveShards() error {
	s := &f.ShardFlags
	switch {
	case !s.IsSet() && (s.Name != "" || !s.ByInput()):
		return errors.New("--name, --shard-records and --shard-size need --output-dir DIR: where the files go")
	case !s.IsSet():
		return nil
	case f.Output != "-":
		return errors.New("--output-dir and --output both say where kept records go: give one of them")
	case f.Edits() && f.Action == ActionReport:
		return errors.New("--action report writes no records: leave --output-dir out")
	}
	f.Output = ""
	if s.Name == "" {
		return nil // the command knows what the format is called
	}
	return s.checkName()
}

func (s ShardFlags) checkName() error {
	rest := strings.NewReplacer(NameOfInput, "", NameOfStem, "", NumberPart, "").Replace(s.Name)
	switch {
	case strings.ContainsAny(rest, "{}"):
		return fmt.Errorf("--name %s: only {input}, {stem} and {shard} stand for something", s.Name)
	case s.ByInput() && !strings.Contains(s.Name, NameOfInput) && !strings.Contains(s.Name, NameOfStem) &&
		!strings.Contains(s.Name, NumberPart):
		return fmt.Errorf("--name %s would be the name of all files: write {input}, {stem} or {shard} in it", s.Name)
	case !s.ByInput() && !strings.Contains(s.Name, NumberPart):
		return fmt.Errorf("--name %s would be the name of all parts: write {shard} in it", s.Name)
	case !s.ByInput() && (strings.Contains(s.Name, NameOfInput) || strings.Contains(s.Name, NameOfStem)):
		return fmt.Errorf("--name %s has the name of an input, and a part may have records of several: write {shard} "+
			"alone", s.Name)
	case !filepath.IsLocal(s.Name):
		return fmt.Errorf("--name %s leads out of --output-dir", s.Name)
	}
	return nil
}
