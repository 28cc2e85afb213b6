package index

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Description describes an index.
type Description struct {
	Parameters  []Parameter // all parameters
	Last        *Commit
	Files       []FileInfo // files that the last commit depends on
	Kept        []FileInfo // files kept so that runs can be undone (Undo)
	Uncommitted int64      // bytes at the end of the log of commits that do not count
	Undecided   bool       // those bytes hold a commit that may still count (Writer.Prepare)
	Ended       bool       // the last program that wrote exited cleanly
}

// A FileInfo is the name of an index file and its length in bytes.
type FileInfo struct {
	Name  string
	Bytes int64
}

// Describe lists the files of the index.
func (s *Snapshot) Describe() (d Description, err error) {
	d = Description{
		Parameters:  s.manifest.parameters,
		Last:        &s.log.last,
		Uncommitted: s.log.size - s.log.length,
		Undecided:   s.log.prepared != nil,
	}
	for i, f := range s.sealed {
		d.Files = append(d.Files, FileInfo{s.manifest.bases[i].name, f.size})
	}
	d.Files = append(d.Files, FileInfo{s.manifest.log, s.log.size})
	for _, l := range s.log.last.logs {
		if !l.isKept {
			d.Files = append(d.Files, FileInfo{l.name, l.bytes})
		}
	}
	if d.Ended, err = hasEnded(s.files); err != nil {
		return d, err
	}
	states, err := keptStates(s.files, s.manifest.log)
	if err != nil {
		return d, err
	}
	f := &fileSet{workDir: &workDir{files: s.files}, manifest: s.manifest, series: s.series, last: s.log.last,
		kept: states}
	kept, err := f.state().Kept(s.files)
	for _, k := range kept {
		d.Kept = append(d.Kept, FileInfo(k))
	}
	return d, err
}

// Verify checks every checksum of the index, and what follows the last commit, using little memory.
// base checks the data of the base. The error names the first damage found, which may be in bytes
// after the last commit, which do not count.
func (s *Snapshot) Verify(env Environment, base func(*Snapshot) error) error {
	return s.VerifyWith(env, base, func(string) LogContents { return LogContents{} })
}

// A LogContents receives the contents of a log.
type LogContents = framelog.Contents

// LogCounts are the numbers of records that a log gives.
type LogCounts = framelog.Counts

// VerifyWith is like Verify, and passes on the contents of each log to what contents returns for
// its name.
func (s *Snapshot) VerifyWith(
	env Environment, base func(*Snapshot) error, contents func(log string) LogContents,
) error {
	if err := s.verify(base); err != nil {
		return err
	}
	ended, err := hasEnded(s.files)
	if err == nil && ended {
		err = s.checkEnd()
	}
	if err == nil {
		err = s.verifyKept(env, base)
	}
	if err == nil {
		err = s.verifyLogs(ended, contents)
	}
	return err
}

// verify checks every byte of the files that MANIFEST names.
func (s *Snapshot) verify(base func(*Snapshot) error) error {
	for _, f := range s.sealed { // including forgotten ones
		if err := f.Scan(func(int64, []byte) {}); err != nil {
			return err
		}
	}
	return base(s)
}

// verifyKept checks every byte of the states kept for undo.
func (s *Snapshot) verifyKept(env Environment, base func(*Snapshot) error) error {
	states, err := keptStates(s.files, s.manifest.log)
	if err != nil {
		return err
	}
	for _, k := range states {
		of := &Snapshot{files: s.files, manifest: k.manifest}
		err := of.open(env, false)
		if err == nil {
			err = of.verify(base)
		}
		of.close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a writer may just have removed it
			return err
		}
	}
	return nil
}

// verifyLogs checks every checksum of the logs and, if the last program that wrote to them exited
// cleanly, what follows their lengths.
func (s *Snapshot) verifyLogs(ended bool, contents func(log string) LogContents) error {
	for _, l := range s.log.last.logs {
		file, length, err := s.OpenLog(l.name)
		if l.isKept && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(verifyLog(file, length, ended, contents(l.name)), file.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func verifyLog(file *store.File, length int64, ended bool, to LogContents) error {
	err := framelog.Read(file, length, to)
	if err == nil && ended {
		size, failed := file.Size()
		if failed != nil {
			return failed
		}
		if err = framelog.NewReader(file, size).CheckEnd(length, 0); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err) // the next run repairs it
		}
	}
	if errors.Is(err, framelog.ErrCorrupt) {
		err = fmt.Errorf("%w: restore it from a copy, or build the index again", err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file.Name(), err)
	}
	return err
}

// nothing is what Open returns for a reader that keeps no files open.
type nothing struct{}

func (nothing) Close() error { return nil }

// Read is like Open for a reader that keeps no files open.
func Read(dir string, read func(*Snapshot) error) error { return ReadIn(System, dir, read) }

// ReadIn is Read in the given environment.
func ReadIn(env Environment, dir string, read func(*Snapshot) error) error {
	_, err := Open(env, dir, func(s *Snapshot) (nothing, error) { return nothing{}, read(s) })
	return err
}

// ReadOnce is like Read for a function that must not be called again.
func ReadOnce(env Environment, dir string, read func(*Snapshot) error) (err error) {
	files, err := openDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	s, err := openSnapshot(env, files, false)
	if err != nil {
		return err
	}
	defer s.close()
	return read(s)
}
