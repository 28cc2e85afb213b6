package journal

import "slices"

// A Source identifies what a run has read.
type Source struct {
	Reading string `json:"way"` // how records were read: format, fields, and so on
	// Files identifies each input without reading all of it. An entry is empty if the input is not
	// a file; the list is empty if there are too many.
	Files []string `json:"files,omitempty"`
	// Content is nil if the inputs are not byte streams, or were not read from the beginning.
	Content *Content `json:"content,omitempty"`
	Broken  bool     `json:"broken,omitempty"` // not all of it could be read
}

// MostFiles is the maximum length of Source.Files.
const MostFiles = 100_000

// An Output is a file that a run has written.
type Output struct {
	Stream string `json:"stream"` // output, duplicates, …
	Path   string `json:"path"`   // absolute path or URL; empty if unknown
	// Identifies the file, even among later ones with its name or inode number; zero if unknown.
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Born   int64  `json:"born,omitempty"` // nanoseconds since 1970
}

// IsFile reports whether two outputs are the same file, according to the file system.
func (o Output) IsFile(other Output) bool {
	return o.Inode != 0 && o.Device == other.Device && o.Inode == other.Inode && o.Born == other.Born
}

// SameFiles returns the newest run that read exactly the same files in the same way, if any. Only
// if broken is true does that include a run that could not read all of them: after a system error
// it may have read less than would be read now.
func (j *Journal) SameFiles(s Source, broken bool) *Run {
	if len(s.Files) == 0 || slices.Contains(s.Files, "") {
		return nil
	}
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if run := &j.Runs[i]; run.Reading == s.Reading && slices.Equal(run.Files, s.Files) && (broken || !run.Broken) {
			return run
		}
	}
	return nil
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

// Writer returns the newest run with an output for which is returns true, if any.
func (j *Journal) Writer(is func(Output) bool) *Run {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if slices.ContainsFunc(j.Runs[i].Outputs, is) {
			return &j.Runs[i]
		}
	}
	return nil
}
