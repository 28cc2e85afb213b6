//go:build integration

package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
)

// TestIntegrationBroker runs consumers against a real broker.
func TestIntegrationBroker(t *testing.T) {
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
		{"the broker wants a password", testPassword},
		{"the broker wants a token", testToken},
		{"tokens expire", testTokensExpire},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newBench(t, broker.Cluster), broker) })
	}
}

// testPassword has records pass with the right password. With a wrong one the consumer ends, since
// it does not become right by trying again.
func testPassword(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	opts := b.options()
	opts.Brokers = []string{broker.Secured()}
	for _, password := range []string{kafkatest.Password, "wrong"} {
		s := Security{Mechanism: "plain", Username: kafkatest.User, Password: password}
		var err error
		if opts.TLS, opts.SASL, err = s.Build(); err != nil {
			b.t.Fatal(err)
		}
		if password == kafkatest.Password {
			b.ran(opts, 0, 300)
		} else {
			start(b.t, opts).expectEnd(b.t, "SASL_AUTHENTICATION_FAILED")
		}
	}
}

// testToken has records pass with a token of a file. With one that has expired a consumer goes on
// trying, since the file may get a new one, and when it does so records pass.
func testToken(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	opts := b.options()
	opts.Brokers = []string{broker.Secured()}
	s := Security{Mechanism: "oauthbearer", TokenFile: filepath.Join(b.t.TempDir(), "token")}
	issue := func(issued time.Time) {
		if err := os.WriteFile(s.TokenFile, []byte(kafkatest.Token(issued, time.Hour)+"\n"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	refused, says := make(chan struct{}), s.TokenFile+`: "invalid_token": it expired`
	opts.Log = slog.New(noticing{opts.Log.Handler(), says, sync.OnceFunc(func() { close(refused) })})
	var err error
	if opts.TLS, opts.SASL, err = s.Build(); err != nil {
		b.t.Fatal(err)
	}
	issue(time.Now())
	b.ran(opts, 0, 300)
	issue(time.Now().Add(-2 * time.Hour))
	c := start(b.t, opts)
	select {
	case <-refused:
	case <-b.ctx.Done():
		b.t.Fatal("nothing is said of a token that has expired")
	}
	issue(time.Now())
	b.write("from", messages(300, 600)...)
	b.expectUnseen(600)
	c.end(b.t)
}

// noticing is a log that calls a function for each line with a text.
type noticing struct {
	slog.Handler
	text   string
	notice func()
}

func (n noticing) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if strings.Contains(a.Value.String(), n.text) {
			n.notice()
		}
		return true
	})
	return n.Handler.Handle(ctx, r)
}

