package kafka

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// dialTimeout is the maximum time for a broker to accept a connection.
const dialTimeout = 10 * time.Second

// base returns the options common to all clients of this program.
func (o *Options) base() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(o.seeds()...),
		kgo.ClientID("mithril-stream"),
		kgo.WithLogger(clientLog{o.Log, o.outage}),
		kgo.DialTimeout(dialTimeout),
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

// seeds returns the brokers that clients ask first.
func (o *Options) seeds() []string {
	if len(o.answering) > 0 {
		return o.answering
	}
	return o.Brokers
}

// findSeeds finds out which of the listed brokers can be connected to, since the client library
// gives up a request if the one that it happens to choose is down. If none can, all are asked.
func (o *Options) findSeeds(ctx context.Context) {
	if o.answering = nil; len(o.Brokers) < 2 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	answers := make([]bool, len(o.Brokers))
	var dialing sync.WaitGroup
	for i, broker := range o.Brokers {
		dialing.Go(func() {
			if _, _, err := net.SplitHostPort(broker); err != nil {
				broker = net.JoinHostPort(strings.Trim(broker, "[]"), "9092") // as the client library does
			}
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", broker)
			if err == nil {
				answers[i] = conn.Close() == nil
			}
		})
	}
	dialing.Wait()
	for i, broker := range o.Brokers {
		if answers[i] {
			o.answering = append(o.answering, broker)
		}
	}
	if down := len(o.Brokers) - len(o.answering); down > 0 {
		o.Log.Warn("some of the listed brokers do not answer", "down", down, "listed", len(o.Brokers))
	}
}

var compressions = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// Limits on the memory of records on their way from and to the brokers.
const (
	fetchBytes    = 16 << 20
	bufferBytes   = 32 << 20
	bufferRecords = 1 << 16
)

// consuming returns the options of the client that consumes and produces.
func (o *Options) consuming(s *State, topics map[string]topic) []kgo.Opt {
	return append(o.base(),
		kgo.ConsumerGroup(o.Group),
		kgo.ConsumeTopics(o.From),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// The ends of transactions take offsets. Without them, the group would never reach the end
		// of a topic that is written in transactions, and could not continue after the broker has
		// deleted everything that it has read.
		kgo.KeepControlRecords(),
		// A new group begins at the start. A group whose offset no longer exists has lost records,
		// which must be an error.
		kgo.ConsumeStartOffset(kgo.NoResetOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchMaxBytes(fetchBytes),
		kgo.FetchMaxPartitionBytes(fetchBytes/4),
		kgo.BlockRebalanceOnPoll(),
		kgo.RebalanceTimeout(o.timeout()),

		// A static member that was killed gets its partitions back as soon as it returns. Any other
		// would wait until the group has given up on the killed one.
		kgo.InstanceID(o.memberID(s)),

		kgo.TransactionalID(s.transactionalID()),
		kgo.TransactionTimeout(o.timeout()),
		kgo.RecordPartitioner(partitioner(o.PartitionBy, o.Counts)),
		kgo.ProducerBatchCompression(compressions[o.Compression]),
		kgo.ProducerBatchMaxBytesFn(func(name string) int32 { return topics[name].batchBytes() }),
		kgo.MaxBufferedBytes(bufferBytes),
		kgo.MaxBufferedRecords(bufferRecords),
		kgo.WithHooks(requestHook{o.Metrics, o.outage}),
	)
}

// requestHook is a hook that records answers of brokers.
type requestHook struct {
	*Metrics
	outage *outage
}

func (h requestHook) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err == nil {
		now := time.Now()
		h.progress.Store(now.UnixNano())
		h.outage.brokersAnswered(now)
	}
}

// memberID returns the name of this consumer in the group.
func (o *Options) memberID(s *State) string {
	if o.InstanceID != "" {
		return o.InstanceID
	}
	return "mithril-stream-" + s.Instance
}

// partitioner returns a partitioner that keeps the records of a partition in order: by partition
// number, or by key. A record arrives with the number of its source partition. Counts are
// partitioned by key, since consumers look for the latest one of a key.
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

// clientLog passes on the log of the client library. The library logs a lot: its info level is
// debug here.
type clientLog struct {
	*slog.Logger
	outage *outage // the outage that warnings belong to; nil logs them one by one
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
