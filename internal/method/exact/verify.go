package exact

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
)

// VerifyIndex checks every checksum of an index, that its filters are as its parameters say, and
// that its logs hold as many records and names as its last commit counts, without which it cannot
// be opened. The error names the first damage found.
func VerifyIndex(from *index.Snapshot) error {
	base := bloomlsh.VerifyFilters
	if !identity.HasFilters(identity.MemoryIn(from.Parameters())) {
		base = index.VerifyFrames
	}
	last, wrong := StateIn(from.Committed(), from.Path())
	if wrong == nil && last.Windows != nil {
		if wrong = last.Windows.Check(last.Records, last.Signatures); wrong != nil {
			wrong = fmt.Errorf("%s: %w", from.Path(), wrong)
		}
	}
	if wrong != nil { // but damage to a file explains more
		return cmp.Or(from.Verify(index.System, base), advised(wrong))
	}
	r := recountOf(last, from.Path())
	err := from.VerifyWith(index.System, base, r.contents)
	if err == nil {
		err = advised(r.check())
	}
	return errors.Join(err, r.close())
}

// A recount compares what the logs of an index hold with its last commit, and keeps none of it.
type recount struct {
	contents func(log string) index.LogContents // counts the contents of a log, as it is read
	check    func() error                       // is called once all logs are read
	close    func() error
}

// recountOf returns the recount of a memory in dir.
func recountOf(last State, dir string) recount {
	if last.Windows != nil {
		w := last.Windows.Recount(dir)
		return recount{w.Contents, w.Check, func() error { return nil }}
	}
	r := &recountOfLog{last: last, dir: dir}
	return recount{r.contents, r.check, func() error { return r.Counts.Close() }}
}

// A recountOfLog is the recount of a memory with a single log.
type recountOfLog struct {
	Described
	last    State
	dir     string
	records uint64 // as the log says
}

func (r *recountOfLog) contents(log string) index.LogContents {
	if log != r.last.logName() {
		return index.LogContents{}
	}
	return index.LogContents{
		Notes: func(note []byte) error {
			err := r.loadNote(note)
			r.Names.Release()
			return err
		},
		Counts: func(of index.LogCounts) error {
			r.records = of.Records
			return nil
		},
	}
}

func (r *recountOfLog) check() error {
	err := r.checkLoaded(r.last.logged())
	if err == nil {
		err = r.last.checkLog(r.records)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(r.dir, r.last.logName()), err)
	}
	return err
}
