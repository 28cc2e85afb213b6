package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

func TestRecordsPassWithAllThatTheyHave(t *testing.T) {
	b, _ := newFake(t)
	b.create(3, "from", "to", "removed", "rejected")
	at := time.UnixMilli(1_700_000_000_123)
	header := []kgo.RecordHeader{{Key: "trace", Value: []byte("7")}, {Key: "trace", Value: nil}}
	text := []byte(` {"text" : "a text of some length that stands here"}`)
	b.write("from",
		&kgo.Record{Partition: 1, Key: []byte("k"), Value: text, Headers: header, Timestamp: at},
		&kgo.Record{Partition: 1, Value: text},
		&kgo.Record{Partition: 1, Key: []byte("gone"), Value: nil},
		&kgo.Record{Partition: 1, Value: []byte("no JSON")},
		&kgo.Record{Partition: 1, Value: []byte(`{"text":"…"}`)},
		&kgo.Record{Partition: 1, Value: bytes.Repeat([]byte("x"), 2000)},
		&kgo.Record{Partition: 1, Value: []byte{}},
	)
	opts := b.options()
	opts.Duplicates, opts.Rejects, opts.VerdictHeader = b.topic("removed"), b.topic("rejected"), "verdict"
	opts.Stream.MaxRecord = 1000
	c := start(t, opts)
	describe := func(records []*kgo.Record) (all string) {
		for _, r := range records {
			all += fmt.Sprintf("%d %q %.30q nil:%t", r.Partition, r.Key, r.Value, r.Value == nil)
			for _, h := range r.Headers {
				all += fmt.Sprintf(" %s=%s", h.Key, h.Value)
			}
			all += "\n"
		}
		return all
	}
	kept := b.read("to", 6)
	if got, want := describe(kept), `1 "k" " {\"text\" : \"a text of some len" nil:false trace=7 trace= verdict=unseen
1 "gone" "" nil:true verdict=empty
1 "" "no JSON" nil:false verdict=unreadable
1 "" "{\"text\":\"…\"}" nil:false verdict=empty
1 "" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" nil:false verdict=unreadable
1 "" "" nil:false verdict=empty
`; got != want {
		t.Errorf("kept:\n%swant\n%s", got, want)
	}
	if !kept[0].Timestamp.Equal(at) || !bytes.Equal(kept[0].Value, text) {
		t.Errorf("the first record has the time %v and the value %q", kept[0].Timestamp, kept[0].Value)
	}
	if got, want := describe(b.read("removed", 1)), "1 \"\" \" {\\\"text\\\" : \\\"a text of some len\" nil:false "+
		"verdict=duplicate\n"; got != want {
		t.Errorf("removed:\n%swant\n%s", got, want)
	}
	if got := describe(b.read("rejected", 2)); strings.Count(got, "verdict=unreadable") != 2 {
		t.Errorf("rejected:\n%s", got)
	}
	c.end(t)
}

// A slow topic is committed before there are enough records to say that none can be read. They
// count all the same. TestConfluentMessages reads values behind the number of a schema, and passes
// them on as they came.
func TestConfluentMessages(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to", "removed", "rejected")
	framed := func(schema byte, text string) []byte { return append([]byte{0, 0, 0, 0, schema}, text...) }
	same := `{"text":"a text of some length that stands here"}`
	b.write("from",
		&kgo.Record{Value: framed(7, same)}, &kgo.Record{Value: framed(8, same)}, &kgo.Record{Value: []byte(same)},
		&kgo.Record{Value: []byte{0, 1}}, &kgo.Record{Key: []byte("gone"), Value: nil},
	)
	opts := b.options()
	opts.Duplicates, opts.Rejects = b.topic("removed"), b.topic("rejected")
	opts.Stream.Format = record.Confluent(opts.Stream.Format)
	c := start(t, opts)
	kept, removed, rejected := b.read("to", 4), b.read("removed", 1), b.read("rejected", 2)
	if !bytes.Equal(kept[0].Value, framed(7, same)) || !bytes.Equal(removed[0].Value, framed(8, same)) {
		t.Errorf("kept %q, removed %q", kept[0].Value, removed[0].Value)
	}
	if string(rejected[0].Value) != same || !bytes.Equal(rejected[1].Value, []byte{0, 1}) {
		t.Errorf("rejected %q and %q", rejected[0].Value, rejected[1].Value)
	}
	c.end(t)
}

func TestStopsWhereNoRecordCanBeRead(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	unreadable := func() (records []*kgo.Record) {
		for range 60 {
			records = append(records, kgo.StringRecord(`{"title":"no text"}`))
		}
		return records
	}
	b.write("from", unreadable()...)
	opts := b.options()
	opts.Stream.Unreadable = 100
	c := start(t, opts)
	b.read("to", 60)
	b.write("from", unreadable()...)
	err := <-c.err
	for _, want := range []string{"none of the first 100 records could be read, the first: ", "--on-error keep"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the consumer ended with: %v", err)
		}
	}
	b.read("to", 60)
}

