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

// A Cluster is one that a test may use, real or not.
type Cluster struct {
	Brokers []string
	Client  *kgo.Client // for whatever a test wants of it; a record goes to the partition that it names
	Admin   *kadm.Client
}

// Connect returns the cluster of some brokers, which need not answer yet.
func Connect(brokers ...string) (*Cluster, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return nil, err
	}
	return &Cluster{brokers, client, kadm.NewClient(client)}, nil
}

// Close ends the connections.
func (c *Cluster) Close() { c.Client.Close() }

// Create makes topics with the given number of partitions, and waits until clients are told of
// them: the controller answers before the broker knows.
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

// Write appends records to a topic and waits until they are there. The partition of a record is the
// one that it has.
func (c *Cluster) Write(ctx context.Context, records ...*kgo.Record) error {
	return c.Client.ProduceSync(ctx, records...).FirstErr()
}

// ReadUntil reads a topic from its beginning as a read-committed consumer does, until enough says
// that it was read far enough. Then it reads on as long as something comes within a moment, so that
// what is there once too often is found.
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

// Await waits until a read-committed consumer has read n records of a topic, though more may come
// all the time. It returns how many there were.
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

// reader is a read-committed consumer that begins at the beginning of a topic.
func (c *Cluster) reader(topic string) (*kgo.Client, error) {
	return kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
}
