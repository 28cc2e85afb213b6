package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Whatever the brokers answer to whatever request, each record counts once. REQUEST_TIMED_OUT is
// answered after the request was carried out, so that what has become of it is not known.
func TestEveryRequestFails(t *testing.T) {
	for _, fault := range []kfake.Fault{
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 2},
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut},
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidProducerEpoch},
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.ProducerFenced},
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.OutOfOrderSequenceNumber},
		{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TransactionAbortable},
		{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 2},
		{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.KafkaStorageError, Count: 2},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.CoordinatorNotAvailable, Count: 2},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.IllegalGeneration},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.UnknownMemberID},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.FencedInstanceID},
		{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.RequestTimedOut, Count: 3},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.NotCoordinator, Count: 2},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.RequestTimedOut},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.UnknownServerError},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.ProducerFenced},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.InvalidTxnState},
		{Keys: []kmsg.Key{kmsg.EndTxn}, TopLevel: true, Err: kerr.TransactionAbortable},
		{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID},
		{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.RebalanceInProgress},
		{Keys: []kmsg.Key{kmsg.JoinGroup}, TopLevel: true, Err: kerr.CoordinatorLoadInProgress, Count: 2},
		{Keys: []kmsg.Key{kmsg.SyncGroup}, TopLevel: true, Err: kerr.RebalanceInProgress},
		{Keys: []kmsg.Key{kmsg.InitProducerID}, TopLevel: true, Err: kerr.ConcurrentTransactions, Count: 2},
		{Keys: []kmsg.Key{kmsg.InitProducerID}, TopLevel: true, Err: kerr.ProducerFenced},
		{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.UnstableOffsetCommit, Count: 2},
		{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.UnknownServerError},
		{Keys: []kmsg.Key{kmsg.Metadata}, Err: kerr.LeaderNotAvailable, Count: 2},
	} {
		t.Run(fmt.Sprintf("%s %s", fault.Keys[0].Name(), fault.Err.Message), func(t *testing.T) {
			t.Parallel()
			b, fake := newFake(t)
			b.create(1, "from", "to")
			opts := b.options()
			opts.CommitInterval = 20 * time.Millisecond
			b.write("from", messages(0, 300)...)
			if fault.Keys[0] == kmsg.Produce {
				fault.Topic = b.topic("to")
			}
			fake.Fault(fault) // while the consumer starts
			c := start(t, opts)
			b.expectUnseen(300)
			handle := fake.Fault(fault) // while it works
			b.write("from", messages(300, 600)...)
			b.expectUnseen(600)
			handle.Remove()
			c.end(t)
			b.write("from", messages(600, 900)...)
			c = start(t, opts)
			b.expectUnseen(900)
			c.end(t)
		})
	}
}

// waiting is an index whose commits are prepared when something has happened.
type waiting struct {
	Store
	until <-chan struct{}
}

func (x waiting) Prepare(at bloomlsh.Position) error {
	<-x.until
	return x.Store.Prepare(at)
}

// A group that drops the consumer between its last record and its commit does not stop it.
func TestGroupDropsTheConsumerBeforeItsCommit(t *testing.T) {
	t.Parallel()
	b, fake := newFake(t)
	b.create(1, "from", "to")
	dropped := make(chan struct{})
	fake.ControlKey(kmsg.Heartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		response := r.ResponseKind().(*kmsg.HeartbeatResponse)
		response.ErrorCode = kerr.UnknownMemberID.Code
		close(dropped)
		return response, nil, true // and the next ones are answered as always
	})
	opts := b.options()
	open := opts.OpenIndex
	opts.OpenIndex = func(decide bloomlsh.Decide) (Index, error) {
		x, err := open(decide)
		x.Store = waiting{x.Store, dropped}
		return x, err
	}
	b.write("from", messages(0, 300)...)
	c := start(t, opts)
	b.expectUnseen(300)
	c.end(t)
}

