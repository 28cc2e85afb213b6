package method

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Query returns the verdict about a text without remembering it.
func (j *Detector) Query(words []uint64) (stream.Verdict, error) {
	switch {
	case j.Exact != nil:
		return j.Exact.Query(words)
	case j.Pieces != nil:
		return j.Pieces.Query(words)
	}
	votes, err := j.Filters.VotesOf(stream.KeysOf(words))
	return stream.Verdict{Duplicate: votes >= j.Filters.Votes, Votes: uint16(votes)}, err
}

// Bytes returns the size of the memory.
func (j *Detector) Bytes() uint64 {
	if j.Exact != nil {
		_, bytes := j.Exact.Size()
		return bytes
	}
	return j.Filters.Usage().Bytes
}

// A Session adds texts to an index that come from a caller, not from files. Runs of the program can
// use the index afterwards, and what it knows of earlier runs stays.
type Session struct {
	of      *Detector
	lastRun uint64
	run     *journal.Named // nil without a name
	journal *journal.Journal
	failed  error // of a commit, after which the run cannot be committed
}

// A Naming makes a session a run that can be repeated.
type Naming struct {
	Name    string // such as a day; empty if the session is not a run
	Reading string // the options that determine its verdicts, besides those of the index
}

// lastUse is what a commit says about the last use of an index. Package run writes the same
// members, and more.
type lastUse struct {
	Stats struct {
		Complete bool
		Records  uint64
	} `json:"stats"`
	LastRun   uint64 `json:"last_run"`
	NoJournal bool   `json:"no_journal,omitempty"` // its runs have no verdicts
	Consumer  *struct {
		Group string `json:"group"`
	} `json:"kafka_consumer,omitempty"`
}

// lastUseOf returns how the index in dir was last used before a commit, or nil if it was not used.
func lastUseOf(at bloomlsh.Position, dir string) (*lastUse, error) {
	if len(at.Meta) == 0 {
		return nil, nil
	}
	var last lastUse
	if err := json.Unmarshal(at.Meta, &last); err != nil {
		return nil, ErrLastRun(dir, err)
	}
	return &last, nil
}

// run returns the number of the run to which a commit belongs: the last complete one, or its
// successor. It returns 0 for commits of a Kafka consumer, which belong to no run.
func (l *lastUse) run() uint64 {
	switch {
	case l == nil || l.Consumer != nil:
		return 0
	case l.Stats.Complete:
		return l.LastRun
	}
	return l.LastRun + 1
}

// UndoOf returns how many runs of the index in dir can be undone, and a function for the run to
// which a commit belongs.
func UndoOf(dir string, runs int) index.Undo {
	return index.Undo{Runs: runs, Run: func(at bloomlsh.Position) uint64 {
		last, err := lastUseOf(at, dir)
		if err != nil {
			return 0
		}
		return last.run()
	}}
}

