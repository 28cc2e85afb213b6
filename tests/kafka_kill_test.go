//go:build integration

package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
)

var restarts = flag.Int("restarts", 1,
	"how often the test of the consumer restarts the broker; 20 for a thorough run, with -kills 200")

// consumerKills is how often the consumer is killed unless -kills says otherwise: each start of it
// takes a while.
const consumerKills = 10

// A consumerKiller keeps a consumer under load, and kills it and the broker at random moments.
type consumerKiller struct {
	t      *testing.T
	broker *kafkatest.Broker
	rng    *rand.Rand
	memory []string // options of the consumer, of the pipe and of what is done with the index
	args   []string
	path   string
	index  string
	begun  int          // sessions in which the consumer has had its partition when it was killed
	found  map[bool]int // how often the index was found undecided, and whether its last commit counted
}

// TestIntegrationKillOfTheConsumer is exactly once: whenever the consumer is killed and whenever
// the broker is, a read-committed consumer finds in the output what a pipe writes that is given the
// same records: none lost, none twice, in order.
func TestIntegrationKillOfTheConsumer(t *testing.T) { killConsumers(t, "--capacity", "5000") }

// TestIntegrationKillOfTheExactConsumer is the same with the memory that knows originals: headers
// of what is removed name what the pipe names.
func TestIntegrationKillOfTheExactConsumer(t *testing.T) { killConsumers(t, "--memory", "exact") }

// TestIntegrationKillOfTheForgettingConsumer is that with a memory that begins a generation each
// few hundred records, and drops one.
func TestIntegrationKillOfTheForgettingConsumer(t *testing.T) {
	killConsumers(t, "--memory", "exact", "--keep-generations", "3", "--capacity", "600")
}

// TestIntegrationKillOfTheConsumerOfParts is the same with records that go by a sample of n-grams.
func TestIntegrationKillOfTheConsumerOfParts(t *testing.T) {
	killConsumers(t, "--method", "dolma-ngram", "--overlap", ".8", "--scale", "2", "--parts", "200000")
}

func killConsumers(t *testing.T, memory ...string) {
	times := consumerKills
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "kills" {
			times = *kills
		}
	})
	broker := kafkatest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := broker.Create(ctx, 1, "crawl", "unique", "removed", "counts"); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath("mithril-stream")
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(t.TempDir(), "index")
	k := &consumerKiller{t: t, broker: broker, index: index, rng: rand.New(rand.NewPCG(4, 5)), path: path,
		memory: memory,
		found:  map[bool]int{}}
	k.args = append([]string{
		"--brokers", broker.Brokers[0], "--group", "dedup", "--from", "crawl", "--to", "unique",
		"--duplicates-to", "removed",
		"--index", index, "--commit-interval", "20ms",
	}, memory...)
	if k.isExact() {
		k.args = append(k.args, "--original-header", "original", "--similarity-header", "similarity")
	}
	if k.isCounting() {
		k.args = append(k.args, "--counts-to", "counts")
	}
	load := k.load(ctx)
	events := make([]bool, times+*restarts) // true where the broker is restarted
	for i := range *restarts {
		events[(2*i+1)*len(events)/(2**restarts)] = true
	}
	for i, restart := range events {
		k.interrupt(restart)
		if i == len(events)/2 {
			k.mistype(ctx)
		}
	}
	records := load()
	t.Logf("%d kills and %d restarts of the broker, %d records", times, *restarts, len(records))
	k.finish(ctx, records)
}

func (k *consumerKiller) isExact() bool { return slices.Contains(k.memory, "exact") }

func (k *consumerKiller) isCounting() bool {
	return k.isExact() && !slices.Contains(k.memory, "--keep-generations")
}

// load writes records until it is stopped, and then returns them all.
func (k *consumerKiller) load(ctx context.Context) (stop func() []string) {
	running, cancel := context.WithCancel(ctx)
	written := make(chan []string)
	writer, err := kgo.NewClient(kgo.SeedBrokers(k.broker.Brokers[0]), kgo.DefaultProduceTopic("crawl"))
	if err != nil {
		k.t.Fatal(err)
	}
	go func() {
		var records []string
		// some thousand records a second: no more than the consumer takes, so that the last is soon
		// through
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for running.Err() == nil {
			for range 10 {
				records = append(records, killRecord(len(records)))
				writer.Produce(ctx, kgo.StringRecord(records[len(records)-1]), func(_ *kgo.Record, err error) {
					if err != nil {
						k.t.Error(err)
					}
				})
			}
			<-tick.C
		}
		if err := writer.Flush(ctx); err != nil {
			k.t.Error(err)
		}
		writer.Close()
		written <- records
	}()
	return func() []string { cancel(); return <-written }
}

