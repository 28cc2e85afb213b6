package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// Fit is the result of a successful Check.
type Fit struct {
	Partitions int    // of the topic that is read
	Behind     int64  // offsets that the group has not read yet
	Index      string // how the index relates to this consumer
}

// Check reports whether a consumer could run: the brokers answer, the topics exist, this user has
// the rights, and the index belongs to the group. It consumes, produces and changes nothing, and
// uses only the transactional id mithril-stream-GROUP-check.
func Check(ctx context.Context, o Options) (Fit, error) {
	o.outage = &outage{log: o.Log}
	ctx, cancel := context.WithTimeoutCause(ctx, firstTimeout,
		fmt.Errorf("no answer from %v in %s", o.Brokers, firstTimeout))
	defer cancel()
	o.findSeeds(ctx)
	asking, err := kgo.NewClient(o.base()...)
	if err != nil {
		return Fit{}, configurationError{err}
	}
	defer asking.Close()
	fit, err := o.check(ctx, asking)
	for lacksCoordinator(err) && ctx.Err() == nil {
		select {
		case <-time.After(firstBackoff):
			fit, err = o.check(ctx, asking)
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return fit, err
}

func (o *Options) check(ctx context.Context, asking *kgo.Client) (fit Fit, err error) {
	cluster, err := o.describeTopics(ctx, asking)
	if err != nil {
		return fit, err
	}
	if err := errors.Join(o.checkTopicRights(ctx, asking), o.checkGroupRights(ctx, asking)); err != nil {
		return fit, err
	}
	if err := o.fence(ctx, "mithril-stream-"+o.Group+"-check"); err != nil {
		return fit, fmt.Errorf("transactional ids that begin with mithril-stream-%s-: %w", o.Group, err)
	}
	fit.Partitions = cluster.topics[o.From].partitions
	wanted := &State{Cluster: cluster.id, Group: o.Group, Topic: o.From, TopicID: cluster.topics[o.From].id}
	if fit.Index, err = o.checkIndex(ctx, asking, wanted); err != nil {
		return fit, err
	}
	admin := kadm.NewClient(asking)
	if err := o.checkReach(ctx, asking, admin); err != nil {
		return fit, err
	}
	lag, err := lagOf(ctx, admin, o.From, o.Group)
	for _, behind := range lag {
		fit.Behind += behind
	}
	return fit, err
}

// checkReach returns an error if the group is at an offset where its topic has no records: brokers
// have deleted records that were not read yet, or lost some that were. A start would end with the
// same error.
func (o *Options) checkReach(ctx context.Context, asking *kgo.Client, admin *kadm.Client) error {
	group, err := o.offsets(ctx, asking)
	if err != nil {
		return err
	}
	starts, startsErr := admin.ListStartOffsets(ctx, o.From)
	ends, endsErr := admin.ListEndOffsets(ctx, o.From)
	if err := errors.Join(startsErr, endsErr); err != nil {
		return err
	}
	for _, partition := range slices.Sorted(maps.Keys(group)) {
		start, hasStart := starts.Lookup(o.From, partition)
		end, hasEnd := ends.Lookup(o.From, partition)
		next := group[partition].next
		if hasStart && start.Err == nil && next < start.Offset || hasEnd && end.Err == nil && next > end.Offset {
			return explainFetch(o.From, partition, kerr.OffsetOutOfRange)
		}
	}
	return nil
}

// errUndecided stops opening an index whose last commit is undecided. Only the consumer can decide,
// after ending the transaction.
var errUndecided = errors.New("undecided")

// checkIndex opens the index, if it exists, and compares it with the offsets of the group.
func (o *Options) checkIndex(ctx context.Context, asking *kgo.Client, wanted *State) (is string, err error) {
	exists := true
	if o.IndexExists != nil {
		if exists, err = o.IndexExists(); err != nil {
			return "", err
		}
	}
	if !exists {
		return "will be created", o.checkNew(ctx, asking)
	}
	index, err := o.OpenIndex(func(prepared, _ bloomlsh.Position) (bool, error) {
		if state := StateOf(prepared); state != nil {
			return false, errors.Join(state.belongs(wanted), errUndecided)
		}
		return false, errUndecided
	})
	var mismatch *MismatchError
	switch {
	case errors.As(err, &mismatch):
		return "", fmt.Errorf("%s: %w", o.IndexName, mismatch)
	case errors.Is(err, errUndecided):
		return "is the group's; the next start decides about its last commit", nil
	case err != nil:
		return "", err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	state := StateOf(index.Committed())
	if state == nil {
		if err := o.Adopt(index.Committed()); err != nil {
			return "", configurationError{err}
		}
		return "is new to the group", o.checkNew(ctx, asking)
	}
	if err := state.belongs(wanted); err != nil {
		return "", fmt.Errorf("%s: %w", o.IndexName, err)
	}
	group, err := o.offsets(ctx, asking)
	if err != nil {
		return "", err
	}
	if err := state.check(group); err != nil {
		return "", fmt.Errorf("%s: %w", o.IndexName, err)
	}
	return fmt.Sprintf("is the group's, with %d records", state.Records), o.checkOwn(state, group)
}

// checkTopicRights checks this user's rights to the topics. Brokers without authorization report
// none.
func (o *Options) checkTopicRights(ctx context.Context, client *kgo.Client) error {
	needed := map[string]kadm.ACLOperation{o.From: kadm.OpRead}
	for _, name := range []string{o.To, o.Duplicates, o.Rejects, o.Counts} {
		if name != "" {
			needed[name] = kadm.OpWrite
		}
	}
	request := kmsg.NewPtrMetadataRequest()
	request.IncludeTopicAuthorizedOperations = true
	for name := range needed {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, topic)
	}
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	var missing []error
	for _, topic := range response.Topics {
		if topic.Topic == nil {
			continue
		}
		may := kadm.DecodeACLOperations(topic.AuthorizedOperations)
		if needs := needed[*topic.Topic]; lacks(may, needs) {
			missing = append(missing, configurationError{fmt.Errorf("this user has no right to %s topic %s",
				needs, *topic.Topic)})
		}
	}
	return errors.Join(missing...)
}

func (o *Options) checkGroupRights(ctx context.Context, client *kgo.Client) error {
	groups, err := kadm.NewClient(client).DescribeGroups(ctx, o.Group)
	if err == nil {
		err = groups.Error()
	}
	switch {
	case errors.Is(err, kerr.GroupIDNotFound): // it will be created
		return nil
	case err != nil:
		return fmt.Errorf("group %s: %w", o.Group, err)
	}
	if lacks(groups[o.Group].AuthorizedOperations, kadm.OpRead) {
		return configurationError{fmt.Errorf("this user has no right to %s group %s", kadm.OpRead, o.Group)}
	}
	return nil
}

// lacks reports whether the brokers list the allowed operations, and the needed one is not among
// them.
func lacks(may []kadm.ACLOperation, needs kadm.ACLOperation) bool {
	return len(may) > 0 && !slices.Contains(may, needs) && !slices.Contains(may, kadm.OpAll)
}
