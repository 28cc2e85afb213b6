package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
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

// consumerCluster is a broker with the topics of a consumer: from, to and removed.
func consumerCluster(t *testing.T, ctx context.Context) (address string, cluster *kafkatest.Cluster) {
	t.Helper()
	fake, err := kfake.NewCluster(kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	if cluster, err = kafkatest.Connect(fake.ListenAddrs()...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if err := cluster.Create(ctx, 1, "from", "to", "removed"); err != nil {
		t.Fatal(err)
	}
	return fake.ListenAddrs()[0], cluster
}

// TestHeadersNameOriginals: of both runs of a consumer, the second with the memory of the first.
func TestHeadersNameOriginals(t *testing.T) {
	for name, memory := range third(consumerMemories) {
		t.Run(name, func(t *testing.T) { headersNameOriginals(t, memory) })
	}
}

func headersNameOriginals(t *testing.T, memory []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
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
		c := consumerConfig(t, address, index, memory)
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		compareRemoved(t, ctx, cluster, want)
		stop(told)
		if err := <-ended; !errors.Is(err, told) || err.Error() != told.Error() {
			t.Fatal(err)
		}
	}
}

// compareRemoved compares the headers of all that was removed, a line each, with what is wanted.
func compareRemoved(t *testing.T, ctx context.Context, cluster *kafkatest.Cluster, want string) {
	t.Helper()
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
}

// TestCountsOfCopies: what came how often is told after each commit, with timestamps, by a consumer
// that is begun anew as well, also where the pipe has begun the index.
func TestCountsOfCopies(t *testing.T) {
	for name, memory := range third(consumerMemories) {
		t.Run(name, func(t *testing.T) { countsOfCopies(t, memory, false) })
	}
	t.Run("an index of the pipe", func(t *testing.T) { countsOfCopies(t, consumerMemories["signatures"], true) })
}

func countsOfCopies(t *testing.T, memory []string, isPipes bool) {
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
	if err := cluster.Create(ctx, 3, "from", "to", "removed", "counts"); err != nil {
		t.Fatal(err)
	}
	index, timed, first := filepath.Join(t.TempDir(), "index"), !isPipes, ""
	if isPipes {
		first, _ = runPipe(t, index, "one", memory)
	}
	second, last := int64(1_700_000_000), map[string]string{}
	for _, run := range []struct {
		texts []string
		want  map[string]string // by the names of kept records: size, first and last second
	}{
		{[]string{"one", "...", "two", "ONE"}, map[string]string{"from/2:0": "2 0 3"}},
		{[]string{"three", "two!", "one", "three", "three"}, map[string]string{
			"from/2:0": "3 0 6", "from/2:2": "2 2 5", "from/2:4": "3 4 8"}},
	} {
		for _, text := range run.texts {
			record := kgo.StringRecord(fmt.Sprintf(`{"text":%q,"ids":%s}`, text, lettersOf(text)))
			record.Topic, record.Partition, record.Timestamp = "from", 2, time.Unix(second, 5)
			second++
			if err := cluster.Write(ctx, record); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]string{}
		for name, w := range run.want {
			var size, from, to int64
			fmt.Sscan(w, &size, &from, &to)
			if isPipes && name == "from/2:0" {
				name, size = first, size+1
			}
			want[name] = fmt.Sprintf(`{"id":%q,"size":%d`, name, size)
			if timed {
				want[name] += fmt.Sprintf(`,"first":%q,"last":%q`, utc(1_700_000_000+from), utc(1_700_000_000+to))
			}
			want[name] += "}"
		}
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := consumerConfig(t, fake.ListenAddrs()[0], index, append([]string{"--counts-to", "counts"}, memory...))
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		_, err := cluster.ReadUntil(ctx, "counts", func(all []*kgo.Record) bool {
			for _, r := range all {
				last[string(r.Key)] = string(r.Value)
			}
			return maps.Equal(last, want)
		})
		if err != nil {
			t.Fatalf("%v: counts are %v, want %v", err, last, want)
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) || err.Error() != told.Error() {
			t.Fatal(err)
		}
	}
	partitions := map[string]int32{}
	if _, err := cluster.ReadUntil(ctx, "counts", func(all []*kgo.Record) bool {
		for _, r := range all {
			if before, ok := partitions[string(r.Key)]; ok && before != r.Partition {
				t.Errorf("counts of %s are in partitions %d and %d", r.Key, before, r.Partition)
			}
			partitions[string(r.Key)] = r.Partition
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}

	// The pipe goes on with the index and counts on.
	std := files.Streams{Out: files.StdoutOf(os.Stderr), Err: os.Stderr}
	if err := Run(t.Context(), &config.Settle{Dir: index}, std); err != nil {
		t.Fatal(err)
	}
	_, counted := runPipe(t, index, "three", memory)
	before := strings.TrimSuffix(last["from/2:4"], "}")
	if want := strings.Replace(before, `"size":3`, `"size":4`, 1) + "}\n"; counted != want {
		t.Errorf("the pipe counts %s, want %s", counted, want)
	}
}

// runPipe has the filter read a text with an index that counts. It returns what the record is
// called, and the counts.
func runPipe(t *testing.T, index, text string, memory []string) (name, counted string) {
	t.Helper()
	dir := t.TempDir()
	input, counts := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "counts.jsonl")
	record := fmt.Sprintf("{\"text\":%q,\"ids\":%s}\n", text, lettersOf(text))
	if err := os.WriteFile(input, []byte(record), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(append([]string{"-q", "--index", index, "--counts", counts, "-o", filepath.Join(dir, "out"),
		input}, memory...), "test", nil)
	if err == nil {
		err = Run(t.Context(), c, files.Streams{Out: files.StdoutOf(os.Stderr), Err: os.Stderr})
	}
	written, readErr := os.ReadFile(counts)
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	return input + ":1", string(written)
}

func utc(second int64) string { return time.Unix(second, 0).UTC().Format(time.RFC3339) }

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
	for name, memory := range third(consumerMemories) {
		t.Run(name, func(t *testing.T) { consumerIsTakenBack(t, memory, false) })
		t.Run(name+", with counts", func(t *testing.T) { consumerIsTakenBack(t, memory, true) })
		t.Run(name+", in windows of one record", func(t *testing.T) {
			consumerIsTakenBack(t, append(memory, "--keep-generations", "3", "--capacity", "2"), false)
		})
	}
}

func consumerIsTakenBack(t *testing.T, memory []string, isCounting bool) {
	c := consumerConfig(t, "nowhere:1", filepath.Join(t.TempDir(), "index"), memory)
	opts, keys, err := messageOptions(&c.Filter, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	sketcher := opts.Method.NewSketcher()
	open := func(isCounted bool) exact.Consumer {
		x, err := method.OpenExactConsumer(c.Filter.Method, keys,
			func(_, _ bloomlsh.Position) (bool, error) { return isCounted, nil })
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	take := func(x exact.Consumer, offset uint64, text string) stream.Verdict {
		words, _ := sketcher.Append(nil, []byte(text))
		out := make([]stream.Verdict, 1)
		b := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: []record.Problem{{}}}
		if _, err := x.Judge().Decide(b, out); err != nil {
			t.Fatal(err)
		}
		d := stream.Decided{Input: "from/0", Record: offset, Decision: stream.Decision{Verdict: out[0]}}
		if err := x.Observe(&d); err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	at := bloomlsh.Position{Meta: []byte(`{"kafka_consumer":{"group":"g"}}`)}
	if isCounting {
		c.Filter.Memory.Counting = &counts.Selection{} // as in an index that a run has begun
	}
	for i, isCounted := range []bool{true, false, true} {
		x := open(true)
		c.Filter.Memory.Counting = nil
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
	from := &config.Delete{Dir: c.Filter.Memory.Index, IDs: ids}
	if err := Run(t.Context(), from, files.Streams{Out: files.StdoutOf(os.Stderr), Err: os.Stderr}); err != nil {
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
