package journal

import "slices"

// A Source tells what a run has read from what others have.
type Source struct {
	Way string `json:"way"` // how records were read: the format, the fields, and so on
	// Files tells each input from others, by what is known without reading it whole: empty where an
	// input is no file, or if there are too many.
	Files []string `json:"files,omitempty"`
	// Content is nil if the inputs are no streams of bytes, or were not read from the beginning.
	Content *Content `json:"content,omitempty"`
	Broken  bool     `json:"broken,omitempty"` // not all of it could be read
}

// MostFiles bounds Source.Files.
const MostFiles = 100_000

// An Output is a file that a run has written.
type Output struct {
	Stream string `json:"stream"` // output, duplicates, …
	Path   string `json:"path"`   // absolute, or the address of an object; empty if it is not known
	// What tells the file from others, also from a later one of that name or number; zero if that
	// is not known.
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Born   int64  `json:"born,omitempty"` // nanoseconds since 1970
}

// IsFile reports whether two outputs are one file, by what the file system says.
func (o Output) IsFile(other Output) bool {
	return o.Inode != 0 && o.Device == other.Device && o.Inode == other.Inode && o.Born == other.Born
}

// SameFiles returns the newest run that has read the very same files in the same way, or nil. A run
// that could not read all of them is returned if broken is true: what it has read may be less than
// what is read now, if the error was one of the system.
func (j *Journal) SameFiles(s Source, broken bool) *Run {
	if len(s.Files) == 0 || slices.Contains(s.Files, "") {
		return nil
	}
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if run := &j.Runs[i]; run.Way == s.Way && slices.Equal(run.Files, s.Files) && (broken || !run.Broken) {
			return run
		}
	}
	return nil
}

// BeganWith returns the runs that have read, in the same way, what the files of s begin with.
func (j *Journal) BeganWith(s Source) (runs []*Run) {
	for i := range j.Runs {
		run := &j.Runs[i]
		n := len(run.Files)
		if run.Way == s.Way && n > 0 && n < len(s.Files) && !run.Broken && !slices.Contains(run.Files, "") &&
			slices.Equal(run.Files, s.Files[:n]) {
			runs = append(runs, run)
		}
	}
	return runs
}

// Writer returns the newest run whose output is that file, or nil.
func (j *Journal) Writer(is func(Output) bool) *Run {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if slices.ContainsFunc(j.Runs[i].Outputs, is) {
			return &j.Runs[i]
		}
	}
	return nil
}