// killRecord is a record that shares its text with the one before if its number is 2 modulo 3, and
// with one a few hundred before if it is 1 modulo 7: close by, and in another transaction.
func killRecord(i int) string {
	text := i - i%3/2
	if i%7 == 1 && i > 500 {
		text = i - 490
	}
	words := rand.New(rand.NewPCG(uint64(text), 3))
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%d,"text":"`, i)
	for range 40 {
		fmt.Fprintf(&b, "%x ", words.Uint32())
	}
	b.WriteString(`"}`)
	return b.String()
}

// interrupt runs the consumer and kills it at a random moment, or before that the broker under it:
// now and then while it starts, and else when it is at work.
func (k *consumerKiller) interrupt(restart bool) {
	c := k.start()
	if restart || k.rng.IntN(5) > 0 {
		select {
		case <-c.stderr.working:
		case <-c.ended:
		case <-time.After(2 * time.Minute):
			k.t.Fatalf("the consumer has not begun to work: %s", c.stderr)
		}
	}
	<-time.After(time.Duration(k.rng.Int64N(int64(400 * time.Millisecond))))
	if restart {
		k.broker.Kill()
		if err := k.broker.Start(); err != nil {
			k.t.Fatal(err)
		}
		<-time.After(time.Duration(k.rng.Int64N(int64(3 * time.Second))))
	}
	c.Process.Kill()
	if <-c.ended; exitCode(c.err) != -1 {
		k.t.Fatalf("the consumer ended by itself: %v: %s", c.err, c.stderr)
	}
	k.count(c.stderr.String())
}

// mistype starts the consumer with an index that is not there, when the group has read something:
// it is refused, and has consumed nothing, or the comparison with the pipe would fail.
func (k *consumerKiller) mistype(ctx context.Context) {
	c := k.start()
	k.await(ctx, c, 1)
	c.Process.Kill()
	<-c.ended
	k.count(c.stderr.String())
	mistyped := slices.Clone(k.args)
	at := slices.Index(mistyped, k.index)
	mistyped[at] += "-mistyped"
	out, err := exec.Command(k.path, append([]string{"kafka"}, mistyped...)...).CombinedOutput()
	if exitCode(err) != 78 || !strings.Contains(string(out), "already read crawl/0 up to offset") {
		k.t.Fatalf("with a mistyped --index the consumer ended with %v: %s", err, out)
	}
	if _, err := os.Stat(mistyped[at]); !errors.Is(err, os.ErrNotExist) {
		k.t.Errorf("the refused index was created: %v", err)
	}
}

// await waits until at least n records are in the topic "unique". It fails, with the consumer's
// log, if the consumer ends before, or if the records do not come within five minutes.
func (k *consumerKiller) await(ctx context.Context, c *runningConsumer, n int) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("the records do not come"))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		select {
		case <-c.ended:
			end(errors.New("the consumer has ended"))
		case <-ctx.Done():
		}
	}()
	if came, err := k.broker.Await(ctx, "unique", n); err != nil {
		k.t.Fatalf("%d of %d records have come: %v: %s", came, n, err, c.stderr)
	}
}

// A runningConsumer is the program at work.
type runningConsumer struct {
	*exec.Cmd
	stderr *consumerLog
	ended  chan struct{}
	err    error // how it ended
}

// A consumerLog is what the program says, and notices when it begins to work.
type consumerLog struct {
	mu      sync.Mutex
	text    bytes.Buffer
	working chan struct{}
	begun   bool
}

const beginsToWork = "partitions assigned"

func (l *consumerLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if !l.begun && bytes.Contains(l.text.Bytes(), []byte(beginsToWork)) {
		l.begun = true
		close(l.working)
	}
	return len(p), nil
}

func (l *consumerLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (k *consumerKiller) count(log string) {
	if strings.Contains(log, beginsToWork) {
		k.begun++
	}
	for _, counts := range []bool{false, true} {
		k.found[counts] += len(regexp.MustCompile(fmt.Sprintf(`undecided" commit=\d+ counts=%t`, counts)).FindAllString(log, -1))
	}
}

func (k *consumerKiller) start() *runningConsumer {
	c := &runningConsumer{
		Cmd:    exec.Command(k.path, append([]string{"kafka"}, k.args...)...),
		stderr: &consumerLog{working: make(chan struct{})}, ended: make(chan struct{}),
	}
	c.Stderr = c.stderr
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		c.err = c.Wait()
	}()
	k.t.Cleanup(func() { c.Process.Kill(); <-c.ended })
	return c
}