// Session begins to add texts to the index in dir, which j has open. It refuses an index that a run
// or a consumer has to continue first. Without an index, nothing is ever committed. With a name,
// the session is a run. If the index knows that run, its verdicts are repeated, and the index does
// not change.
func (j *Detector) Session(dir string, as Naming) (s *Session, err error) {
	s = &Session{of: j}
	if j.Store() == nil {
		return s, nil
	}
	last, err := lastUseOf(j.Store().Committed(), dir)
	if err == nil {
		err = last.checkComplete(dir)
	}
	if err != nil {
		return nil, err
	}
	if last != nil {
		s.lastRun = last.LastRun
	}
	if as.Name == "" && !j.Exact.Forgets() {
		return s, nil
	}
	if s.journal, err = last.openJournal(dir); err != nil {
		return nil, err
	}
	j.Store().Add(s.journal)
	if err := s.begin(dir, as); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// begin begins the run, if there is one, and makes the memory keep the names to which verdicts of
// runs may refer.
func (s *Session) begin(dir string, as Naming) (err error) {
	j, number := s.of, s.lastRun+1
	of := windows.Run{Number: number, Oldest: s.journal.Oldest()}
	if as.Name == "" {
		j.Exact.OfRun(of)
		return nil
	}
	of.Undo = undoOfNamed
	j.Exact.OfRun(of)
	j.Store().KeepForUndo(UndoOf(dir, undoOfNamed))
	now := journal.Run{
		Name: as.Name, Number: number, Source: journal.Source{Reading: as.Reading},
		Details: journal.Details{Votes: true, Originals: j.HasNames()},
	}
	if j.Exact != nil {
		now.Before = j.Exact.Stats().Records
	}
	if s.run, err = s.journal.BeginNamed(j.Judge, now); err != nil || !s.run.Repeats() {
		return err
	}
	return j.Exact.NameDropped(s.journal.First(s.run.Run()))
}

// undoOfNamed is how many runs can be undone after a named one: the default of --undo-runs.
const undoOfNamed = 1

// checkComplete returns an error if a run or a consumer has to continue with the index first.
func (l *lastUse) checkComplete(dir string) error {
	switch last := l; {
	case last == nil:
		return nil
	case last.Consumer != nil:
		return fmt.Errorf("%s: it is the index of a consumer of group %s: run mithril-stream index settle %s "+
			"if that has ended for good", dir, last.Consumer.Group, dir)
	case !last.Stats.Complete:
		return fmt.Errorf("%s: its last run stopped after %s: run the same command with --resume to go "+
			"on, or mithril-stream index settle %s to leave that run's output as it is, or index undo %s to start over",
			dir, units.Of(last.Stats.Records, "record"), dir, dir)
	}
	return nil
}

// openJournal opens the journal of the index in dir.
func (l *lastUse) openJournal(dir string) (*journal.Journal, error) {
	if l == nil || l.NoJournal {
		return journal.Open(dir, 0)
	}
	return journal.Open(dir, l.LastRun)
}

// Judge returns the judge of the added texts.
func (s *Session) Judge() stream.Judge {
	if s.run != nil {
		return s.run.Judge()
	}
	return s.of.Judge
}

// Run describes the session as a run. ok is false if it has no name. If repeats is true, the
// verdicts of an earlier run are repeated: nothing is remembered, and the texts already have names.
func (s *Session) Run() (run journal.Run, repeats, ok bool) {
	if s.run == nil {
		return run, false, false
	}
	return s.run.Run(), s.run.Repeats(), true
}

// Repeats reports whether the verdicts of an earlier run are repeated.
func (s *Session) Repeats() bool { return s.run != nil && s.run.Repeats() }

// Close closes what the session has opened besides the detector.
func (s *Session) Close() (err error) {
	if s == nil {
		return nil
	}
	if s.run != nil {
		err = s.run.Close()
	}
	return errors.Join(err, s.journal.Close())
}

// Commit makes the given number of added texts durable. It ends a run, which cannot be extended
// afterwards.
func (s *Session) Commit(texts uint64) error {
	switch {
	case s.run == nil:
		return s.commit(texts)
	case s.failed != nil:
		return s.failed
	case s.Repeats():
		return s.run.Complete()
	case s.run.IsComplete():
		return nil
	}
	if s.failed = s.run.Complete(); s.failed != nil {
		return s.failed
	}
	s.lastRun++
	if s.failed = s.commit(texts); s.failed == nil {
		s.journal.Keep(journal.KeptNamed)
	}
	return s.failed
}

// commit commits that many more records to the index.
func (s *Session) commit(texts uint64) error {
	store := s.of.Store()
	if store == nil {
		return nil
	}
	at := lastUse{LastRun: s.lastRun}
	at.Stats.Complete = true
	meta, err := jsonout.Marshal(at)
	if err != nil {
		return err
	}
	return store.Commit(bloomlsh.Position{Records: store.Committed().Records + texts, Meta: meta})
}

// ErrLastRun is returned for a commit that cannot be read.
func ErrLastRun(dir string, err error) error {
	return fmt.Errorf("%s: what its last run has left cannot be read: %w: mithril-stream index settle "+
		"%s gives that run up", dir, err, dir)
}
