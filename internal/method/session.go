package method

import (
	"encoding/json"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Query returns the verdict about a text that is not remembered.
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

// Bytes is how much memory it takes.
func (j *Detector) Bytes() uint64 {
	if j.Exact != nil {
		return j.Exact.size.bytes.Load()
	}
	return j.Filters.Usage().Bytes
}

// A Session adds texts to an index that come from a caller, and not from files. Runs of the program
// go on with the index afterwards, and their own records of earlier runs stay.
type Session struct {
	of      *Detector
	lastRun uint64
}

// lastUse is what a commit says of how an index was used last. Package run writes the same members,
// and more.
type lastUse struct {
	Stats struct {
		Complete bool
		Records  uint64
	} `json:"stats"`
	LastRun  uint64            `json:"last_run"`
	Days     []json.RawMessage `json:"days,omitempty"` // of an index of groups, whose runs have no verdicts
	Consumer *struct {
		Group string `json:"group"`
	} `json:"kafka_consumer,omitempty"`
}

// lastUseOf returns how the index in dir was used last before a commit; nil if it was not.
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

// run is the number of the run that a commit is of: the last complete one, or the one after it.
// Commits of a Kafka consumer are of none, which is 0.
func (l *lastUse) run() uint64 {
	switch {
	case l == nil || l.Consumer != nil:
		return 0
	case l.Stats.Complete:
		return l.LastRun
	}
	return l.LastRun + 1
}

// UndoOf says how many runs of the index in dir can be taken back, and which run a commit is of.
func UndoOf(dir string, runs int) bloomlsh.Undo {
	return bloomlsh.Undo{Runs: runs, Run: func(at bloomlsh.Position) uint64 {
		last, err := lastUseOf(at, dir)
		if err != nil {
			return 0
		}
		return last.run()
	}}
}

// Session begins to add texts to the index in dir, which j has open. It refuses one that a run or a
// consumer is to go on with. Without an index nothing is ever committed.
func (j *Detector) Session(dir string) (*Session, error) {
	s := &Session{of: j}
	if j.Store() == nil {
		return s, nil
	}
	last, err := lastUseOf(j.Store().Committed(), dir)
	switch {
	case err != nil || last == nil:
		return s, err
	case last.Consumer != nil:
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s: run mithril-stream index settle %s "+
			"if that has ended for good", dir, last.Consumer.Group, dir)
	case !last.Stats.Complete:
		return nil, fmt.Errorf("%s: its last run stopped after %d records: run the same command with --resume to go "+
			"on, or mithril-stream index settle %s to leave that run's output as it is, or index undo %s to start over",
			dir, last.Stats.Records, dir, dir)
	}
	s.lastRun = last.LastRun
	if !j.Exact.Forgets() {
		return s, nil
	}
	of, err := last.journal(dir)
	if err != nil {
		return nil, err
	}
	j.Exact.OfRun(windows.Run{Number: s.lastRun + 1, Oldest: of.Oldest()}) // verdicts may name what is forgotten
	return s, of.Close()
}

// journal opens the journal of the index in dir.
func (l *lastUse) journal(dir string) (*journal.Journal, error) {
	if l == nil || len(l.Days) > 0 {
		return journal.Open(dir, 0)
	}
	return journal.Open(dir, l.LastRun)
}

// Commit makes durable what was added: texts more records.
func (s *Session) Commit(texts uint64) error {
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
	if s.of.Exact.IsKept() {
		committed, err := s.of.Exact.Sync()
		if err != nil {
			return err
		}
		if meta, err = WithExact(meta, *committed); err != nil {
			return err
		}
	}
	if err := store.Commit(bloomlsh.Position{Records: store.Committed().Records + texts, Meta: meta}); err != nil {
		return err
	}
	s.of.Exact.RemoveOld()
	return nil
}