// Who is told to stop before a session is open has read nothing that could be lost, and says so.
func TestStopWhileASessionOpens(t *testing.T) {
	t.Parallel()
	for _, request := range []kmsg.Key{kmsg.InitProducerID, kmsg.OffsetFetch} {
		t.Run(request.Name(), func(t *testing.T) {
			t.Parallel()
			b, fake := newFake(t)
			b.create(1, "from", "to")
			b.ran(b.options(), 0, 300)
			asked, ended := make(chan struct{}), make(chan struct{})
			t.Cleanup(func() { close(ended) })
			fake.ControlKey(request.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				close(asked)
				<-ended
				return nil, nil, false
			})
			c := start(t, b.options())
			<-asked
			c.end(t)
		})
	}
}

// expectEnd waits until the consumer gives up, and looks what it says.
func (c *consumer) expectEnd(t testing.TB, says ...string) {
	t.Helper()
	select {
	case err := <-c.err:
		for _, part := range says {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the consumer ended with %q, which does not say %q", err, part)
			}
		}
	case <-time.After(patience):
		t.Error("the consumer has not ended")
	}
}

// setOffset does what kafka-consumer-groups --reset-offsets does.
func (b *bench) setOffset(partition int32, offset int64) {
	b.t.Helper()
	var offsets kadm.Offsets
	offsets.AddOffset(b.topic("from"), partition, offset, -1)
	if err := b.Admin.CommitAllOffsets(b.ctx, b.topic("group"), offsets); err != nil {
		b.t.Fatal(err)
	}
}

// ran runs a consumer over some messages.
func (b *bench) ran(opts Options, from, to int) {
	b.t.Helper()
	b.write("from", messages(from, to)...)
	c := start(b.t, opts)
	b.expectUnseen(to)
	c.end(b.t)
}

func TestOffsetsThatWereSetBackAreRefused(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	b.ran(b.options(), 0, 300)
	b.setOffset(0, 100)
	start(t, b.options()).expectEnd(t, "is at offset 100", "up to offset 300", "--reset-offsets", "index settle")
	b.setOffset(0, 300) // as the message says
	b.ran(b.options(), 300, 600)
}

func TestGroupsWithoutOffsetsAreRefused(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	b.ran(b.options(), 0, 300)
	if _, err := b.Admin.DeleteGroup(b.ctx, b.topic("group")); err != nil {
		t.Fatal(err)
	}
	start(t, b.options()).expectEnd(t, "has no offset for", "up to offset 300")
}

func TestOldCopiesOfAnIndexAreRefused(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	opts := b.options()
	b.ran(opts, 0, 300)
	x, err := opts.OpenIndex(nil)
	if err != nil {
		t.Fatal(err)
	}
	old := x.Committed()
	x.Close()
	b.ran(opts, 300, 600)
	if x, err = opts.OpenIndex(nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Commit(old), x.Close()); err != nil {
		t.Fatal(err)
	}
	start(t, opts).expectEnd(t, "old copy", "commit")
}

// TestLostIndexesAreRefused: where the group has read something, an index that does not know it is
// not taken for a new one, whether it is empty, was filled by something else, or is the one that
// the group used before the last. Nothing is consumed, and --new-index goes on.
func TestLostIndexesAreRefused(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	used := b.options()
	b.ran(used, 0, 300)
	b.write("from", messages(300, 600)...)

	mistyped := b.options()
	dir := filepath.Join(b.dir, "mistyped")
	mistyped.OpenIndex, mistyped.IndexName = storeIn(dir), "mistyped"
	exists := func() (bool, error) {
		_, err := os.Stat(dir)
		return err == nil, nil
	}
	mistyped.IndexExists = exists
	says := []string{"mistyped: ", "knows nothing of group", "already read", "/0 up to offset 300", "--new-index"}
	says[3] = b.topic("from") + says[3]
	start(t, mistyped).expectEnd(t, says...)
	if there, _ := exists(); there {
		t.Error("the refused index was created")
	}
	if x, err := mistyped.OpenIndex(nil); err != nil || x.Close() != nil { // one that is there, but no consumer's
		t.Fatal(err)
	}
	start(t, mistyped).expectEnd(t, says...)
	b.read("to", 200)

	fresh := mistyped
	fresh.NewIndex = true
	c := start(t, fresh)
	b.expectUnseen(600)
	c.end(t)
	start(t, used).expectEnd(t, "has continued with another index", "up to offset 600", "--new-index")
	b.ran(fresh, 600, 750)    // the same command again
	b.ran(mistyped, 750, 900) // which is the index of the group now
	used.NewIndex = true
	b.write("from", messages(900, 902)...)
	c = start(t, used)
	b.expectUnseen(902)
	c.end(t)
}

