package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// consumerParts are options of consumers that judge records by parts of them.
var consumerParts = map[string][]string{
	"dclm":     {"--method", "dclm", "--overlap", ".8"},
	"a preset": {"--preset", "dolma-ngram", "--scale", "4"},
	"sampled":  {"--method", "dclm", "--scale", "16", "--capacity", "50"},
	"all":      {"--method", "bloom-ngrams", "--tokenize", "whitespace", "--parts", "5000"},
	"lines":    {"--method", "ccnet", "--overlap", ".5"},
}

// partsConfig is what the command line says for a consumer with such a memory.
func partsConfig(t *testing.T, broker, index string, memory []string) *config.Kafka {
	t.Helper()
	c, err := config.Parse(append([]string{
		"kafka", "--brokers", broker, "--group", "g", "--from", "from", "--to", "to", "--duplicates-to", "removed",
		"--index", index, "--commit-interval", "50ms", "--log-level", "error"}, memory...), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*config.Kafka)
}

// partTexts are texts of words of a day, some of which are pieced together from earlier ones.
func partTexts(day int) []string {
	words := func(day, from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			rng := rand.New(rand.NewPCG(uint64(day), uint64(i)))
			for range 6 {
				b.WriteByte('a' + byte(rng.IntN(26)))
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
	return []string{
		words(day, 0, 400), words(day, 400, 700), words(day, 100, 300) + "\n" + words(day, 450, 650), "...",
		words(day, 600, 900), words(0, 0, 300) + "\n" + words(day, 900, 920), words(day, 0, 4), words(day, 0, 400),
	}
}

// TestPartsGoBetweenTopics: two runs of a consumer, the second with the memory of the first, remove
// and keep what two runs of the filter do, as they came. The filter goes on with the index.
func TestPartsGoBetweenTopics(t *testing.T) {
	for name, memory := range third(consumerParts) {
		t.Run(name, func(t *testing.T) { partsGoBetweenTopics(t, memory) })
	}
}

func partsGoBetweenTopics(t *testing.T, memory []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
	dir := t.TempDir()
	index, pipes := filepath.Join(dir, "index"), filepath.Join(dir, "pipe")
	want := map[string][]string{}
	for day := range 2 {
		var records []string
		for _, text := range partTexts(day) {
			records = append(records, fmt.Sprintf(`{"text":%q, "day":%d}`, text, day))
			record := kgo.StringRecord(records[len(records)-1])
			record.Topic = "from"
			if err := cluster.Write(ctx, record); err != nil {
				t.Fatal(err)
			}
		}
		kept, removed := pipeOf(t, pipes, records, memory)
		if len(removed) < 1 || len(kept) < 3 {
			t.Fatalf("of day %d %d are removed and %d kept, which says little", day, len(removed), len(kept))
		}
		want["to"], want["removed"] = append(want["to"], kept...), append(want["removed"], removed...)
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := partsConfig(t, address, index, memory)
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		for topic, values := range want {
			got, err := cluster.ReadUntil(ctx, topic, func(all []*kgo.Record) bool { return len(all) >= len(values) })
			if err != nil {
				t.Fatal(err)
			}
			isSame := func(r *kgo.Record, value string) bool { return string(r.Value) == value }
			if !slices.EqualFunc(got, values, isSame) {
				t.Fatalf("day %d: of %s %d records are others than those of the pipe, or in another order", day, topic,
					len(values))
			}
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) || err.Error() != told.Error() {
			t.Fatal(err)
		}
	}
	std := files.Streams{Out: files.StdoutOf(os.Stderr), Err: os.Stderr}
	if err := Run(t.Context(), &config.Settle{Dir: index}, std); err != nil {
		t.Fatal(err)
	}
	again := fmt.Sprintf(`{"text":%q}`, partTexts(1)[1])
	if kept, removed := pipeOf(t, index, []string{again}, memory); len(kept) > 0 || len(removed) != 1 {
		t.Errorf("the pipe keeps %q", kept)
	}
}

// pipeOf are the records that a run of the filter keeps and removes, with that index.
func pipeOf(t *testing.T, index string, records, memory []string) (kept, removed []string) {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("in"), []byte(strings.Join(records, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(append([]string{"-q", "--index", index, "-o", path("kept"), "--duplicates", path("removed"),
		path("in")}, memory...), "test", nil)
	if err == nil {
		err = Run(t.Context(), c, files.Streams{Out: files.StdoutOf(os.Stderr), Err: os.Stderr})
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := func(name string) []string {
		text, err := os.ReadFile(path(name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' })
	}
	return lines("kept"), lines("removed")
}

// TestConsumerOfPartsIsTakenBack: parts that were prepared and do not count are not in the index.
func TestConsumerOfPartsIsTakenBack(t *testing.T) {
	for name, memory := range third(consumerParts) {
		t.Run(name, func(t *testing.T) { consumerOfPartsIsTakenBack(t, memory) })
	}
}

func consumerOfPartsIsTakenBack(t *testing.T, memory []string) {
	c := partsConfig(t, "nowhere:1", filepath.Join(t.TempDir(), "index"), memory)
	opts, keys, err := messageOptions(&c.Filter, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	sketcher := opts.Method.NewSketcher()
	for i, isCounted := range []bool{false, false, true} { // what was prepared before it is opened
		x, err := openFilters(c, files.Streams{}, keys, 1,
			func(_, _ bloomlsh.Position) (bool, error) { return isCounted, nil })
		if err != nil {
			t.Fatal(err)
		}
		words, _ := sketcher.Append(nil, []byte(partTexts(0)[0]))
		out := make([]stream.Verdict, 1)
		b := stream.Batch{Words: words, Ends: []int{len(words)}, Problems: []record.Problem{{}}}
		if _, err := x.Judge.Decide(b, out); err != nil || out[0].Duplicate != isCounted {
			t.Errorf("opened for the time %d, the text is a duplicate: %t (%v)", i+1, out[0].Duplicate, err)
		}
		if state := kafka.StateOf(x.Committed()); (state != nil && state.Group == "g") != isCounted {
			t.Errorf("opened for the time %d, the state of the consumer is %+v", i+1, state)
		}
		at := bloomlsh.Position{Meta: []byte(`{"kafka_consumer":{"group":"g"}}`)}
		if err := errors.Join(x.Prepare(at), x.Close()); err != nil { // before it is confirmed
			t.Fatal(err)
		}
	}
}
