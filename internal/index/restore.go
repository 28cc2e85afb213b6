package index

import (
	"errors"
	"slices"
)

// restoreKept restores kept files as those of the index, if their log contains a wanted commit.
func (f *fileSet) restoreKept(k keptState, wanted func(*Commit) bool) (done bool, left, err error) {
	s := &Snapshot{files: f.files, manifest: k.manifest}
	defer func() { s.close() }()
	if err := s.open(f.env, false); err != nil {
		return false, nil, err
	}
	target, err := s.lastCommit(wanted, s.log.length+1)
	if err != nil || target.end == 0 {
		return false, nil, err
	}
	left, err = f.restore(s, target)
	return true, left, err
}

// restore commits the state of some files as of a commit in their log, with a log that contains
// only this commit. Replacing MANIFEST makes it count.
func (f *fileSet) restore(s *Snapshot, target pastCommit) (left, err error) {
	logs := f.logsOf(&target.Commit)
	if err := logs.BeginUndo(f.files); err != nil {
		return nil, err
	}
	series, err := f.nextSeries()
	if err != nil {
		return nil, err
	}
	next := &manifest{
		parameters: s.manifest.parameters, bases: s.manifest.bases, log: logName(series), logLength: target.end,
		undone: undone{target.end, f.undone},
	}
	if err := f.copyLog(next.log, s.file, fingerprint(next.parameters), series, target.end); err != nil {
		return nil, err
	}
	if err := replaceManifest(f.files, next); err != nil {
		return nil, err
	}
	f.manifest, f.series, f.last = next, series, target.Commit
	return errors.Join(logs.FinishUndo(f.files), f.removeUndone(s.series)), nil
}

// removeUndone removes files that neither the restored MANIFEST nor an older kept state names.
func (f *fileSet) removeUndone(series uint64) (err error) {
	if f.kept, err = keptStates(f.files, f.manifest.log); err != nil {
		return err
	}
	f.kept = slices.DeleteFunc(f.kept, func(k keptState) bool { return k.series >= series })
	return f.removeLeftovers()
}
