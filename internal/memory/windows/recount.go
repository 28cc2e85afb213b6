package windows

import (
	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A Recount counts what the logs of the remembered windows hold, and compares it with their state,
// as opening them does. It keeps nothing of it, so that a large index needs little memory.
type Recount struct {
	dir     string
	windows []*recounted
}

// A recounted window is one whose logs are counted.
type recounted struct {
	of      Window
	begins  beginning // of the log of records
	records uint64    // as that log says
	names   memory.Names
}

// Recount returns a Recount of the logs in dir, with nothing read yet.
func (s *State) Recount(dir string) *Recount {
	r := &Recount{dir: dir}
	for _, of := range s.Remembered {
		w := &recounted{of: of, begins: beginning{Window: &of}}
		w.names.Begin(of.First - 1)
		r.windows = append(r.windows, w)
	}
	return r
}

// Contents returns what counts the contents of the log of that name, as it is read.
func (r *Recount) Contents(name string) framelog.Contents {
	for _, w := range r.windows {
		switch name {
		case w.of.logName():
			return framelog.Contents{Notes: w.begins.take, Counts: w.tally}
		case w.of.namesName():
			return framelog.Contents{Header: namesHeader(&w.of), Notes: w.name}
		}
	}
	return framelog.Contents{}
}

// tally takes the numbers of the log, the last of which are those of all of its records.
func (w *recounted) tally(of framelog.Counts) error {
	w.records = of.Records
	return nil
}

// name counts the names in a note.
func (w *recounted) name(note []byte) error {
	err := w.names.Load(note)
	w.names.Release()
	return err
}

// Check returns an error unless the logs hold the records of the windows, and as many names. Call
// it once all logs are read.
func (r *Recount) Check() error {
	for _, w := range r.windows {
		if w.records != w.of.Records || w.begins.notes == 0 {
			err := damage("it has %d records, and the commit says %d", w.records, w.of.Records)
			return named(r.dir, w.of.logName(), err)
		}
		if err := w.names.Check(w.of.next() - 1); err != nil {
			return named(r.dir, w.of.namesName(), err)
		}
	}
	return nil
}
