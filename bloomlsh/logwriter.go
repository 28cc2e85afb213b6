package bloomlsh

import "github.com/zeebo/xxh3"

// logWriter appends to a log. Frames of keys are written as they fill up, so that a run of any
// length needs little memory; they count once a commit frame follows.
type logWriter struct {
	file      file
	number    uint64 // of the commit that is due
	committed int64  // length of the file up to the last commit
	start     int64  // offset in the file of what is in buf
	buf       []byte // frames that are not written yet
	open      int    // where in buf the frame of keys that is being filled begins, or none
	frame     int    // environment.frame
}

const none = -1

// createLog begins a log with a commit of nothing, and flushes it.
func createLog(env environment, path string, print xxh3.Uint128, series uint64, c commit) (*logWriter, error) {
	f, err := env.files.Create(path)
	if err != nil {
		return nil, err
	}
	w := newLogWriter(env, f, c.number, 0)
	w.buf = append(w.buf, encodeLogHeader(print, series)...)
	if err := w.commit(kindCommit, c); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

func newLogWriter(env environment, f file, number uint64, committed int64) *logWriter {
	return &logWriter{
		file: f, number: number, committed: committed, start: committed, open: none, frame: env.frame,
		buf: make([]byte, 0, env.frame+4*frameOverhead+64),
	}
}

// length is how long the file would be if everything were written.
func (w *logWriter) length() int64 { return w.start + int64(len(w.buf)) }

// keys appends the keys of one record.
func (w *logWriter) keys(keys []Key) error {
	if w.open != none && len(w.buf)-w.open-frameHeaderSize+len(keys)*keySize > w.frame {
		if err := w.write(); err != nil {
			return err
		}
	}
	if w.open == none {
		w.open = len(w.buf)
		w.buf = beginFrame(w.buf, kindKeys, w.number)
	}
	w.buf = appendKeys(w.buf, keys)
	return nil
}

// generation appends that a generation is opened.
func (w *logWriter) generation(generation int, g geometry) error {
	if err := w.write(); err != nil {
		return err
	}
	start := len(w.buf)
	w.buf = appendGeneration(beginFrame(w.buf, kindGeneration, w.number), generation, g)
	w.buf = endFrame(w.buf, start, w.start+int64(start))
	return nil
}

// commit appends a commit, of the kind commit or prepared, and flushes the file.
func (w *logWriter) commit(kind uint32, c commit) error {
	w.endKeys()
	start := len(w.buf)
	w.buf = appendCommit(beginFrame(w.buf, kind, w.number), c)
	w.buf = endFrame(w.buf, start, w.start+int64(start))
	if err := w.write(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.number++
	w.committed = w.start
	return nil
}

// drop takes back what was appended since the last commit.
func (w *logWriter) drop() error {
	w.buf, w.open, w.start = w.buf[:0], none, w.committed
	return w.file.Truncate(w.committed)
}

func (w *logWriter) endKeys() {
	if w.open != none {
		w.buf = endFrame(w.buf, w.open, w.start+int64(w.open))
		w.open = none
	}
}

// write passes everything appended to the file, but does not flush it.
func (w *logWriter) write() error {
	w.endKeys()
	if _, err := w.file.WriteAt(w.buf, w.start); err != nil {
		return err
	}
	w.start += int64(len(w.buf))
	w.buf = w.buf[:0]
	return nil
}
