package config

import (
	"errors"
	"fmt"
	"slices"
)

// Filter is what the filter is to do. Every value is set but Bands and Rows, which are zero where they are to be tuned.
type Filter struct {
	Inputs    []string
	Records   RecordFormat
	MaxRecord int
	OnError   string
	Empty     string
	Threads   int // 0: one for each CPU

	Text    TextFlags
	Similar SimilarFlags
	Index   IndexFlags
	Output  OutputFlags
}

// resolve fills in presets and defaults and checks what spans several flags.
func (f FilterFlags) resolve() (Command, error) {
	recipe, err := findPreset(f.Preset)
	if err != nil {
		return nil, err
	}
	f.TextFlags.complete(recipe)
	f.TuneFlags.complete(recipe)
	fill(&f.Sketch, defaultSketch)
	records, err := f.recordFormat()
	if err != nil {
		return nil, err
	}
	for _, check := range []func() error{f.checkRecords, f.checkText, f.TuneFlags.check, f.checkIndex, f.checkOutputs} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return &Filter{
		Inputs: f.Inputs, Records: records, MaxRecord: int(f.MaxRecord), OnError: f.OnError, Empty: f.Empty, Threads: f.Threads,
		Text: f.TextFlags, Similar: f.SimilarFlags, Index: f.IndexFlags, Output: f.OutputFlags,
	}, nil
}

// maxMaxRecord bounds --max-record: a record is held in memory whole, several times over while it is worked on.
const maxMaxRecord = 1 << 30

func (f FilterFlags) checkRecords() error {
	standard := slices.Index(f.Inputs, "-")
	switch {
	case standard >= 0 && slices.Contains(f.Inputs[standard+1:], "-"):
		return errors.New("standard input can be read only once: give - once")
	case f.MaxRecord < 1 || f.MaxRecord > maxMaxRecord:
		return errors.New("--max-record must be between 1 and 1GiB")
	case f.Threads < 0 || f.Threads > 1024:
		return errors.New("--threads must be between 1 and 1024, or 0 for one for each CPU")
	case f.OnError == "divert" && f.Rejects == "":
		return errors.New("--on-error divert needs --rejects FILE, or the records would be lost")
	}
	return nil
}

func (f FilterFlags) checkText() error {
	if f.ShingleSize < 1 {
		return fmt.Errorf("--shingle-size %d must be at least 1", f.ShingleSize)
	}
	return nil
}

func (f FilterFlags) checkIndex() error {
	switch {
	case f.Capacity < 1:
		return errors.New("--capacity must be at least 1")
	case !isRate(f.FPRate):
		return fmt.Errorf("--fp-rate %v must be between 0 and 1", f.FPRate)
	case f.ReadOnly && f.IndexFlags.Index == "" && len(f.Against) == 0:
		return errors.New("--read-only needs --index DIR or --against DIR: without one there is nothing to compare with")
	case f.ReadOnly && (f.Checkpoint.IsSet() || f.Resume):
		return errors.New("--read-only commits nothing: leave --checkpoint and --resume out")
	case f.IndexFlags.Index == "" && f.Checkpoint.IsSet():
		return errors.New("--checkpoint needs --index DIR: that is what is committed")
	case f.IndexFlags.Index == "" && f.Resume:
		return errors.New("--resume needs --index DIR: there it is written how far the run has come")
	case f.IndexFlags.Index != "" && slices.Contains(f.Against, f.IndexFlags.Index):
		return fmt.Errorf("--against %s is the same directory as --index", f.IndexFlags.Index)
	}
	return nil
}

// checkOutputs refuses to write two streams into one file: they would overwrite each other.
func (f FilterFlags) checkOutputs() error {
	taken := map[string]string{}
	for _, o := range []struct{ flag, path string }{
		{"--output", f.Output}, {"--duplicates", f.Duplicates}, {"--rejects", f.Rejects}, {"--flags", f.Flags}, {"--stats", f.Stats},
	} {
		if o.path == "" {
			continue
		}
		if o.path == "-" && o.flag != "--output" {
			return fmt.Errorf("%s - would mix with the records: name a file", o.flag)
		}
		if other, ok := taken[o.path]; ok {
			return fmt.Errorf("%s and %s both write %s: give each its own file", other, o.flag, o.path)
		}
		taken[o.path] = o.flag
	}
	return nil
}
