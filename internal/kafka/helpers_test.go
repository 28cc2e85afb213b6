package kafka

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

const patience = 2 * time.Minute

// TestMain runs more tests at once than there are cores: nearly all of their time is waiting for a
// broker. A -parallel that is given holds.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	m.Run()
}

var (
	sketchParams = sketch.Params{Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 5, Sketch: "fss", NumPerm: 64,
		Seed: 1, Bands: 8, Rows: 8, BandKey: "xxh3"}
	indexParams = bloomlsh.Params{Bands: 8, Capacity: 20_000, FPRate: 1e-8, Filter: bloomlsh.FilterPaged,
		Remember: bloomlsh.RememberAll, OnFull: bloomlsh.OnFullGrow}
)

// message is a record in which every third text occurs twice.
func message(i int) string {
	words := rand.New(rand.NewPCG(uint64(i-i%3/2), 3))
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":%d,"text":"`, i)
	for range 30 {
		fmt.Fprintf(&b, "%x ", words.Uint32())
	}
	b.WriteString(`"}`)
	return b.String()
}

// isUnseen reports whether message(i) resembles none before it.
func isUnseen(i int) bool { return i%3 != 2 }

func messages(from, to int) (records []*kgo.Record) {
	for i := from; i < to; i++ {
		records = append(records, kgo.KeySliceRecord(fmt.Appendf(nil, "key %d", i), []byte(message(i))))
	}
	return records
}

// storeIn opens the index of a directory.
func storeIn(dir string) func(bloomlsh.Decide) (Index, error) {
	return func(decide bloomlsh.Decide) (Index, error) {
		store, err := bloomlsh.OpenPrepared(dir, indexParams, []bloomlsh.Parameter{{Name: "test", Value: "1"}}, decide)
		if err != nil {
			return Index{}, err
		}
		return Index{Store: store, Judge: stream.ByVotes(stream.BandIndex{Observe: store.Observe}, 1)}, nil
	}
}

// testLog shows what a consumer says if the test fails.
func testLog(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
}

func streamOptions(t testing.TB) stream.Options {
	sketcher, err := sketch.New(sketchParams)
	if err != nil {
		t.Fatal(err)
	}
	field, err := record.ParseField("text")
	if err != nil {
		t.Fatal(err)
	}
	return stream.Options{
		Source:  stream.Source{Format: record.Messages(record.JSONLines([]record.Field{field})), MaxRecord: 1 << 20},
		Method:  stream.Method{NewSketcher: func() stream.Sketcher { return sketcher.Clone() }},
		Threads: 2,
	}
}

func testOptions(t testing.TB, brokers []string, dir string) Options {
	return Options{
		Cluster: Cluster{Brokers: brokers, Group: "group"}, Topics: Topics{From: "from", To: "to"},
		Produced:       Produced{PartitionBy: PartitionBySource, Compression: "snappy"},
		CommitInterval: 100 * time.Millisecond,
		Opening: Opening{
			OpenIndex: storeIn(filepath.Join(dir, "index")),
			Adopt: func(at bloomlsh.Position) error {
				if len(at.Meta) > 0 {
					return errors.New("of something else")
				}
				return nil
			},
		},
		Stream: streamOptions(t), Log: testLog(t), Metrics: NewMetrics("group", "from", "test"),
	}
}

// A consumer runs beside the test.
type consumer struct {
	stop context.CancelCauseFunc
	err  chan error
	opts Options
}

var errToldToStop = errors.New("told to stop")

func start(t testing.TB, opts Options) *consumer {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &consumer{cancel, make(chan error, 1), opts}
	go func() { c.err <- Run(ctx, opts) }()
	t.Cleanup(func() {
		select {
		case err := <-c.err:
			t.Logf("a consumer had ended by itself: %v", err)
		default:
		}
		cancel(errToldToStop)
	})
	return c
}

// end stops the consumer and expects that all is well.
func (c *consumer) end(t testing.TB) {
	t.Helper()
	c.stop(errToldToStop)
	if err := <-c.err; !errors.Is(err, errToldToStop) || err.Error() != errToldToStop.Error() {
		t.Fatalf("the consumer ended with: %v", err)
	}
}

// A bench is a cluster with topics of its own for one test.
type bench struct {
	*kafkatest.Cluster
	t    testing.TB
	ctx  context.Context
	name string
	dir  string
}

func newBench(t testing.TB, c *kafkatest.Cluster) *bench {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return &bench{c, t, ctx, strings.Map(func(r rune) rune {
		if r == 0x2f || r == 0x20 {
			return 0x2d
		}
		return r
	}, t.Name()), t.TempDir()}
}

// newFake is a bench with a cluster in this process, whose brokers can be told to fail.
func newFake(t testing.TB, opts ...kfake.Opt) (*bench, *kfake.Cluster) {
	fake, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	cluster, err := kafkatest.Connect(fake.ListenAddrs()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return newBench(t, cluster), fake
}

func (b *bench) topic(name string) string { return b.name + "." + name }

func (b *bench) create(partitions int32, names ...string) {
	b.t.Helper()
	for _, name := range names {
		if err := b.Create(b.ctx, partitions, b.topic(name)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) options() Options {
	opts := testOptions(b.t, b.Brokers, b.dir)
	opts.Group, opts.From, opts.To = b.topic("group"), b.topic("from"), b.topic("to")
	return opts
}

func (b *bench) write(topic string, records ...*kgo.Record) {
	b.t.Helper()
	for _, r := range records {
		r.Topic = b.topic(topic)
	}
	if err := b.Write(b.ctx, records...); err != nil {
		b.t.Fatal(err)
	}
}

// read reads a topic until it has count records.
func (b *bench) read(topic string, count int) []*kgo.Record {
	b.t.Helper()
	records, err := b.ReadUntil(b.ctx, b.topic(topic), func(all []*kgo.Record) bool { return len(all) >= count })
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.describe())
	}
	if len(records) != count {
		b.t.Fatalf("topic %s has %d records, want %d", topic, len(records), count)
	}
	return records
}

// describe says what the cluster knows when something has not come: how far each topic goes, how
// far those who read what is committed see of it, where the groups are and which transactions are
// open.
func (b *bench) describe() string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ends, endsErr := b.Admin.ListEndOffsets(ctx)
	committed, committedErr := b.Admin.ListCommittedOffsets(ctx)
	groups, groupsErr := b.Admin.DescribeGroups(ctx)
	open, openErr := b.Admin.DescribeTransactions(ctx)
	return fmt.Sprintf("ends: %+v\ncommitted: %+v\ngroups: %+v\ntransactions: %+v\nerror: %v", ends, committed, groups,
		open, errors.Join(endsErr, committedErr, groupsErr, openErr))
}

// expectUnseen reads the output of messages(0, n) from one partition: all unseen ones, once, in
// order.
func (b *bench) expectUnseen(n int) {
	b.t.Helper()
	var want []string
	for i := range n {
		if isUnseen(i) {
			want = append(want, message(i))
		}
	}
	for i, r := range b.read("to", len(want)) {
		if string(r.Value) != want[i] {
			b.t.Fatalf("record %d of the output is %s, want %s", i, r.Value, want[i])
		}
	}
}
