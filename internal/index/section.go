package index

import (
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// A Section keeps its state in each commit.
type Section interface {
	// Name is what commits call it, of 1 to 8 letters.
	Name() string
	// State returns what the next commit is to say of it. It may append to its logs before.
	State() ([]byte, error)
}

// A Base is a section that keeps its records in the log of the commits, from where they are folded
// into sealed files. An index has at most one.
type Base interface {
	Section
	// Bytes is the length of what a fold would write, at most.
	Bytes() uint64
	// Fold writes what has changed since the last fold, and names all sealed files.
	Fold(*Folding) ([]SealedName, error)
}

// A Folding writes sealed files of one series.
type Folding struct {
	w      *Writer
	series uint64
}

// Write writes and flushes a sealed file: a header of SealedHeader bytes, of which those from
// SealedOwn on and from 20 to 23 are the section's, and a body.
func (f *Folding) Write(number int, header, body []byte) (SealedName, error) {
	name := baseName(number, f.series)
	seal, err := writeSealed(f.w.files, name, header, body, fingerprint(f.w.manifest.parameters))
	return SealedName{name, seal}, err
}

// Spill writes a sealed file that the next fold will name, and opens it. As long as MANIFEST does
// not name it, it does not count. If name is of one that is there already, that is opened.
func (w *Writer) Spill(
	number int, name SealedName, fill func() (header, body []byte),
) (SealedName, *SealedFile, error) {
	if name.name == "" {
		series, err := w.nextSeries()
		if err != nil {
			return name, nil, err
		}
		header, body := fill()
		if name, err = (&Folding{w, series}).Write(number, header, body); err != nil {
			return name, nil, err
		}
	}
	f, err := openSealed(w.env, w.files, name, number, fingerprint(w.manifest.parameters))
	if err == nil {
		f.Hold()
	}
	return name, f, err
}

// SealedNames returns the sealed files of the index, in order.
func (s *Snapshot) SealedNames() []SealedName { return s.manifest.bases }

// NoBase is the Base of an index that has no records in the log of the commits.
type NoBase struct{}

// Name implements Section.
func (NoBase) Name() string { return "none" }

// State implements Section.
func (NoBase) State() ([]byte, error) { return nil, nil }

// Bytes implements Base.
func (NoBase) Bytes() uint64 { return 0 }

// Fold implements Base.
func (NoBase) Fold(*Folding) ([]SealedName, error) { return nil, nil }

// VerifyFrames returns an error if there is anything but commits in the log of a Snapshot, as
// belongs to an index with NoBase.
func VerifyFrames(s *Snapshot) error {
	if len(s.sealed) > 0 {
		return Corrupt(s.ManifestPath(), "it names %s, and this index has no such files",
			filepath.Base(s.sealed[0].path))
	}
	return s.EachFrame(func(f framelog.Frame) error {
		if f.Kind != framelog.Commit && f.Kind != framelog.Prepared {
			return Corrupt(s.PlaceOf(f), "an entry, and this index has none here")
		}
		return nil
	})
}
