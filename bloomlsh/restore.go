package bloomlsh

import "slices"

// restoreKept makes kept files those of the index again, if there is a commit that is wanted in
// their log.
func (f *fileSet) restoreKept(
	k keptState, is func(Position) bool, begin func(Position) error,
) (done bool, err error) {
	d := &directory{files: f.files, manifest: k.manifest}
	defer func() { d.close() }()
	if err := d.open(f.env, false); err != nil {
		return false, err
	}
	target, err := d.lastCommit(is, d.state.length+1)
	if err != nil || target.end == 0 {
		return false, err
	}
	return true, f.restore(d, target, begin)
}

// restore commits the state of some files as of a commit in their log, by a log that has no more.
// The commit is the replacement of MANIFEST.
func (f *fileSet) restore(d *directory, target pastCommit, begin func(Position) error) error {
	if begin != nil {
		if err := begin(target.position); err != nil {
			return err
		}
	}
	end := target.end
	series, err := f.nextSeries()
	if err != nil {
		return err
	}
	next := &manifest{
		parameters: d.manifest.parameters, bases: d.manifest.bases, log: logName(series), logLength: end,
		undone: undone{end, f.undone},
	}
	if err := f.copyLog(next.log, d.log, fingerprint(next.parameters), series, end); err != nil {
		return err
	}
	if err := replaceManifest(f.files, next); err != nil {
		return err
	}
	f.manifest, f.series = next, series
	return f.removeUndone(d.series)
}

// removeUndone removes what neither the restored MANIFEST nor a state that is older than it names.
func (f *fileSet) removeUndone(series uint64) (err error) {
	if f.kept, err = keptStates(f.files, f.manifest.log); err != nil {
		return err
	}
	f.kept = slices.DeleteFunc(f.kept, func(k keptState) bool { return k.series >= series })
	f.removeLeftovers()
	return nil
}