// TestAnInstanceComesBack after the other one has taken over all partitions: it is not refused, and
// an index that was lost is, also while others are at work.
func TestAnInstanceComesBack(t *testing.T) {
	b, _ := newFake(t)
	b.create(2, "from", "to")
	n := 0
	write := func() {
		for range 50 {
			r := kgo.StringRecord(message(3 * n)) // all unseen
			r.Partition = int32(n % 2)
			b.write("from", r)
			n++
		}
	}
	instance := func(name string, isNew bool) Options {
		opts := b.options()
		opts.OpenIndex, opts.NewIndex = storeIn(filepath.Join(b.dir, name)), isNew
		return opts
	}
	write()
	first := start(t, instance("first", false))
	b.read("to", n)
	second := start(t, instance("second", true))
	for !b.isShared() {
		write()
		b.read("to", n)
	}
	first.end(t)
	write()
	b.read("to", n)
	start(t, instance("lost", false)).expectEnd(t, "knows nothing of group", "--new-index")
	second.end(t)
	first = start(t, instance("first", false))
	write()
	b.read("to", n)
	first.end(t)
}

// TestAnInstanceComesBackThatHadNothingToCommit is that of an instance which has committed nothing
// since it gave a partition up.
func TestAnInstanceComesBackThatHadNothingToCommit(t *testing.T) {
	b, _ := newFake(t)
	b.create(2, "from", "to")
	n := 0
	write := func(partition int32) {
		r := kgo.StringRecord(message(3 * n)) // all unseen
		r.Partition = partition
		b.write("from", r)
		n++
		b.read("to", n)
	}
	instance := func(name string, isNew bool) *consumer {
		opts := b.options()
		opts.OpenIndex, opts.NewIndex = storeIn(filepath.Join(b.dir, name)), isNew
		return start(t, opts)
	}
	first := instance("first", false)
	write(0)
	write(1)
	second := instance("second", true)
	for !b.isShared() {
		write(1) // the one that the first instance gives up
	}
	first.end(t)
	for range 4 {
		write(0)
		write(1)
	}
	second.end(t)
	first = instance("first", false)
	write(0)
	write(1)
	first.end(t)
}

// isShared reports whether the offsets of the group were committed with more than one index.
func (b *bench) isShared() bool {
	b.t.Helper()
	offsets, err := b.Admin.FetchOffsets(b.ctx, b.topic("group"))
	if err != nil {
		b.t.Fatal(err)
	}
	instances := map[string]bool{}
	for _, at := range offsets[b.topic("from")] {
		instances[parseMark(at.Metadata).instance] = true
	}
	return len(instances) > 1
}

func TestIndexesOfOthersAreRefused(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to", "other")
	opts := b.options()
	b.ran(opts, 0, 300)
	other := opts
	other.Group = "other"
	start(t, other).expectEnd(t, "consumer of group", "index settle")
	other = opts
	other.From = b.topic("other")
	start(t, other).expectEnd(t, "consumer of topic")
	for name, want := range map[string]error{"parameters": bloomlsh.ErrParameters, "version": bloomlsh.ErrVersion} {
		other = opts
		other.OpenIndex = func(bloomlsh.Decide) (Index, error) {
			return Index{}, fmt.Errorf("other %s: %w", name, want)
		}
		if err := <-start(t, other).err; !errors.Is(err, want) || strings.Contains(err.Error(), "no session with") ||
			!IsConfiguration(err) {
			t.Errorf("an index of another %s: %v", name, err)
		}
	}
	if _, err := b.Admin.DeleteTopics(b.ctx, b.topic("from")); err != nil {
		t.Fatal(err)
	}
	b.create(1, "from")
	start(t, opts).expectEnd(t, "topic with the id")
}

func TestTopicsMustBeThere(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from")
	start(t, b.options()).expectEnd(t, "there is no topic", ".to", "create it")
}