func TestDivertedRecordsGoToRejectsOnly(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to", "rejected")
	b.write("from", kgo.StringRecord("no JSON"), kgo.StringRecord(`{"text":"…"}`), kgo.StringRecord(message(0)))
	opts := b.options()
	opts.Rejects = b.topic("rejected")
	opts.Stream.OnError, opts.Stream.Empty = stream.ErrorDivert, stream.EmptyDrop
	c := start(t, opts)
	if r := b.read("to", 1); string(r[0].Value) != message(0) {
		t.Errorf("kept %q", r[0].Value)
	}
	if r := b.read("rejected", 1); string(r[0].Value) != "no JSON" {
		t.Errorf("rejected %q", r[0].Value)
	}
	c.end(t)
}

// Records of one partition stay together in one partition, whatever the numbers of partitions are,
// and in order.
func TestPartitions(t *testing.T) {
	for _, by := range []string{PartitionBySource, PartitionByKey} {
		t.Run(by, func(t *testing.T) {
			b, _ := newFake(t)
			b.create(5, "from")
			b.create(2, "to")
			var records []*kgo.Record
			for i := range 300 {
				r := kgo.StringRecord(message(3 * i)) // all unseen
				r.Partition = int32(i % 5)
				if i%10 > 0 {
					r.Key = []byte{byte(i % 7)}
				}
				records = append(records, r)
			}
			b.write("from", records...)
			opts := b.options()
			opts.PartitionBy = by
			c := start(t, opts)
			type lane struct{ partition, key int }
			last, to := map[lane]int{}, map[lane]int32{}
			for _, r := range b.read("to", 300) {
				var n int
				fmt.Sscanf(string(r.Value), `{"id":%d,`, &n)
				n /= 3
				from := lane{partition: n % 5, key: -1}
				if by == PartitionByKey && r.Key != nil {
					// the same key comes from several partitions here, between which there is no
					// order
					from = lane{partition: n % 5, key: n % 7}
				}
				if before, ok := last[from]; ok && before > n {
					t.Fatalf("record %d comes after %d", n, before)
				}
				if before, ok := to[from]; ok && before != r.Partition {
					t.Fatalf("records of %+v are in partitions %d and %d", from, before, r.Partition)
				}
				if by == PartitionBySource && int(r.Partition) != n%5%2 {
					t.Fatalf("record %d is in partition %d", n, r.Partition)
				}
				last[from], to[from] = n, r.Partition
			}
			if by == PartitionByKey && to[lane{0, 1}] != to[lane{1, 1}] {
				t.Error("a key is in two partitions")
			}
			c.end(t)
		})
	}
}

var errCrash = errors.New("crash")

// crashing is an index under which the program dies at some place of some commit.
type crashing struct {
	Store
	place string
	left  *int // commits until then
}

func (x crashing) at(place string) error {
	if x.place != place {
		return nil
	}
	if *x.left--; *x.left == 0 {
		return errCrash
	}
	return nil
}

func (x crashing) Prepare(at bloomlsh.Position) error {
	if err := x.at("before the index is prepared"); err != nil {
		return err
	}
	return errors.Join(x.Store.Prepare(at), x.at("before the transaction is committed"))
}

func (x crashing) Confirm() error {
	if err := x.at("before the index is confirmed"); err != nil {
		return err
	}
	return errors.Join(x.Store.Confirm(), x.at("after the commit"))
}

var crashPlaces = []string{"before the index is prepared", "before the transaction is committed",
	"before the index is confirmed", "after the commit"}

// crash lets consumers die at some place of their first or second commit, with messages from number
// n on. It returns the number of the next one.
func (b *bench) crash(place string, n, times int) int {
	b.t.Helper()
	more := func() { b.write("from", messages(n, n+150)...); n += 150 }
	for i := range times {
		left := 1 + i%2
		dying := b.options()
		open := dying.OpenIndex
		dying.OpenIndex = func(decide bloomlsh.Decide) (Index, error) {
			x, err := open(decide)
			x.Store = crashing{x.Store, place, &left}
			return x, err
		}
		more()
		c := start(b.t, dying)
		if i%2 == 1 { // one commit comes through
			b.read("to", n*2/3)
			more()
		}
		if err := <-c.err; !errors.Is(err, errCrash) {
			b.t.Fatalf("%s: the consumer ended with %v", place, err)
		}
	}
	return n
}

// Wherever a commit is broken off, the next start goes on such that each record counts once.
func TestCrashesAtEachPlaceOfACommit(t *testing.T) {
	for _, place := range crashPlaces {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			b, _ := newFake(t)
			b.create(1, "from", "to")
			n := b.crash(place, 0, 6)
			c := start(t, b.options())
			b.expectUnseen(n)
			c.end(t)
		})
	}
}
