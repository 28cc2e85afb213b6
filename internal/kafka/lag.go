package kafka

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// lagInterval is the interval at which the brokers are asked for the ends of partitions.
const lagInterval = 5 * time.Second

// watchLag updates the lag of this member's partitions until ctx is done. It queries the brokers
// itself, so that the lag is known before anything is fetched, and grows while nothing is.
func (s *session) watchLag(ctx context.Context) {
	admin := kadm.NewClient(s.client)
	ticker := time.NewTicker(lagInterval)
	defer ticker.Stop()
	for {
		if err := s.updateLag(ctx, admin); err != nil && ctx.Err() == nil {
			s.opts.Log.Debug("the lag is not known", "error", err)
		}
		select {
		case <-ticker.C:
		case <-s.lagNow:
		case <-ctx.Done():
			return
		}
	}
}

// updateLag sets the lag of this member's partitions.
func (s *session) updateLag(ctx context.Context, admin *kadm.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*lagInterval)
	defer cancel()
	lag, err := lagOf(ctx, admin, s.opts.From, s.opts.Group)
	for partition, behind := range lag {
		s.assignment.setLag(partition, float64(behind))
	}
	return err
}

// lagOf returns, for each partition of a topic, the distance from the group's offset, or from the
// start of a partition not read yet, to the committed end.
func lagOf(ctx context.Context, admin *kadm.Client, topic, group string) (map[int32]int64, error) {
	ends, endsErr := admin.ListCommittedOffsets(ctx, topic)
	starts, startsErr := admin.ListStartOffsets(ctx, topic)
	offsets, groupErr := admin.FetchOffsets(ctx, group)
	if errors.Is(groupErr, kerr.GroupIDNotFound) {
		groupErr = nil
	}
	if err := errors.Join(endsErr, startsErr, groupErr); err != nil {
		return nil, err
	}
	lag := map[int32]int64{}
	ends.Each(func(end kadm.ListedOffset) {
		start, known := starts.Lookup(topic, end.Partition)
		if end.Err != nil || !known || start.Err != nil {
			return
		}
		next := start.Offset
		if at, ok := offsets.Lookup(topic, end.Partition); ok && at.Err == nil {
			next = max(next, at.At)
		}
		lag[end.Partition] = max(0, end.Offset-next)
	})
	return lag, nil
}

// setLag sets the lag of a partition if this member has it.
func (a *assignment) setLag(partition int32, lag float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.partitions[partition] {
		a.metrics.lag.WithLabelValues(strconv.Itoa(int(partition))).Set(lag)
	}
}