func TestRecordsThatAreTooLargeStopTheConsumer(t *testing.T) {
	b, fake := newFake(t)
	b.create(1, "from")
	if err := fake.CreateTopic(b.topic("to"), 1, map[string]string{"max.message.bytes": "5000"}); err != nil {
		t.Fatal(err)
	}
	b.write("from", messages(0, 3)...)
	b.write("from", kgo.StringRecord(`{"text":"`+strings.Repeat("long ", 2000)+`"}`))
	start(t, b.options()).expectEnd(t, "from/0:3", "max.message.bytes")
}

// Records that the brokers have deleted before they were read are lost, and that is said.
func TestOffsetsOutOfRangeStopTheConsumer(t *testing.T) {
	b, fake := newFake(t)
	b.create(1, "from", "to")
	opts := b.options()
	b.ran(opts, 0, 300)
	b.write("from", messages(300, 600)...)
	if err := fake.DeleteRecords(b.topic("from"), 0, 400); err != nil {
		t.Fatal(err)
	}
	_, err := Check(b.ctx, opts)
	if err == nil || !strings.Contains(err.Error(), "deleted records that were not read") {
		t.Errorf("the check says %v", err)
	}
	start(t, opts).expectEnd(t, "from/0", "deleted records that were not read", "--to-earliest")
	b.setOffset(0, 400)
	c := start(t, opts)
	b.read("to", 200+133)
	c.end(t)
}

// Transactions end with a record of their own, which the group gets past: it reaches the end of the
// topic, also after one that was aborted, and goes on there when all of it was deleted.
func TestTransactionsEndBeforeTheEndOfATopic(t *testing.T) {
	t.Parallel()
	b, fake := newFake(t)
	b.create(1, "from", "to")
	b.writeInTransaction(true, messages(0, 3)...)
	b.writeInTransaction(false, messages(3, 6)...)
	opts := b.options()
	s, err := Serve("127.0.0.1:0", opts.Metrics, opts.Log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := start(t, opts)
	b.expectUnseen(3)
	b.awaitMetric(s, `mithril_stream_lag_records{group="group",partition="0",topic="from"} 0`)
	c.end(t)
	if fit, err := Check(b.ctx, b.options()); err != nil || fit.Behind != 0 {
		t.Errorf("%+v, %v", fit, err)
	}
	ends, err := b.Admin.ListEndOffsets(b.ctx, b.topic("from"))
	end, _ := ends.Lookup(b.topic("from"), 0)
	if err == nil {
		err = fake.DeleteRecords(b.topic("from"), 0, end.Offset)
	}
	if err != nil || end.Offset != 8 {
		t.Fatal(end.Offset, err)
	}
	c = start(t, b.options())
	b.writeInTransaction(true, messages(3, 6)...)
	b.expectUnseen(6)
	c.end(t)
}

// writeInTransaction writes records to the topic that is read, and commits or aborts them.
func (b *bench) writeInTransaction(commit bool, records ...*kgo.Record) {
	b.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...), kgo.DefaultProduceTopic(b.topic("from")),
		kgo.TransactionalID(fmt.Sprintf("%s %s", b.name, records[0].Key)))
	if err != nil {
		b.t.Fatal(err)
	}
	defer client.Close()
	err = client.BeginTransaction()
	if err == nil {
		err = client.ProduceSync(b.ctx, records...).FirstErr()
	}
	if err := errors.Join(err, client.EndTransaction(b.ctx, kgo.TransactionEndTry(commit))); err != nil {
		b.t.Fatal(err)
	}
}

// An index that takes no more records ends the consumer, which would meet it again and again.
func TestAnIndexThatFailsEndsTheConsumer(t *testing.T) {
	for _, failure := range []error{bloomlsh.ErrFull, syscall.ENOSPC} {
		t.Run(failure.Error(), func(t *testing.T) {
			t.Parallel()
			b, _ := newFake(t)
			b.create(1, "from", "to")
			b.write("from", messages(0, 30)...)
			opts := b.options()
			open := opts.OpenIndex
			opts.OpenIndex = func(decide bloomlsh.Decide) (Index, error) {
				x, err := open(decide)
				x.Judge.Decide = func(stream.Batch, []stream.Verdict) (int, error) { return 0, failure }
				return x, err
			}
			c := start(t, opts)
			select {
			case err := <-c.err:
				if !errors.Is(err, failure) || IsConfiguration(err) != (failure == bloomlsh.ErrFull) {
					t.Errorf("it ends with %v", err)
				}
			case <-b.ctx.Done():
				t.Fatal("it goes on")
			}
		})
	}
}

