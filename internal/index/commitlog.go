package index

import (
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

const (
	commitsHold    = "commits"
	commitsVersion = 1
)

// commitsHeader returns the header of the log of commits of an index with that fingerprint.
func commitsHeader(print xxh3.Uint128, series uint64) framelog.Header {
	return framelog.Header{Holds: commitsHold, Version: commitsVersion, Numbers: [3]uint64{print.Hi, print.Lo, series}}
}

// Changes is the log of commits, to which a section may also append entries. Entries are written
// whenever the buffer fills up, so that a run of any length needs little memory; they count once a
// commit follows them.
type Changes struct {
	log       *framelog.Writer
	file      *store.File
	number    uint64 // number of the next commit
	committed int64  // length of the file up to the last commit
	frame     int    // Environment.Frame
}

// createChanges starts a log with a commit, and flushes it.
func (w *workDir) createChanges(print xxh3.Uint128, series uint64, c Commit) (*Changes, error) {
	f, err := w.files.Create(logName(series))
	if err != nil {
		return nil, err
	}
	log, err := newChanges(w.env, f, 0, c.Number, commitsHeader(print, series))
	if err == nil {
		err = log.commit(framelog.Commit, c)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return log, nil
}

// newChanges returns a log that continues after the last commit, which ends at committed, with a
// commit of the given number. It cuts off whatever follows.
func newChanges(
	env Environment, f *store.File, committed int64, number uint64, header framelog.Header,
) (*Changes, error) {
	log, err := framelog.NewWriter(f, committed, header)
	if err != nil {
		return nil, err
	}
	log.SetNumber(number)
	return &Changes{log: log, file: f, number: number, committed: committed, frame: env.Frame}, nil
}

// Entry appends an entry of size bytes, and returns it to be filled in.
func (c *Changes) Entry(size int) ([]byte, error) {
	if open := c.log.Open(); open > 0 && open+size > c.frame {
		if _, err := c.log.Flush(); err != nil {
			return nil, err
		}
	}
	c.log.BeginEntry()
	return c.log.Extend(size), nil
}

// Begin appends a marker for the start of something new, to which all later entries belong.
func (c *Changes) Begin(what []byte) error {
	if _, err := c.log.Flush(); err != nil {
		return err
	}
	return c.log.Append(framelog.Generation, what)
}

// commit appends a commit of kind Commit or Prepared, and makes the log durable.
func (c *Changes) commit(kind framelog.Kind, what Commit) error {
	payload := appendCommit(nil, what)
	if len(payload) > mostCommit {
		return fmt.Errorf("a commit of %d bytes: at most %d are possible", len(payload), mostCommit)
	}
	if err := c.log.Append(kind, payload); err != nil {
		return err
	}
	length, err := c.log.Sync()
	if err != nil {
		return err
	}
	c.number++
	c.log.SetNumber(c.number)
	c.committed = length
	return nil
}

// drop removes what was appended since the last commit.
func (c *Changes) drop() error { return c.log.Drop(c.committed) }

// cutEnd cuts off what was appended since the last commit, durably.
func (c *Changes) cutEnd() error {
	if c.log.Written() <= c.committed {
		return nil
	}
	if err := c.drop(); err != nil {
		return err
	}
	return c.file.Sync()
}