// testTokensExpire has a server give tokens that live for seconds, to a consumer that outlives
// them: it asks for new ones, and records go on to pass.
func testTokensExpire(b *bench, broker *kafkatest.Broker) {
	const life = 3 * time.Second
	var given atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		given.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"bearer","expires_in":%d}`,
			kafkatest.Token(time.Now(), life), life/time.Second)
	}))
	defer server.Close()
	b.create(1, "from", "to")
	opts := b.options()
	opts.Brokers = []string{broker.Secured()}
	s := Security{Mechanism: "oauthbearer", TokenURL: server.URL, Username: "dedup", Password: "hidden"}
	var err error
	if opts.TLS, opts.SASL, err = s.Build(); err != nil {
		b.t.Fatal(err)
	}
	c := start(b.t, opts)
	n := 0
	for began, atFirst := time.Now(), int64(0); time.Since(began) < 3*life || given.Load() < 2*atFirst; n += 300 {
		b.write("from", messages(n, n+300)...)
		b.expectUnseen(n + 300)
		if n == 0 {
			atFirst = given.Load()
		}
	}
	c.end(b.t)
	b.t.Logf("%d tokens, %d records", given.Load(), n)
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

// testComeAndGo has consumers join and leave the group while there is work. All texts differ, so
// each record must come out once, whichever consumer has read it, and those of a partition in
// order.
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
	joined := map[string]bool{}
	member := func(name string) *consumer {
		opts := b.options()
		opts.OpenIndex = storeIn(b.dir + "/" + name)
		opts.NewIndex = len(joined) > 0 && !joined[name] // the group has read something without it
		joined[name] = true
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
			b.t.Errorf("partition %d has record %d after %d", r.Partition, id, last[r.Partition])
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
	writer, err := kgo.NewClient(kgo.SeedBrokers(b.Brokers...), kgo.TransactionalID(b.topic("writer")),
		kgo.DefaultProduceTopic(b.topic("from")))
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

// A gate is the store of an index at which a test can hold a commit: it gives the gate a channel,
// which the next commit takes before it is prepared, and waits for.
type gate struct {
	Store
	held <-chan chan struct{}
}

func (g gate) Prepare(at bloomlsh.Position) error {
	select {
	case release := <-g.held:
		<-release
	default: // no test waits for a commit
	}
	return g.Store.Prepare(at)
}

// holdCommits returns options with a gate, and a function that waits until a commit has begun and
// holds it there until release is called.
func (b *bench) holdCommits(opts Options) (gated Options, hold func() (release func())) {
	held := make(chan chan struct{})
	open := opts.OpenIndex
	opts.OpenIndex = func(decide bloomlsh.Decide) (Index, error) {
		x, err := open(decide)
		x.Store = gate{x.Store, held}
		return x, err
	}
	return opts, func() func() {
		b.t.Helper()
		waiting := make(chan struct{})
		select {
		case held <- waiting:
		case <-b.ctx.Done():
			b.t.Fatal("the consumer does not commit")
		}
		release := sync.OnceFunc(func() { close(waiting) })
		b.t.Cleanup(release)
		return release
	}
}

// expectSilence waits until the cluster has left a question unanswered for so long. A signal to
// stop reaches the threads of a broker one after the other, so the first questions may have answers
// still.
func (b *bench) expectSilence(length time.Duration) {
	b.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(b.ctx, length)
		_, err := b.Admin.ListBrokers(ctx)
		cancel()
		if b.ctx.Err() != nil || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			b.t.Fatalf("a broker that is paused answers: %v", err)
		}
		if err != nil {
			return
		}
	}
}

// testSlow has a broker that does not answer for some seconds, in the middle of a commit.
func testSlow(b *bench, broker *kafkatest.Broker) {
	b.create(1, "from", "to")
	opts, hold := b.holdCommits(b.options())
	c := start(b.t, opts)
	b.t.Cleanup(broker.Resume) // other tests ask the same broker
	for i := range 3 {
		b.write("from", messages(2000*i, 2000*(i+1))...)
		release := hold()
		broker.Pause()
		release()
		b.expectSilence(2 * time.Second)
		broker.Resume()
	}
	b.expectUnseen(6000)
	c.end(b.t)
}

// testTimeout has a commit that takes longer than the broker leaves a transaction open.
func testTimeout(b *bench, _ *kafkatest.Broker) {
	b.create(1, "from", "to")
	var index Index
	opts := b.options()
	opts.grace = 500 * time.Millisecond
	open := opts.OpenIndex
	opts.OpenIndex = func(decide bloomlsh.Decide) (x Index, err error) {
		index, err = open(decide)
		return index, err
	}
	opts, hold := b.holdCommits(opts)
	c := start(b.t, opts)
	b.write("from", messages(0, 3000)...)
	release := hold()
	b.awaitAbort(StateOf(index.Committed()).transactionalID())
	release()
	b.expectUnseen(3000)
	c.end(b.t)
}

// awaitAbort waits until the broker has given up an open transaction.
func (b *bench) awaitAbort(transaction string) {
	b.t.Helper()
	for state := "Ongoing"; state != "CompleteAbort"; {
		described, err := b.Admin.DescribeTransactions(b.ctx, transaction)
		if err != nil {
			b.t.Fatal(err)
		}
		if state = described[transaction].State; state == "CompleteCommit" || state == "Empty" {
			b.t.Fatalf("the transaction that is held is %s", state)
		}
	}
}
