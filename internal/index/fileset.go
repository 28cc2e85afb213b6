package index

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A fileSet holds the files of an index that is open for writing: those that MANIFEST and the last
// commit name, and those kept so that runs can be undone.
type fileSet struct {
	*workDir
	manifest *manifest
	series   uint64 // number of the log of commits
	last     Commit
	// before lists the logs of the commit before a prepared one. Readers still use that commit,
	// since they cannot ask whether the prepared one counts.
	before []listed
	undo   Undo
	kept   []keptState // newest first
	undone int         // number of runs that an undo takes back
}

// nextSeries returns the number of the next series. It skips numbers whose files would overwrite
// files that are not the index's.
func (f *fileSet) nextSeries() (uint64, error) {
	names, err := f.files.List()
	if err != nil {
		return 0, err
	}
	taken := map[uint64]bool{}
	for _, name := range names {
		if series, ok := isIndexFile(name); ok && series > f.series && !f.isOwn(name) {
			taken[series] = true
		}
	}
	next := f.series + 1
	for taken[next] {
		next++
	}
	return next, nil
}

// state lists the files of the index, those to keep for undo, and which others the index owns:
// logs, and the files of past series and of the next one.
func (f *fileSet) state() store.State {
	files := []store.Listed{{Name: ManifestFile}}
	for _, name := range f.manifest.names() {
		files = append(files, store.Listed{Name: name})
	}
	kept := map[string]bool{}
	for _, l := range f.last.logs {
		if l.isKept {
			kept[l.name] = true
		} else {
			files = append(files, store.Listed{Name: l.name, Bytes: l.bytes})
		}
	}
	for _, l := range f.before {
		kept[l.name] = true
	}
	for _, k := range f.kept {
		kept[k.name] = true
		for _, name := range k.manifest.names() {
			kept[name] = true
		}
	}
	return store.State{Files: files, Keeps: func(name string) bool { return kept[name] }, Owns: f.owns}
}

// owns reports whether this index may have written a file.
func (f *fileSet) owns(name string) bool {
	_, _, isUndo := parseUndoName(name)
	series, isFile := isIndexFile(name)
	return isUndo || isFile && series <= f.series+1 && f.isOwn(name) || isLog(name) && f.isOwn(name)
}

// logsOf returns the logs that a commit depends on.
func (w *workDir) logsOf(c *Commit) store.State {
	s := store.State{Owns: isLog}
	for _, l := range c.logs {
		if !l.isKept {
			s.Files = append(s.Files, store.Listed{Name: l.name, Bytes: l.bytes})
		}
	}
	return s
}

// removeLeftovers removes files that neither MANIFEST, nor the last commit, nor a kept state names.
// Leftovers do no harm: a file that cannot be removed now is left to the next program that opens
// the index.
func (f *fileSet) removeLeftovers() error { return f.state().RemoveOthers(f.files) }

// keep makes the present files available for undo after a commit folds them, unless some are
// already kept for the same run: those of later folds in a run are of no use.
func (f *fileSet) keep(position Position) error {
	if f.undo.Runs <= 0 || f.manifest.log == "" {
		return nil
	}
	run := f.undo.Run(position)
	if run == 0 || slices.ContainsFunc(f.kept, func(k keptState) bool { return k.run == run }) {
		return nil
	}
	k := keptState{undoName(f.series, run), f.series, run, f.manifest}
	if err := f.files.Write(k.name, f.manifest.encode()); err != nil {
		return err
	}
	f.kept = append([]keptState{k}, f.kept...)
	return nil
}

// forgetKept gives up the states that no run can be taken back to after a commit. It reports
// whether there were any.
func (f *fileSet) forgetKept(position Position) bool {
	before := len(f.kept)
	if f.undo.Run == nil { // undo is not enabled
		f.kept = nil
		return before > 0
	}
	run := f.undo.Run(position)
	f.kept = slices.DeleteFunc(f.kept, func(k keptState) bool { return k.run+uint64(max(0, f.undo.Runs)) <= run })
	return len(f.kept) < before
}
