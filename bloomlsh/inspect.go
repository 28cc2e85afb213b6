package bloomlsh

import (
	"errors"
	"io/fs"
)

// Description is what Inspect finds.
type Description struct {
	Parameters  []Parameter // all of them, the index's own last
	Stats       Stats
	Committed   Position
	Commits     uint64 // since the index was created, which is the first
	Files       []FileInfo
	Kept        []FileInfo // beside them, so that runs can be taken back (Undo)
	Uncommitted int64      // bytes at the end of the log that do not count
	Undecided   bool       // these hold a commit that may yet count (OpenPrepared)
	Ended       bool       // the last program that wrote has ended in order
}

// FileInfo is a file of an index and its length in bytes.
type FileInfo struct {
	Name  string
	Bytes int64
}

// Inspect describes the index of a directory. It loads it, as far as there is memory, since only
// the filters say how full they are.
func Inspect(dir string) (Description, error) { return inspect(system, dir) }

func inspect(env environment, dir string) (description Description, err error) {
	err = withDirectory(env, dir, func(d *directory) error {
		memory, _ := env.memory.usable()
		x, _, err := d.load(env, memory)
		if err != nil {
			return err
		}
		description = d.describe()
		description.Stats = x.Stats()
		kept, failed := d.describeKept()
		ended, err := hasEnded(d.files)
		description.Kept, description.Ended, err = kept, ended, errors.Join(err, failed)
		return errors.Join(err, x.Close())
	})
	return description, err
}

func (d *directory) describe() Description {
	description := Description{
		Parameters:  d.manifest.parameters,
		Committed:   d.state.last.position,
		Commits:     d.state.last.number,
		Uncommitted: d.state.size - d.state.length,
		Undecided:   d.state.prepared != nil,
	}
	for i, base := range d.bases {
		description.Files = append(description.Files, FileInfo{d.manifest.bases[i].name, base.size})
	}
	description.Files = append(description.Files, FileInfo{d.manifest.log, d.state.size})
	return description
}

// describeKept lists the files that folds have replaced and kept, which are not those of the index.
func (d *directory) describeKept() (list []FileInfo, err error) {
	states, err := keptStates(d.files, d.manifest.log)
	if err != nil {
		return nil, err
	}
	f := &fileSet{workDir: &workDir{files: d.files}, manifest: d.manifest, series: d.series, kept: states}
	kept, err := f.state().Kept(d.files)
	for _, k := range kept {
		list = append(list, FileInfo(k))
	}
	return list, err
}

// verifyKept checks every byte of the kept states.
func (d *directory) verifyKept(env environment) error {
	states, err := keptStates(d.files, d.manifest.log)
	if err != nil {
		return err
	}
	for _, k := range states {
		err := verifyFiles(env, &directory{files: d.files, manifest: k.manifest})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a writer may just have given it up
			return err
		}
	}
	return nil
}

// verifyFiles opens the files of a manifest, and checks every byte of them.
func verifyFiles(env environment, d *directory) error {
	defer d.close()
	if err := d.open(env, false); err != nil {
		return err
	}
	return d.verify()
}

// verify checks every byte of the files that are open.
func (d *directory) verify() error {
	for _, base := range d.bases { // the forgotten ones, too
		if err := base.scan(func(int64, []byte) {}); err != nil {
			return err
		}
	}
	return d.read(verification{})
}

// Verify checks every byte of the index of a directory, with little memory. The error names the
// first damage that it meets; that may be bytes after the last commit, which do not count. The
// description has no Stats.
func Verify(dir string) (Description, error) { return verify(system, dir) }

func verify(env environment, dir string) (description Description, err error) {
	err = withDirectory(env, dir, func(d *directory) error {
		description = d.describe()
		if description.Kept, err = d.describeKept(); err != nil {
			return err
		}
		if description.Ended, err = hasEnded(d.files); err != nil {
			return err
		}
		return errors.Join(d.verify(), d.checkEnd(description.Ended), d.verifyKept(env))
	})
	return description, err
}

// verification keeps nothing of what an index would take.
type verification struct{}

func (verification) base(*baseFile) error     { return nil }
func (verification) open(int, geometry) error { return nil }
func (verification) keys([]Key) error         { return nil }
func (verification) commit(commit) error      { return nil }
