package index

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Snapshot is an index open for reading, as of its last commit. All files that MANIFEST names
// exist and have been verified, except for the extents of sealed files and the contents of frames,
// which are verified when read. Logs are opened on demand. A Snapshot is not safe for concurrent
// use.
type Snapshot struct {
	files     *store.Dir
	manifest  *manifest
	sealed    []*SealedFile
	file      *store.File // the log of commits; nil once someone else owns it
	log       logState
	series    uint64 // number of that log
	readsLogs bool   // other logs have been opened
}

// openSnapshot opens the files that MANIFEST names. If forWriting is set, it opens the log for
// writing.
func openSnapshot(env Environment, files *store.Dir, forWriting bool) (*Snapshot, error) {
	m, err := readManifest(files)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{files: files, manifest: m}
	if err := s.open(env, forWriting); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *Snapshot) open(env Environment, forWriting bool) (err error) {
	print, first := fingerprint(s.manifest.parameters), s.manifest.firstBase()
	for i, base := range s.manifest.bases {
		f, err := openSealed(env, s.files, base, first+i, print)
		if err != nil {
			return err
		}
		s.sealed = append(s.sealed, f)
	}
	if s.series, err = s.manifest.logSeries(); err != nil {
		return Corrupt(s.ManifestPath(), "%v", err)
	}
	open := s.files.Open
	if forWriting {
		open = s.files.OpenForWriting
	}
	if s.file, err = openNamed(s.files, s.manifest.log, open); err != nil {
		return err
	}
	s.log, err = scanLog(s.file, s.LogPath(), print, s.series, s.manifest.logLength)
	return err
}

// logSeries returns the number in the name of the log of commits.
func (m *manifest) logSeries() (uint64, error) {
	series, err := strconv.ParseUint(strings.TrimPrefix(m.log, "log-"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not the name of a log", m.log)
	}
	return series, nil
}

// Path returns the path of the directory.
func (s *Snapshot) Path() string { return s.files.Path() }

// ManifestPath returns the path of MANIFEST, for messages.
func (s *Snapshot) ManifestPath() string { return filepath.Join(s.files.Path(), ManifestFile) }

// LogPath returns the path of the log of commits.
func (s *Snapshot) LogPath() string { return filepath.Join(s.files.Path(), s.manifest.log) }

// LogEnd describes the position after the last commit, for messages.
func (s *Snapshot) LogEnd() string { return fmt.Sprintf("%s:%d", s.LogPath(), s.log.length) }

// Parameters returns all parameters that the index was built with.
func (s *Snapshot) Parameters() []Parameter { return s.manifest.parameters }

// FirstSealed returns the number of the first sealed file, or 1 if there is none.
func (s *Snapshot) FirstSealed() int { return s.manifest.firstBase() }

// Sealed returns the sealed files, which are numbered without gaps.
func (s *Snapshot) Sealed() []*SealedFile { return s.sealed }

// Committed returns the last commit.
func (s *Snapshot) Committed() *Commit { return &s.log.last }

// EachFrame calls do with each frame of the log of commits, in order, up to the last commit.
func (s *Snapshot) EachFrame(do func(framelog.Frame) error) error {
	r := framelog.NewReader(s.file, s.log.size)
	for offset := int64(framelog.HeaderBytes); offset < s.log.length; {
		f, err := r.At(offset)
		if err != nil {
			return logError(s.LogPath(), err)
		}
		if err := do(f); err != nil {
			return err
		}
		offset = f.End
	}
	return nil
}

// PlaceOf describes the position of a frame in the log, for messages.
func (s *Snapshot) PlaceOf(f framelog.Frame) string {
	return fmt.Sprintf("%s:%d", s.LogPath(), f.Offset)
}

// OpenLog opens a log that the last commit lists, and returns the length up to which it counts. The
// caller closes it.
func (s *Snapshot) OpenLog(name string) (file *store.File, length int64, err error) {
	s.readsLogs = true
	return openListed(s.files, s.Committed(), name, s.files.Open)
}

// openListed opens a log that a commit lists.
func openListed(
	files *store.Dir, c *Commit, name string, open func(string) (*store.File, error),
) (file *store.File, length int64, err error) {
	length, ok := c.Log(name)
	path := filepath.Join(files.Path(), name)
	if !ok {
		return nil, 0, Corrupt(path, "its last commit does not list this log")
	}
	if file, err = open(name); errors.Is(err, fs.ErrNotExist) {
		err = missingError{Corrupt(path, "the last commit counts on it, and it is missing")}
	}
	return file, length, err
}

// A missingError reports that a log named by the last commit does not exist.
type missingError struct{ error }

// Unwrap returns fs.ErrNotExist, too, since a writer may just have removed the file.
func (e missingError) Unwrap() []error { return []error{e.error, fs.ErrNotExist} }

// close closes the open files, except those that someone else has taken over.
func (s *Snapshot) close() {
	for _, f := range s.sealed {
		if !f.isHeld {
			f.Close()
		}
	}
	if s.file != nil {
		s.file.Close()
	}
}

const (
	changingAtMost = 10 // maximum number of attempts if the index keeps changing
	brokenAtMost   = 3  // maximum number of attempts if something in it cannot be read
)

// Open calls open with a Snapshot of the index in dir, as of its last commit, even while another
// program writes to the index. The value that open returns may use the files of the Snapshot as
// long as it is open, but not the Snapshot itself once open has returned.
//
// A writer may replace files, or cut off and rewrite the end of the log, while they are being
// opened. So Open looks at apparent damage again. If the index was undone or folded while open was
// reading logs, these may belong to two different states: Open then closes what open returned and
// calls it again.
func Open[T io.Closer](env Environment, dir string, open func(*Snapshot) (T, error)) (opened T, err error) {
	var none T
	files, err := openDir(dir)
	if err != nil {
		return none, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	for try := 1; ; try++ {
		s, err := openSnapshot(env, files, false)
		if err != nil {
			if errors.Is(err, ErrCorrupt) && try < brokenAtMost {
				continue
			}
			return none, err
		}
		opened, err := open(s)
		s.close()
		hasChanged, failed := s.hasChanged()
		switch {
		case err != nil && try < brokenAtMost && (hasChanged || errors.Is(err, fs.ErrNotExist)):
			continue
		case err != nil || !s.readsLogs || failed == nil && !hasChanged:
			return opened, err
		}
		if err := errors.Join(failed, opened.Close()); err != nil {
			return none, err
		}
		if try == changingAtMost {
			return none, fmt.Errorf("%s: it keeps changing while it is being opened: try again when nobody takes runs "+
				"back or compacts it", dir)
		}
	}
}

// hasChanged reports whether the Snapshot's log of commits has been replaced by another one.
func (s *Snapshot) hasChanged() (bool, error) {
	now, err := readManifest(s.files)
	return err == nil && now.log != s.manifest.log, err
}

// openDir opens the directory of an index.
func openDir(path string) (*store.Dir, error) {
	files, err := store.OpenDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", path, ErrNoIndex)
	}
	return files, err
}

// ReadParameters returns the parameters that the index in dir was built with.
func ReadParameters(dir string) ([]Parameter, error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return nil, err
	}
	return m.parameters, nil
}
