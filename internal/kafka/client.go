package kafka

import (
	"context"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// base are the options of every client of this program.
func (o *Options) base() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID("mithril-stream"),
		kgo.WithLogger(clientLog{o.Log, o.outage}),
		kgo.DialTimeout(10 * time.Second),
		kgo.RetryTimeout(20 * time.Second),
	}
	if o.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(o.TLS.Clone()))
	}
	if o.SASL != nil {
		opts = append(opts, kgo.SASL(o.SASL))
	}
	return opts
}

var compressions = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// How much is held in memory on its way from and to the brokers.
const (
	fetchBytes    = 16 << 20
	bufferBytes   = 32 << 20
	bufferRecords = 1 << 16
)

// consuming are the options of the client that consumes and produces.
func (o *Options) consuming(s *State, topics map[string]topic) []kgo.Opt {
	return append(o.base(),
		kgo.ConsumerGroup(o.Group),
		kgo.ConsumeTopics(o.From),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// A group that is new begins at the start. One whose offset is gone has lost records: that
		// must not pass in silence.
		kgo.ConsumeStartOffset(kgo.NoResetOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxBytes(fetchBytes),
		kgo.FetchMaxPartitionBytes(fetchBytes/4),
		kgo.BlockRebalanceOnPoll(),
		kgo.RebalanceTimeout(o.timeout()),

		// A static member that was killed gets its partitions back as soon as it is there again;
		// another one would have to wait until the group has given up the one that was killed.
		kgo.InstanceID(o.memberID(s)),

		kgo.TransactionalID(s.transactionalID()),
		kgo.TransactionTimeout(o.timeout()),
		kgo.RecordPartitioner(partitioner(o.PartitionBy, o.Counts)),
		kgo.ProducerBatchCompression(compressions[o.Compression]),
		kgo.ProducerBatchMaxBytesFn(func(name string) int32 { return topics[name].batchBytes() }),
		kgo.MaxBufferedBytes(bufferBytes),
		kgo.MaxBufferedRecords(bufferRecords),
		kgo.WithHooks(heard{o.Metrics, o.outage}),
	)
}

// heard notes that a broker has answered.
type heard struct {
	*Metrics
	outage *outage
}

func (h heard) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err == nil {
		now := time.Now()
		h.progress.Store(now.UnixNano())
		h.outage.heard(now)
	}
}

// memberID is the name of this consumer in the group.
func (o *Options) memberID(s *State) string {
	if o.InstanceID != "" {
		return o.InstanceID
	}
	return "mithril-stream-" + s.Instance
}

// partitioner chooses partitions such that records of one partition stay in order: their number
// decides, or their keys. A record arrives here with the number of the partition that it came from.
// Counts go by their keys, since the latest one of a key is to be found.
func partitioner(by, counts string) kgo.Partitioner {
	hashed := kgo.StickyKeyPartitioner(nil)
	return kgo.BasicConsistentPartitioner(func(topic string) func(*kgo.Record, int) int {
		keyed := hashed.ForTopic(topic)
		return func(r *kgo.Record, n int) int {
			if (by == PartitionByKey || topic == counts) && r.Key != nil {
				return keyed.Partition(r, n)
			}
			return int(r.Partition) % n
		}
	})
}

// clientLog passes on what the client library has to say. It says much: what it calls info is for
// debugging here.
type clientLog struct {
	*slog.Logger
	outage *outage // that warnings are of; nil if they are logged one by one
}

func (l clientLog) Level() kgo.LogLevel {
	if l.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelWarn
}

func (l clientLog) Log(level kgo.LogLevel, message string, keyvals ...any) {
	args := append([]any{"from", "client"}, keyvals...)
	switch {
	case level >= kgo.LogLevelInfo:
		l.Debug(message, args...)
	case l.outage != nil:
		l.outage.warn(time.Now(), message, args...)
	default:
		l.Warn(message, args...)
	}
}
