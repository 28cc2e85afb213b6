package index

import "errors"

// foldDue reports whether the log should be folded into new sealed files and the disk has space for
// them. Once the log is a quarter as long as the base's data, opening the index takes longer for
// the log than for the sealed files, and writing these costs at most four times as much as writing
// the log did.
func (w *Writer) foldDue() bool {
	if w.base == nil {
		return false
	}
	bytes := w.base.Bytes()
	return w.changes.log.At() > max(w.env.MinLog, int64(bytes/4)) && w.checkSpace(bytes) == nil
}

// fold commits by writing new files: sealed files for what has changed in the base, and a log that
// contains nothing but the commit. Replacing MANIFEST makes the commit count.
func (w *Writer) fold(c Commit) error {
	series, err := w.nextSeries()
	if err != nil {
		return err
	}
	next := &manifest{parameters: w.manifest.parameters, log: logName(series)}
	if next.bases, err = w.base.Fold(&Folding{w, series}); err != nil {
		return err
	}
	changes, err := w.createChanges(fingerprint(next.parameters), series, c)
	if err != nil {
		return err
	}
	next.logLength = changes.committed
	if err = w.keep(c.Position); err == nil {
		err = replaceManifest(w.files, next)
	}
	if err != nil {
		changes.file.Close()
		return err
	}
	if w.changes != nil {
		w.changes.file.Close() // no longer needed
	}
	w.manifest, w.series, w.changes, w.last, w.dropped = next, series, changes, c, false
	w.before = nil
	w.forgetKept(c.Position)
	_ = w.removeLeftovers()
	return nil
}

// Compact folds the log of the index in dir. prepare loads the index, and may rewrite logs; if it
// fails, the index is unchanged.
func Compact(env Environment, dir string, kept Undo, prepare func(*Writer) error) error {
	w, err := OpenExisting(env, dir, nil)
	if err != nil {
		return err
	}
	w.KeepForUndo(kept)
	if err = prepare(w); err == nil {
		err = w.Fold(w.Committed())
	}
	return errors.Join(err, w.Close())
}

// Fold is like Commit but also folds the log of commits, so that the index opens faster. It returns
// an error if the disk lacks the space.
func (w *Writer) Fold(position Position) error {
	if err := w.Ready(); err != nil {
		return err
	}
	if w.failed = w.checkSpace(w.base.Bytes()); w.failed != nil {
		return w.failed
	}
	c, err := w.next(position)
	if err == nil {
		err = w.fold(c)
	}
	w.failed = err
	return err
}
