package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// TestConsumersForget: a consumer that goes by timestamps names the originals of what is not older
// than it is to remember, also when it was begun anew, and keeps no files of the rest.
func TestConsumersForget(t *testing.T) {
	memories := maps.Clone(consumerMemories)
	for name, memory := range third(memories) {
		t.Run(name, func(t *testing.T) { consumersForget(t, append(memory, "--forget-after", "10d"), 2*4, 2*5) })
	}
	// All keys fit into one generation, after the first one.
	for name, memory := range map[string][]string{
		"key":       {"--key", "text"},
		"first key": {"--memory", "exact", "--key", "absent|text"},
		"equal":     {"--equal", "--field", "text"},
	} {
		t.Run(name, func(t *testing.T) { consumersForget(t, append(memory, "--forget-after", "10d"), 2, 2) })
	}
}

// consumersForget checks what a consumer forgets that has some options, and that its index has that
// many logs.
func consumersForget(t *testing.T, memory []string, least, most int) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
	index := filepath.Join(t.TempDir(), "index")
	// Each day has records of its own, one of five days ago, and one of fifteen.
	const perDay, days, remembered, forgotten = 30, 40, 5, 15
	var records []*kgo.Record
	first, want := make([]int, days), "" // where the records of a day begin
	for day := range days {
		first[day] = len(records)
		add := func(of, i int) {
			text := unlikeWords(of*perDay + i)
			record := kgo.StringRecord(fmt.Sprintf(`{"text":%q,"ids":%s}`, text, lettersOf(text)))
			record.Topic, record.Timestamp = "from", time.Unix(1_700_000_000+int64(day)*24*60*60, 0)
			records = append(records, record)
		}
		for i := range perDay {
			add(day, i)
		}
		if day >= remembered {
			want += fmt.Sprintf("[{original from/0:%d} {similarity 1}]\n", first[day-remembered])
			add(day-remembered, 0)
		}
		if day >= forgotten {
			add(day-forgotten, 1)
		}
	}
	half := first[days/2]
	for _, part := range [][]*kgo.Record{records[:half], records[half:]} {
		if err := cluster.Write(ctx, part...); err != nil {
			t.Fatal(err)
		}
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := consumerConfig(t, address, index, memory)
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		ready := func(all []*kgo.Record) bool { return len(all) > 0 && isLast(all, part[len(part)-1]) }
		if _, err := cluster.ReadUntil(ctx, "to", ready); err != nil {
			t.Fatal(err)
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) {
			t.Fatal(err)
		}
		logs, err := filepath.Glob(filepath.Join(index, "exact-*"))
		if err != nil || len(logs) > most || len(logs) < least {
			t.Errorf("%v: %d logs: %v", err, len(logs), logs)
		}
	}
	compareRemoved(t, ctx, cluster, want)
}

// TestConsumersForgetKeysToTheSecond: a key passes again when its last message is an hour old, and
// not a second earlier, even if the consumer is restarted.
func TestConsumersForgetKeysToTheSecond(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
	index := filepath.Join(t.TempDir(), "index")
	var records []*kgo.Record
	want := ""
	for i := range 300 {
		add := func(key string, shift time.Duration) {
			record := kgo.StringRecord(fmt.Sprintf(`{"id":%q,"n":%d}`, key, i))
			record.Topic, record.Timestamp = "from", time.Unix(1_700_000_000+int64(i)*40, 0).Add(shift)
			records = append(records, record)
		}
		// 90 times 40 seconds are an hour; the messages of two keys in turn are a second nearer
		add(fmt.Sprint("hourly ", i%90), 0)
		want += string(records[len(records)-1].Value) + "\n"
		add(fmt.Sprint("sooner ", i%90), time.Duration(-i/90)*time.Second)
		if i < 90 {
			want += string(records[len(records)-1].Value) + "\n"
		}
	}
	// the last one passes, so that it is known when all are read
	for part := range slices.Chunk(records[:len(records)-1], 200) {
		if part[len(part)-1] != records[len(records)-2] {
			end := kgo.StringRecord(fmt.Sprintf(`{"id":"end of %s"}`, part[0].Value))
			end.Topic, end.Timestamp = "from", part[len(part)-1].Timestamp
			part = append(slices.Clone(part), end)
		}
		if err := cluster.Write(ctx, part...); err != nil {
			t.Fatal(err)
		}
		consuming, stop := context.WithCancelCause(ctx)
		ended, told := make(chan error), errors.New("told to stop")
		c := consumerConfig(t, address, index, []string{"--key", "id", "--forget-after", "1h"})
		go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
		ready := func(all []*kgo.Record) bool { return len(all) > 0 && isLast(all, part[len(part)-1]) }
		all, err := cluster.ReadUntil(ctx, "to", ready)
		if err != nil {
			t.Fatal(err)
		}
		stop(told)
		if err := <-ended; !errors.Is(err, told) {
			t.Fatal(err)
		}
		got := ""
		for _, r := range all {
			if !bytes.Contains(r.Value, []byte("end of")) {
				got += string(r.Value) + "\n"
			}
		}
		if !strings.HasPrefix(want, got) || part[len(part)-1] == records[len(records)-2] && got != want {
			t.Fatalf("these have passed:\n%swant\n%s", got, want)
		}
	}
}

// isLast reports whether a record is the last of some.
func isLast(all []*kgo.Record, record *kgo.Record) bool {
	return string(all[len(all)-1].Value) == string(record.Value)
}

// unlikeWords are words that no other number has.
func unlikeWords(number int) string {
	rng, text := rand.New(rand.NewPCG(uint64(number), 7)), ""
	for range 12 {
		for range 6 {
			text += string(rune('a' + rng.IntN(26)))
		}
		text += " "
	}
	return text
}
