package journal

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/written"
)

// A Source identifies what a run has read.
type Source struct {
	Reading string `json:"way"` // how records were read: format, fields, and so on
	// Files identifies each input without reading all of it. An entry is empty if the input is not
	// a file; the list is empty if there are too many.
	Files []string `json:"files,omitempty"`
	// Content is nil if the inputs are not byte streams, or were not read from the beginning.
	Content *Content `json:"content,omitempty"`
	Broken  bool     `json:"broken,omitempty"` // some of it could not be read
}

// MostFiles is the maximum length of Source.Files.
const MostFiles = 100_000

// SameFiles returns the runs that read exactly the same files in the same way, or the same bytes as
// one of those, in order. Only if broken is true does that include runs that could not read all of
// them: after a system error they may have read less than would be read now.
func (j *Journal) SameFiles(s Source, broken bool) (runs []*Run) {
	if len(s.Files) == 0 || slices.Contains(s.Files, "") {
		return nil
	}
	var bytes *Content
	for _, run := range j.Runs {
		if run.readsFiles(s, broken) && run.Content != nil {
			bytes = run.Content
		}
	}
	for i := range j.Runs {
		run := &j.Runs[i]
		isSame := run.Reading == s.Reading && run.Content.equals(bytes) && (broken || !run.Broken)
		if isSame || run.readsFiles(s, broken) {
			runs = append(runs, run)
		}
	}
	return runs
}

// readsFiles reports whether a run read exactly these files in the same way.
func (r Run) readsFiles(s Source, broken bool) bool {
	return r.Reading == s.Reading && slices.Equal(r.Files, s.Files) && (broken || !r.Broken)
}

// BeganWith returns the runs that read, in the same way, a prefix of the files of s.
func (j *Journal) BeganWith(s Source) (runs []*Run) {
	for i := range j.Runs {
		run := &j.Runs[i]
		n := len(run.Files)
		if run.Reading == s.Reading && n > 0 && n < len(s.Files) && !run.Broken && !slices.Contains(run.Files, "") &&
			slices.Equal(run.Files, s.Files[:n]) {
			runs = append(runs, run)
		}
	}
	return runs
}

// Writer returns the newest run that has an output for which is returns true, and that output, or
// nil if no run has one.
func (j *Journal) Writer(is func(*Run, written.Output) bool) (run *Run, of written.Output) {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		for _, of := range j.Runs[i].Outputs {
			if is(&j.Runs[i], of) {
				return &j.Runs[i], of
			}
		}
	}
	return nil, of
}
