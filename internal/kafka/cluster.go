package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A cluster holds what the brokers report before anything is read.
type cluster struct {
	id     string
	topics map[string]topic
}

type topic struct {
	id         string // empty if the brokers have none
	partitions int
	maxMessage int // bytes of a batch; 0 if the broker does not say
}

// batchBytes returns the maximum size of a batch for the topic.
func (t topic) batchBytes() int32 {
	const byDefault, most = 1_000_012, 1 << 30
	if t.maxMessage == 0 {
		return byDefault
	}
	return int32(max(512, min(t.maxMessage, most)))
}

// describeTopics queries the topics. A missing topic is an error, since it would be created with
// the default settings of the cluster.
func (o *Options) describeTopics(ctx context.Context, client *kgo.Client) (*cluster, error) {
	admin := kadm.NewClient(client)
	names := []string{o.From, o.To}
	for _, name := range []string{o.Duplicates, o.Rejects, o.Counts} {
		if name != "" {
			names = append(names, name)
		}
	}
	m, err := admin.Metadata(ctx, names...)
	if err != nil {
		return nil, err
	}
	c := &cluster{id: m.Cluster, topics: map[string]topic{}}
	for _, name := range names {
		t := m.Topics[name]
		switch {
		case errors.Is(t.Err, kerr.UnknownTopicOrPartition) || t.Err == nil && len(t.Partitions) == 0:
			return nil, configurationError{fmt.Errorf("there is no topic %s: create it first (kafka-topics --create)",
				name)}
		case t.Err != nil:
			return nil, fmt.Errorf("topic %s: %w", name, t.Err)
		}
		found := topic{partitions: len(t.Partitions)}
		if t.ID != (kadm.TopicID{}) {
			found.id = t.ID.String()
		}
		c.topics[name] = found
	}
	configs, err := admin.DescribeTopicConfigs(ctx, names...)
	if err != nil {
		return nil, err
	}
	for _, config := range configs {
		if config.Err != nil {
			continue // it may be forbidden to query: use the default
		}
		for _, pair := range config.Configs {
			if pair.Key == "max.message.bytes" && pair.Value != nil {
				t := c.topics[config.Name]
				t.maxMessage, _ = strconv.Atoi(*pair.Value)
				c.topics[config.Name] = t
			}
		}
	}
	return c, nil
}

// fence ends the transaction that an earlier holder of the id left open, and keeps that holder from
// continuing. Once it returns, the offsets of the group show whether a transaction was committed.
func (o *Options) fence(ctx context.Context, id string) error {
	client, err := kgo.NewClient(append(o.base(), kgo.TransactionalID(id), kgo.TransactionTimeout(o.timeout()))...)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, _, err := client.ProducerID(ctx); err != nil {
		return fmt.Errorf("end what transactional id %s has left open: %w", id, err)
	}
	return nil
}

// resign removes a static member from the group.
func (o *Options) resign(ctx context.Context, member string) error {
	client, err := kgo.NewClient(o.base()...)
	if err != nil {
		return err
	}
	defer client.Close()
	left, err := kadm.NewClient(client).LeaveGroup(ctx, kadm.LeaveGroup(o.Group).InstanceIDs(member))
	if err == nil {
		err = left.Error()
	}
	if errors.Is(err, kerr.UnknownMemberID) {
		return nil // it was not a member
	}
	return err
}

// stableOffsets returns the committed offsets of the group, once no open transaction can change
// them.
func (o *Options) stableOffsets(ctx context.Context, client *kgo.Client) (map[int32]committed, error) {
	return o.offsets(kadm.RequireStable(ctx), client)
}

// offsets returns the committed offsets of the group.
func (o *Options) offsets(ctx context.Context, client *kgo.Client) (map[int32]committed, error) {
	responses, err := kadm.NewClient(client).FetchOffsets(ctx, o.Group)
	switch {
	case errors.Is(err, kerr.GroupIDNotFound):
		return nil, nil // nothing is committed yet, or the group was deleted
	case err != nil:
		return nil, fmt.Errorf("offsets of group %s: %w", o.Group, err)
	}
	offsets := map[int32]committed{}
	for partition, r := range responses[o.From] {
		if r.Err != nil {
			return nil, fmt.Errorf("offset of group %s for %s/%d: %w", o.Group, o.From, partition, r.Err)
		}
		if r.At >= 0 {
			offsets[partition] = committed{r.At, parseMark(r.Metadata)}
		}
	}
	return offsets, nil
}
