package index

import (
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// A Section stores its state in each commit.
type Section interface {
	// Name returns the name used in commits, of 1 to 8 letters.
	Name() string
	// State returns the section's state for the next commit. It may append to the section's logs.
	State() ([]byte, error)
}

// A Base is a section that stores its records in the log of commits, from which they are folded
// into sealed files. An index has at most one.
type Base interface {
	Section
	// Bytes returns the maximum length of what a fold would write.
	Bytes() uint64
	// Fold writes what has changed since the last fold, and returns the names of all sealed files.
	Fold(*Folding) ([]SealedName, error)
}

// A Folding writes sealed files of one series.
type Folding struct {
	w      *Writer
	series uint64
}

// Write writes and flushes a sealed file with a header of SealedHeader bytes and a body. The
// section sets bytes 20 to 23 of the header and those from SealedOwn on.
func (f *Folding) Write(number int, header, body []byte) (SealedName, error) {
	name := baseName(number, f.series)
	seal, err := writeSealed(f.w.files, name, header, body, fingerprint(f.w.manifest.parameters))
	return SealedName{name, seal}, err
}

// Spill writes a sealed file that the next fold will name, and opens it. It does not count until
// MANIFEST names it. If name is not empty, Spill opens that file instead of writing one.
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

// NoBase is the Base of an index that has no records in the log of commits.
type NoBase struct{}

// Name implements Section.
func (NoBase) Name() string { return "none" }

// State implements Section.
func (NoBase) State() ([]byte, error) { return nil, nil }

// Bytes implements Base.
func (NoBase) Bytes() uint64 { return 0 }

// Fold implements Base.
func (NoBase) Fold(*Folding) ([]SealedName, error) { return nil, nil }

// VerifyFrames returns an error if the log of a Snapshot contains anything but commits, which is
// all that an index with NoBase writes.
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
