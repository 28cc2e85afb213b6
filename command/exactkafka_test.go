package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
	"github.com/mithril-stream/mithril-stream/memory/counts"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/kafka"
)

// consumerMemories are options of consumers whose memory knows originals.
var consumerMemories = map[string][]string{
	"signatures": {"--memory", "exact"}, "samples": {"--sketch", "fracminhash"},
	"sets":   {"--sketch", "fracminhash", "--verify", "text"},
	"tokens": {"--memory", "exact", "--tokens", "ids"},
}

// consumerConfig is what the command line says for a consumer with such a memory.
func consumerConfig(t *testing.T, broker, index string, memory []string) *config.Kafka {
	t.Helper()
	c, err := config.Parse(append([]string{
		"kafka", "--brokers", broker, "--group", "g", "--from", "from", "--to", "to", "--duplicates-to", "removed",
		"--index", index, "--original-header", "original", "--similarity-header", "similarity",
		"--commit-interval", "50ms", "--log-level", "error"}, memory...), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*config.Kafka)
}

// TestHeadersNameOriginals: of both runs of a consumer, the second with the memory of the first.
func TestHeadersNameOriginals(t *testing.T) {
	for name, memory := range consumerMemories {
		t.Run(name, func(t *testing.T) { headersNameOriginals(t, memory) })
	}
}

func headersNameOriginals(t *testing.T, memory []string) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	cluster, err := kafkatest.Connect(fake.ListenAddrs()...)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := cluster.Create(ctx, 1, "from", "to", "removed"); err != nil {
		t.Fatal(err)
	}
	index, want := filepath.Join(t.TempDir(), "index"), ""
	for _, run := range []struct {
		texts []string
		want  string
	}{
		{[]string{"one", "...", "two", "ONE"}, "[{original from/0:0} {similarity 1}]\n"},
		{[]string{"three", "two!", "three"},
			"[{original from/0:2} {similarity 1}]\n[{original from/0:4} {similarity 1}]\n"},
	} {
		for _, text := range run.texts {
			record := kgo.StringRecord(fmt.Sprintf(`{"text":%q,"ids":%s}`, text, lettersOf(text)))
			record.Topic = "from"
			if err := cluster.Write(ctx, record); err != nil {
				t.Fatal(err)
			}
		}
		want += run.want
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := consumerConfig(t, fake.ListenAddrs()[0], index, memory)
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		removed, err := cluster.ReadUntil(ctx, "removed", func(all []*kgo.Record) bool {
			return len(all) >= strings.Count(want, "\n")
		})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range removed {
			got += fmt.Sprintf("%s\n", r.Headers)
		}
		if got != want {
			t.Fatalf("headers are\n%swant\n%s", got, want)
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) || err.Error() != told.Error() {
			t.Fatal(err)
		}
	}
}

// lettersOf are the letters of a text as tokens.
func lettersOf(text string) string {
	ids := []string{}
	for _, c := range strings.ToLower(text) {
		if unicode.IsLetter(c) {
			ids = append(ids, fmt.Sprint(c))
		}
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// TestExactConsumerIsTakenBack: what was prepared and does not count is neither in the index nor in
// its log.
func TestExactConsumerIsTakenBack(t *testing.T) {
	for name, memory := range consumerMemories {
		t.Run(name, func(t *testing.T) { consumerIsTakenBack(t, memory, false) })
		t.Run(name+", with counts", func(t *testing.T) { consumerIsTakenBack(t, memory, true) })
	}
}

func consumerIsTakenBack(t *testing.T, memory []string, isCounting bool) {
	c := consumerConfig(t, "nowhere:1", filepath.Join(t.TempDir(), "index"), memory)
	opts, keys, err := messageOptions(&c.Filter, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	sketcher := opts.Method.NewSketcher()
	open := func(isCounted bool) method.ExactConsumer {
		x, err := method.OpenExactConsumer(&c.Filter, keys, files.Streams{},
			func(dir string, p bloomlsh.Params, identity []bloomlsh.Parameter) (*bloomlsh.Store, error) {
				return bloomlsh.OpenPrepared(dir, p, identity,
					func(_, _ bloomlsh.Position) (bool, error) { return isCounted, nil })
			})
		if err != nil {
			t.Fatal(err)
		}
		return x.(method.ExactConsumer)
	}
	take := func(x method.ExactConsumer, offset uint64, text string) stream.Verdict {
		words, _ := sketcher.Append(nil, []byte(text))
		out := make([]stream.Verdict, 1)
		b := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: []stream.Problem{{}}}
		if _, err := x.Judge(b, out); err != nil {
			t.Fatal(err)
		}
		d := stream.Decided{Input: "from/0", Record: offset, Decision: stream.Decision{Verdict: out[0]}}
		if err := x.Take(&d); err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	at := bloomlsh.Position{Meta: []byte(`{"kafka_consumer":{"group":"g"}}`)}
	if isCounting {
		c.Filter.Counting = &counts.What{} // as in an index that a run has begun
	}
	for i, isCounted := range []bool{true, false, true} {
		x := open(true)
		c.Filter.Counting = nil
		offset := uint64(i)
		if take(x, offset, fmt.Sprint("text number ", i)).Duplicate {
			t.Fatalf("text %d is known", i)
		}
		if err := x.Prepare(at); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil { // before it is confirmed
			t.Fatal(err)
		}
		x = open(isCounted)
		if state := kafka.StateOf(x.Committed()); (isCounted || i > 0) && (state == nil || state.Group != "g") {
			t.Errorf("the state of the consumer is %+v", state)
		}
		v := take(x, offset, fmt.Sprint("text number ", i))
		if v.Duplicate != isCounted {
			t.Errorf("text %d, which counts: %t, is a duplicate: %t", i, isCounted, v.Duplicate)
		}
		if name := fmt.Sprintf("from/0:%d", i); isCounted && string(x.Name(nil, v.Original)) != name {
			t.Errorf("its original is %s, want %s", x.Name(nil, v.Original), name)
		}
		if err := x.Close(); err != nil { // nothing of it was committed
			t.Fatal(err)
		}
	}
	x := open(true)
	if records := x.Index.Stats().Records; isCounting && (x.Counts.Records() != records || records != 2) {
		t.Errorf("the groups of %d records are counted: %+v", records, x.Counts)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	// What is deleted is forgotten, and the consumer goes on where it was.
	ids := filepath.Join(t.TempDir(), "ids")
	if err := os.WriteFile(ids, []byte("from/0:0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	from := &config.Delete{Dir: c.Filter.Index.Index, IDs: ids}
	if err := Run(t.Context(), from, files.Streams{Out: os.Stderr, Err: os.Stderr}); err != nil {
		t.Fatal(err)
	}
	x = open(true)
	defer x.Close()
	if state := kafka.StateOf(x.Committed()); state == nil || state.Group != "g" {
		t.Errorf("the state of the consumer is %+v", state)
	}
	for text, known := range map[string]bool{"text number 0": false, "text number 2": true} {
		if v := take(x, 9, text); v.Duplicate != known {
			t.Errorf("after a deletion %q is a duplicate: %t", text, v.Duplicate)
		}
	}
	if !isCounting {
		return
	}
	var groups []counts.Group
	for _, at := range []counts.Moment{x.Counts.Now(), {Records: 9, Run: 1}} { // no run is before it
		if err := x.Counts.Each(at, func(g counts.Group) error { groups = append(groups, g); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(groups) != 2 || groups[0].Record != 2 || groups[0].Size != 2 || groups[1].Size != 2 {
		t.Errorf("after a deletion there are the groups %+v", groups)
	}
}
