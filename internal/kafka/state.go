package kafka

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
)

// A State is what a commit of the index says about its consumer. docs/recipes/kafka.md explains how
// it is compared with the offsets of the group.
type State struct {
	Cluster string `json:"cluster"` // cluster id
	Group   string `json:"group"`
	Topic   string `json:"topic"`
	TopicID string `json:"topic_id"`
	// created with the index; part of the transactional id
	Instance string `json:"instance"`
	Sequence uint64 `json:"sequence"` // number of the commit, from 1
	// partition → offset after the last record in the index
	Next    map[int32]int64 `json:"next"`
	Changed []int32         `json:"changed"` // partitions with records in this commit
	// whether other members have read partitions of the topic too
	Shared bool `json:"shared,omitempty"`

	Records    uint64 `json:"records"` // over the life of the consumer
	Duplicates uint64 `json:"duplicates"`
}

// meta is the form of a State in a commit: an object with one member, so that nothing else can be
// mistaken for it.
type meta struct {
	Consumer *State `json:"kafka_consumer"`
}

// StateOf returns the state in a commit, or nil if a consumer did not make the commit.
func StateOf(at bloomlsh.Position) *State {
	var m meta
	if json.Unmarshal(at.Meta, &m) != nil {
		return nil
	}
	return m.Consumer
}

func (s *State) position() (bloomlsh.Position, error) {
	text, err := jsonout.Marshal(meta{s})
	return bloomlsh.Position{Records: s.Records, Meta: text}, err
}

// after returns the state once everything up to the given offsets is committed.
func (s *State) after(next map[int32]int64) *State {
	n := *s
	n.Sequence++
	n.Next = maps.Clone(s.Next)
	if n.Next == nil {
		n.Next = map[int32]int64{}
	}
	maps.Copy(n.Next, next)
	n.Changed = slices.Sorted(maps.Keys(next))
	return &n
}

// transactionalID returns an id that stays the same for the life of the index, so that the next
// process that uses the index ends an open transaction.
func (s *State) transactionalID() string {
	return "mithril-stream-" + s.Group + "-" + s.Instance
}

// A mark is the metadata that a transaction commits with the offsets of the group: which index they
// belong to. It is in the group if and only if the transaction was committed.
type mark struct {
	instance string
	sequence uint64
}

const markOpening = "mithril-stream"

func (m mark) String() string { return fmt.Sprintf("%s %s %d", markOpening, m.instance, m.sequence) }

// parseMark returns the zero mark for metadata of other programs.
func parseMark(text string) (m mark) {
	fields := strings.Fields(text)
	if len(fields) != 3 || fields[0] != markOpening {
		return mark{}
	}
	sequence, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return mark{}
	}
	return mark{fields[1], sequence}
}

// committed holds what a group has committed for a partition.
type committed struct {
	next int64
	mark mark
}

// counts reports whether the transaction of this commit was committed. The mark of a later commit
// of the same index proves it, and that of an earlier one disproves it. Offsets without a mark, as
// set by a tool, prove it if they equal those of the commit. If every partition has moved to other
// consumers in the meantime it cannot be known; then the commit is taken back, and at worst a
// duplicate of one of its records is not recognized.
func (s *State) counts(group map[int32]committed) bool {
	for _, partition := range s.Changed {
		at, ok := group[partition]
		switch {
		case !ok:
		case at.mark.instance == s.Instance && at.mark.sequence >= s.Sequence:
			return true
		case at.mark == mark{} && at.next == s.Next[partition]:
			return true
		}
	}
	return false
}

// A MismatchError is returned if the offsets of a group and an index do not belong together.
type MismatchError struct {
	State   *State // of the index; nil if no consumer has used it yet
	problem string
	remedy  string
}

func (e *MismatchError) Error() string { return e.problem + ": " + e.remedy }

// check compares a committed state with the offsets of the group. Partitions may be further ahead
// there, if others have read them. They must not be behind: records would be read again, and taken
// for duplicates of themselves.
func (s *State) check(group map[int32]committed) error {
	for _, partition := range slices.Sorted(maps.Keys(s.Next)) {
		next := s.Next[partition]
		if next == 0 {
			continue
		}
		at, ok := group[partition]
		place := fmt.Sprintf("%s/%d", s.Topic, partition)
		switch {
		case !ok:
			return &MismatchError{s, fmt.Sprintf("group %s has no offset for %s, but the index has read its "+
				"records up to offset %d", s.Group, place, next), rewound}
		case at.next < next:
			return &MismatchError{s, fmt.Sprintf("group %s is at offset %d of %s, but the index has read its "+
				"records up to offset %d", s.Group, at.next, place, next), rewound}
		case at.mark.instance == s.Instance && at.mark.sequence > s.Sequence:
			return &MismatchError{s, fmt.Sprintf("the index is at its commit %d, but group %s has the offsets of its "+
				"commit %d for %s (offset %d, the index knows %d)",
				s.Sequence, s.Group, at.mark.sequence, place, at.next, next), outdated}
		}
	}
	return nil
}

const (
	rewound = "records that come again would be removed as duplicates of themselves. To read them anew use another " +
		"index and another topic; " +
		"to go on without them set the group's offsets to those of the index " +
		"(kafka-consumer-groups --reset-offsets); " +
		"to have them removed run mithril-stream index settle on the index, and start with --new-index"
	outdated = "the index is an old copy, or another program uses a copy of it. Use the newest one; " +
		"or run mithril-stream index settle on this one and start with --new-index, to go on without what it lacks"
)

// belongs returns an error if another consumer has used the index.
func (s *State) belongs(to *State) error {
	for _, x := range []struct{ what, has, wants string }{
		{"cluster", s.Cluster, to.Cluster}, {"group", s.Group, to.Group}, {"topic",
			s.Topic, to.Topic}, {"topic with the id", s.TopicID, to.TopicID},
	} {
		unknown := x.has == "" || x.wants == "" // brokers before 2.8 have no topic ids
		if x.has != x.wants && !unknown {
			return &MismatchError{s, fmt.Sprintf("the index belongs to a consumer of %s %s, not %s", x.what, x.has,
				x.wants),
				"use another index, or run mithril-stream index settle on this one to keep what it " +
					"remembers and begin anew"}
		}
	}
	return nil
}
