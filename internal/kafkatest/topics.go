package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A Cluster is a connection to a cluster, real or not, for tests.
type Cluster struct {
	Brokers []string
	Client  *kgo.Client // for direct use; a record goes to the partition that it names
	Admin   *kadm.Client
}

// Connect returns a cluster for the addresses of brokers, which need not be running yet.
func Connect(brokers ...string) (*Cluster, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return nil, err
	}
	return &Cluster{brokers, client, kadm.NewClient(client)}, nil
}

// Close closes the connections.
func (c *Cluster) Close() { c.Client.Close() }

// Create creates topics with the given number of partitions, and waits until clients can see them:
// the controller answers before the broker knows.
func (c *Cluster) Create(ctx context.Context, partitions int32, topics ...string) error {
	responses, err := c.Admin.CreateTopics(ctx, partitions, 1, nil, topics...)
	if err != nil {
		return err
	}
	if err := responses.Error(); err != nil {
		return err
	}
	for {
		known, err := c.Admin.ListTopics(ctx, topics...)
		if err == nil {
			err = known.Error()
		}
		if !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.LeaderNotAvailable) {
			return err
		}
	}
}

// Write writes records to the partitions that they name, and waits until they are acknowledged.
func (c *Cluster) Write(ctx context.Context, records ...*kgo.Record) error {
	return c.Client.ProduceSync(ctx, records...).FirstErr()
}

// ReadUntil reads a topic from the start as a read-committed consumer, until enough returns true.
// Then it continues while records arrive within a moment, so that unexpected ones are found.
func (c *Cluster) ReadUntil(ctx context.Context, topic string,
	enough func(all []*kgo.Record) bool) (all []*kgo.Record, err error) {
	reader, err := c.reader(topic)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for {
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if enough(all) {
			waiting, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		}
		fetches := reader.PollFetches(waiting)
		stopped := waiting.Err() != nil
		cancel()
		if stopped {
			if ctx.Err() != nil {
				return all, fmt.Errorf("topic %s has %d records: %w", topic, len(all), context.Cause(ctx))
			}
			return all, nil
		}
		all = append(all, fetches.Records()...)
	}
}

// Await waits until a read-committed consumer has read n records of a topic, and returns how many
// there were, which may be more.
func (c *Cluster) Await(ctx context.Context, topic string, n int) (count int, err error) {
	reader, err := c.reader(topic)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	for count < n {
		count += reader.PollFetches(ctx).NumRecords()
		if ctx.Err() != nil {
			return count, context.Cause(ctx)
		}
	}
	return count, nil
}

// reader returns a read-committed consumer at the start of a topic.
func (c *Cluster) reader(topic string) (*kgo.Client, error) {
	return kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
}
