package method

import (
	"encoding/json"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
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

// A Session adds texts to an index without being a run: it has no input that could be read again,
// and so no verdicts that could be repeated. Runs of the program go on with the index afterwards,
// and their own records of earlier runs stay.
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
	LastRun  uint64 `json:"last_run"`
	Consumer *struct {
		Group string `json:"group"`
	} `json:"kafka_consumer,omitempty"`
}

// Session begins to add texts to the index in dir, which j has open. It refuses one that a run or a
// consumer is to go on with. Without an index nothing is ever committed.
func (j *Detector) Session(dir string) (*Session, error) {
	s := &Session{of: j}
	if j.Store() == nil || len(j.Store().Committed().Meta) == 0 {
		return s, nil
	}
	var last lastUse
	if err := json.Unmarshal(j.Store().Committed().Meta, &last); err != nil {
		return nil, ErrLastRun(dir, err)
	}
	switch {
	case last.Consumer != nil:
		return nil, fmt.Errorf("%s: it is the index of a consumer of group %s: run mithril-stream index settle %s "+
			"if that has ended for good", dir, last.Consumer.Group, dir)
	case !last.Stats.Complete:
		return nil, fmt.Errorf("%s: its last run stopped after %d records: resume it, or run mithril-stream index "+
			"settle %s to leave that run's output as it is, or index undo %s to start over", dir, last.Stats.Records,
			dir, dir)
	}
	s.lastRun = last.LastRun
	return s, nil
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
