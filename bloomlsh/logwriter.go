package bloomlsh

import (
	"errors"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A logWriter appends to the log of an index. Frames of keys are written as they fill up, so that a
// run of any length needs little memory; they count once a commit follows.
type logWriter struct {
	*framelog.Writer
	file      *store.File
	number    uint64 // of the commit that is due
	committed int64  // length of the file up to the last commit
	frame     int    // environment.frame
}

// createLog begins a log with a commit of nothing, and flushes it.
func (w *workDir) createLog(print xxh3.Uint128, series uint64, c commit) (*logWriter, error) {
	f, err := w.files.Create(logName(series))
	if err != nil {
		return nil, err
	}
	log, err := newLogWriter(w.env, f, c.number, 0, logHeader(print, series))
	if err == nil {
		err = log.commit(framelog.Commit, c)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return log, nil
}

// newLogWriter returns a writer that appends after the last commit, and cuts off what follows.
func newLogWriter(
	env environment, f *store.File, number uint64, committed int64, header framelog.Header,
) (*logWriter, error) {
	log, err := framelog.NewWriter(f, committed, header)
	if err != nil {
		return nil, err
	}
	log.SetNumber(number)
	return &logWriter{Writer: log, file: f, number: number, committed: committed, frame: env.frame}, nil
}

// keys appends the keys of one record.
func (w *logWriter) keys(keys []Key) error {
	size := len(keys) * keySize
	if open := w.Open(); open > 0 && open+size > w.frame {
		if _, err := w.Flush(); err != nil {
			return err
		}
	}
	w.BeginEntry()
	putKeys(w.Extend(size), keys)
	return nil
}

// generation appends that a generation is opened.
func (w *logWriter) generation(generation int, g geometry) error {
	if _, err := w.Flush(); err != nil {
		return err
	}
	return w.Append(framelog.Generation, appendGeneration(nil, generation, g))
}

// commit appends a commit, of the kind Commit or Prepared, and makes the log durable.
func (w *logWriter) commit(kind framelog.Kind, c commit) error {
	if err := w.Append(kind, appendCommit(nil, c)); err != nil {
		return err
	}
	length, err := w.Sync()
	if err != nil {
		return err
	}
	w.number++
	w.SetNumber(w.number)
	w.committed = length
	return nil
}

// drop takes back what was appended since the last commit.
func (w *logWriter) drop() error { return w.Drop(w.committed) }