func TestRefusalsAreNotTriedAgain(t *testing.T) {
	for _, refusal := range []*kerr.Error{kerr.TransactionalIDAuthorizationFailed, kerr.GroupAuthorizationFailed,
		kerr.TopicAuthorizationFailed} {
		key := map[*kerr.Error]kmsg.Key{
			kerr.TransactionalIDAuthorizationFailed: kmsg.InitProducerID, kerr.GroupAuthorizationFailed: kmsg.JoinGroup,
			kerr.TopicAuthorizationFailed: kmsg.Produce,
		}[refusal]
		t.Run(refusal.Message, func(t *testing.T) {
			b, fake := newFake(t)
			b.create(1, "from", "to")
			b.write("from", messages(0, 3)...)
			fake.Fault(kfake.Fault{Keys: []kmsg.Key{key}, TopLevel: key != kmsg.Produce, Err: refusal, Count: -1})
			start(t, b.options()).expectEnd(t, refusal.Message)
		})
	}
}

// A program that is waiting for brokers stops when it is told to.
func TestStopsWhileNobodyAnswers(t *testing.T) {
	opts := testOptions(t, []string{"127.0.0.1:1"}, t.TempDir())
	c := start(t, opts)
	c.stop(errToldToStop)
	c.expectEnd(t, errToldToStop.Error())
}

func TestCounts(t *testing.T) {
	s := (&State{Instance: "I", Sequence: 6, Next: map[int32]int64{0: 10, 1: 20}}).after(map[int32]int64{0: 15})
	for _, c := range []struct {
		name   string
		group  map[int32]committed
		counts bool
	}{
		{"its own mark", map[int32]committed{0: {15, mark{"I", 7}}}, true},
		{"the mark of the commit before", map[int32]committed{0: {10, mark{"I", 6}}}, false},
		{"another consumer was there since", map[int32]committed{0: {15, mark{"J", 9}}}, false},
		{"a tool has written the same offset", map[int32]committed{0: {15, mark{}}}, true},
		{"a tool has written another offset", map[int32]committed{0: {14, mark{}}}, false},
		{"nothing was committed", map[int32]committed{}, false},
		{"another partition has a later mark", map[int32]committed{0: {10, mark{"I", 6}}, 1: {20, mark{"I", 5}}},
			false},
	} {
		if got := s.counts(c.group); got != c.counts {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if text := (mark{"I", 7}).String(); parseMark(text) != (mark{"I", 7}) ||
		parseMark("mithril-stream I x") != (mark{}) || parseMark("") != (mark{}) {
		t.Errorf("the mark %q is not read", text)
	}
	position, err := s.position()
	if back := StateOf(position); err != nil || back == nil || fmt.Sprint(*back) != fmt.Sprint(*s) {
		t.Errorf("%v is read as %v", s, back)
	}
	if StateOf(bloomlsh.Position{Meta: []byte(`{"stats":{}}`)}) != nil || StateOf(bloomlsh.Position{}) != nil {
		t.Error("something else is taken for a consumer's state")
	}
}

// FuzzState reads whatever may stand in a commit, or beside an offset.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"kafka_consumer":{"instance":"I","sequence":7,"next":{"0":15},"changed":[0]}}`),
		"mithril-stream I 7", int64(15))
	f.Add([]byte(`{"kafka_consumer":null}`), "", int64(-1))
	f.Fuzz(func(t *testing.T, text []byte, metadata string, next int64) {
		s := StateOf(bloomlsh.Position{Meta: text})
		if s == nil {
			return
		}
		group := map[int32]committed{0: {next, parseMark(metadata)}}
		_ = s.counts(group)
		if !s.after(map[int32]int64{0: next}).counts(map[int32]committed{0: {next, mark{s.Instance, s.Sequence + 1}}}) {
			t.Errorf("the mark of a commit does not prove it: %s", text)
		}
		_ = s.check(group)
		position, err := s.position()
		if err != nil || StateOf(position) == nil {
			t.Errorf("%s is not read again as it was written: %v", text, err)
		}
	})
}
