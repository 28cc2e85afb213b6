package kafka

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/stream/kafka/kafkatest"
)

// TestIntegration runs consumers against a real broker.
func TestIntegration(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a broker; the longer run of the tests does it")
	}
	broker := kafkatest.Start(t)
	for _, test := range []struct {
		name string
		run  func(*bench, *kafkatest.Broker)
	}{
		{"unseen records pass in order", testUnseenPass},
		{"crashes at each place of a commit", testCrashes},
		{"consumers come and go", testComeAndGo},
		{"the input is written in transactions", testTransactionalInput},
		{"the broker is restarted", testRestart},
		{"the broker is slow", testSlow},
		{"the broker gives the transaction up", testTimeout},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newBench(t, broker.Cluster), broker) })
	}
}

func testUnseenPass(b *bench, _ *kafkatest.Broker) {
	b.create(1, "from", "to")
	b.ran(b.options(), 0, 3000)
	b.ran(b.options(), 3000, 3300)
}

func testCrashes(b *bench, _ *kafkatest.Broker) {
	b.create(1, "from", "to")
	n := 0
	for _, place := range crashPlaces {
		n = b.crash(place, n, 2)
	}
	c := start(b.t, b.options())
	b.expectUnseen(n)
	c.end(b.t)
}

// testComeAndGo has consumers join and leave the group while there is work. All texts differ, so each record must come out once, whoever
// has read it, and those of a partition in order.
func testComeAndGo(b *bench, _ *kafkatest.Broker) {
	const partitions = 4
	b.create(partitions, "from", "to")
	n := 0
	write := func() {
		var records []*kgo.Record
		for range 400 {
			r := kgo.StringRecord(message(3 * n))
			r.Partition = int32(n % partitions)
			records = append(records, r)
			n++
		}
		b.write("from", records...)
	}
	member := func(name string) *consumer {
		opts := b.options()
		opts.OpenIndex = storeIn(b.dir + "/" + name)
		return start(b.t, opts)
	}
	write()
	first := member("first")
	b.read("to", n)
	second := member("second")
	for range 5 {
		write()
		b.read("to", n)
	}
	third := member("third")
	write()
	first.end(b.t)
	write()
	b.read("to", n)
	first = member("first") // with the index from before: it lacks what others have read meanwhile
	write()
	second.end(b.t)
	third.end(b.t)
	write()
	records := b.read("to", n)
	first.end(b.t)
	last := make([]int, partitions)
	var all []int
	for _, r := range records {
		var id int
		fmt.Sscanf(string(r.Value), `{"id":%d,`, &id)
		if id < last[r.Partition] {
			b.t.Errorf("partition %d has record %d behind %d", r.Partition, id, last[r.Partition])
		}
		last[r.Partition] = id
		all = append(all, id)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != n {
		b.t.Errorf("%d different records came out, want %d", len(slices.Compact(all)), n)
	}
}

// testTransactionalInput reads what a transaction has committed, and not what one has aborted.
func testTransactionalInput(b *bench, _ *kafkatest.Broker) {
	b.create(1, "from", "to")
	writer, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...), kgo.TransactionalID(b.topic("writer")), kgo.DefaultProduceTopic(b.topic("from")))
	if err != nil {
		b.t.Fatal(err)
	}
	defer writer.Close()
	c := start(b.t, b.options())
	for i := range 6 {
		if err := writer.BeginTransaction(); err != nil {
			b.t.Fatal(err)
		}
		records := messages(150*(i/2), 150*(i/2+1)) // what was aborted comes again
		if err := writer.ProduceSync(b.ctx, records...).FirstErr(); err != nil {
			b.t.Fatal(err)
		}
		if err := writer.EndTransaction(b.ctx, kgo.TransactionEndTry(i%2 == 1)); err != nil {
			b.t.Fatal(err)
		}
	}
	b.expectUnseen(450)
	c.end(b.t)
}

func testRestart(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	b.write("from", messages(0, 300)...)
	c := start(b.t, b.options())
	b.expectUnseen(300)
	for i, stop := range []func(){broker.Kill, broker.Stop} {
		stop()
		if err := broker.Start(); err != nil {
			b.t.Fatal(err)
		}
		b.write("from", messages(300*(i+1), 300*(i+2))...)
		b.expectUnseen(300 * (i + 2))
	}
	c.end(b.t)
}

// testSlow has a broker that does not answer for some seconds, when there is much to commit.
func testSlow(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	b.write("from", messages(0, 6000)...)
	c := start(b.t, b.options())
	for range 3 {
		b.read1("to")
		broker.Pause()
		<-time.After(2 * time.Second)
		broker.Resume()
	}
	b.expectUnseen(6000)
	c.end(b.t)
}

// testTimeout has a broker that is away for longer than it leaves a transaction open.
func testTimeout(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	opts := b.options()
	opts.CommitInterval, opts.grace = 2*time.Second, 500*time.Millisecond
	b.write("from", messages(0, 300)...)
	c := start(b.t, opts)
	b.expectUnseen(300)
	b.write("from", messages(300, 6000)...) // so that the commit begins now
	<-time.After(time.Second)
	broker.Pause()
	<-time.After(4 * time.Second)
	broker.Resume()
	b.expectUnseen(6000)
	c.end(b.t)
}
