package kafka

import (
	"fmt"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// closedPort returns an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A consumer starts while some of the listed brokers are down, whatever their order.
func TestSomeOfTheListedBrokersAreDown(t *testing.T) {
	for range 3 {
		b, _ := newFake(t)
		b.create(1, "from", "to")
		b.write("from", &kgo.Record{Value: []byte(`{"text":"a text of some length that stands here"}`)})
		opts := b.options()
		opts.Brokers = append([]string{closedPort(t), closedPort(t)}, b.Brokers...)
		c := start(t, opts)
		b.read("to", 1)
		c.end(t)
		if _, err := Check(t.Context(), opts); err != nil {
			t.Error(err)
		}
	}
}

// A new cluster has no coordinator for some seconds.
func TestACoordinatorIsWaitedFor(t *testing.T) {
	for _, fault := range []kfake.Fault{
		{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: 3},
		{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorNotAvailable, TopLevel: true, Count: 2},
	} {
		b, fake := newFake(t)
		b.create(1, "from", "to")
		b.write("from", &kgo.Record{Value: []byte(`{"text":"a text of some length that stands here"}`)})
		fake.Fault(fault)
		if _, err := Check(t.Context(), b.options()); err != nil {
			t.Error(err)
		}
		if err := fmt.Errorf("group: %w", fault.Err); !lacksCoordinator(err) { // then no time ends the start
			t.Error(err)
		}
		fake.Fault(fault)
		c := start(t, b.options())
		b.read("to", 1)
		c.end(t)
	}
}
