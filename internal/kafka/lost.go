package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// checkNew returns an error for a new index if the group has read something already: the index that
// belongs to the group is lost, or its name is mistyped.
func (o *Options) checkNew(ctx context.Context, asking *kgo.Client) error {
	if o.NewIndex || o.agreed {
		return nil
	}
	// a transaction left open by a killed consumer may last another minute, and nobody can end it
	// without its index
	group, err := o.offsets(ctx, asking)
	if err != nil {
		return err
	}
	if read := alreadyRead(o.From, group); read != "" {
		return &MismatchError{nil, fmt.Sprintf("%s: this index knows nothing of group %s, which has already "+
			"read %s", o.IndexName, o.Group, read), lostIndex}
	}
	o.agreed = true
	return nil
}

// checkOwn returns an error if all offsets of the group were committed with other indexes since
// this index, which had the topic to itself, was used: it is not the group's latest index. An index
// that shared the topic is accepted, since others may have taken over all its partitions in the
// meantime.
func (o *Options) checkOwn(s *State, group map[int32]committed) error {
	if o.agreed {
		return nil
	}
	foreign := map[int32]committed{}
	for partition, at := range group {
		if at.mark.instance == s.Instance {
			if o.NewIndex {
				o.Log.Warn("--new-index is no longer needed: leave it out, or a lost index would begin empty unnoticed")
			}
			o.agreed = true
			return nil
		}
		if at.mark != (mark{}) {
			foreign[partition] = at
		}
	}
	if read := alreadyRead(o.From, foreign); read != "" && !o.NewIndex && !s.Shared {
		return &MismatchError{s, fmt.Sprintf("%s: group %s has continued with another index, which has read %s; "+
			"none of its offsets belongs to this index", o.IndexName, o.Group, read), lostIndex}
	}
	o.agreed = true
	return nil
}

const lostIndex = "with this index, duplicates of what was read with another one would pass. Is --index " +
	"mistyped, or its disk not mounted? Give the index that the group has used; if it is lost, or another " +
	"instance joins the group, add --new-index to go on at these offsets"

// alreadyRead describes how far a group has read a topic, and with which indexes. It returns "" if
// it has read nothing.
func alreadyRead(topic string, group map[int32]committed) string {
	const most = 3
	var read []string
	for _, partition := range slices.Sorted(maps.Keys(group)) {
		at := group[partition]
		if at.next == 0 {
			continue
		}
		place := fmt.Sprintf("%s/%d up to offset %d", topic, partition, at.next)
		if at.mark != (mark{}) {
			place += " (index " + at.mark.instance + ")"
		}
		read = append(read, place)
	}
	if n := len(read) - most; n > 0 {
		read = append(read[:most], fmt.Sprintf("and %d more partitions", n))
	}
	return strings.Join(read, ", ")
}