// finish lets the consumer come to the end of the topic, and compares with the pipe.
func (k *consumerKiller) finish(ctx context.Context, records []string) {
	dir := k.t.TempDir()
	originals, counts := filepath.Join(dir, "originals.tsv"), filepath.Join(dir, "counts.tsv")
	pipe := exec.Command(k.path, append([]string{"-q", "--duplicates", filepath.Join(dir, "removed")}, k.memory...)...)
	if k.isExact() {
		pipe.Args = append(pipe.Args, "--originals", originals)
	}
	if k.isCounting() {
		pipe.Args = append(pipe.Args, "--counts", counts)
	}
	pipe.Stdin = strings.NewReader(strings.Join(records, "\n") + "\n")
	kept, err := pipe.Output()
	if err != nil {
		k.t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(kept), "\n"), "\n")
	c := k.start()
	k.await(ctx, c, len(want))
	c.Process.Signal(syscall.SIGTERM)
	if <-c.ended; exitCode(c.err) != 143 {
		k.t.Errorf("after SIGTERM the consumer ended with %v: %s", c.err, c.stderr)
	}
	k.tend()
	got, err := k.broker.ReadUntil(ctx, "unique", // again, with what may have come since
		func(all []*kgo.Record) bool { return len(all) >= len(want) })
	if err != nil {
		k.t.Fatal(err)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || string(got[i].Value) != want[i] {
			k.t.Fatalf("record %d of %d is not that of the pipe, which has %d", i, len(got), len(want))
		}
	}
	if k.isExact() {
		k.compareOriginals(ctx, originals)
	}
	if k.isCounting() {
		k.compareCounts(ctx, counts)
	}
	k.count(c.stderr.String())
	k.t.Logf("%d sessions were under way when they were killed; "+
		"the last commit was found undecided %d times, and counted in %d of them",
		k.begun, k.found[false]+k.found[true], k.found[true])
	k.t.Logf("%d records unseen, %d duplicates: 0 lost, 0 twice", len(want), len(records)-len(want))
}

// compareOriginals compares headers with what the pipe says, whose lines begin with 1 where offsets
// begin with 0.
func (k *consumerKiller) compareOriginals(ctx context.Context, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	named := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	removed, err := k.broker.ReadUntil(ctx, "removed", func(all []*kgo.Record) bool { return len(all) >= len(named) })
	if err != nil || len(removed) != len(named) {
		k.t.Fatalf("%d records were removed, by the pipe %d (%v)", len(removed), len(named), err)
	}
	for i, line := range named {
		var record, original int
		var similarity string
		if _, err := fmt.Sscanf(line, "stdin:%d\tstdin:%d\t%s", &record, &original, &similarity); err != nil {
			k.t.Fatalf("%q: %v", line, err)
		}
		want := fmt.Sprintf("[{original crawl/0:%d} {similarity %s}]", original-1, similarity)
		if got := fmt.Sprintf("%s", removed[i].Headers); got != want {
			k.t.Fatalf("record %d has the headers %s, want %s", record, got, want)
		}
	}
	k.t.Logf("%d originals are named as by the pipe", len(named))
}

// compareCounts compares the last count of each record with the one of the pipe. Each is larger
// than the one before: none is told twice, or of what does not count.
func (k *consumerKiller) compareCounts(ctx context.Context, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	want := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var record, size int
		if _, err := fmt.Sscanf(line, "stdin:%d\t%d", &record, &size); err != nil {
			k.t.Fatalf("%q: %v", line, err)
		}
		want[fmt.Sprintf("crawl/0:%d", record-1)] = size
	}
	got := map[string]int{}
	told, err := k.broker.ReadUntil(ctx, "counts", func(all []*kgo.Record) bool {
		clear(got)
		for _, r := range all {
			var count struct {
				ID          string
				Size        int
				First, Last time.Time
			}
			if err := json.Unmarshal(r.Value, &count); err != nil {
				k.t.Fatal(err)
			}
			if count.ID != string(r.Key) || count.Size <= max(1, got[count.ID]) || count.First.Year() < 2000 ||
				count.Last.Before(count.First) {
				k.t.Fatalf("the count of %s is %s, after %d", r.Key, r.Value, got[count.ID])
			}
			got[count.ID] = count.Size
		}
		return maps.Equal(got, want)
	})
	if err != nil {
		k.t.Fatalf("%d records have counts in %d messages, by the pipe %d: %v", len(got), len(told), len(want), err)
	}
	k.t.Logf("%d records came as often as the pipe says, in %d messages", len(got), len(told))
}

// tend does with the index what a user may do.
func (k *consumerKiller) tend() {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"index", "inspect", k.index}, "group dedup"},
		{[]string{"index", "inspect", "--json", k.index}, `"group": "dedup"`},
		{append([]string{"-q", "--index", k.index}, k.memory...), "index settle"},
		{[]string{"index", "verify", k.index}, "whole"},
		{[]string{"index", "compact", k.index}, ""},
		{[]string{"index", "settle", k.index}, "no longer belongs to group dedup"},
		{[]string{"index", "settle", k.index}, "nothing to settle"},
		{append([]string{"-q", "--index", k.index}, k.memory...), ""},
	} {
		out, _ := exec.Command(k.path, c.args...).CombinedOutput()
		if !strings.Contains(string(out), c.says) || c.says == "" && len(out) > 0 {
			k.t.Errorf("mithril-stream %s says %s", strings.Join(c.args, " "), out)
		}
	}
}
