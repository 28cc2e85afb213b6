package power

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"os"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/stream"
)

// consuming is the command of scenarios that judges the records of a file as a Kafka consumer
// judges those of a topic. Its arguments are options of the consumer, the file, and the file that
// stands in for the broker.
const consuming = "consume"

// transaction is how many records are committed together.
const transaction = 40

// A broker keeps what the transactions of a consumer commit: the number of records consumed, and
// the records produced. Its file is replaced in one step, as a transaction is committed.
type broker struct {
	path     string
	Offset   uint64
	Produced []string
}

func openBroker(path string) (*broker, error) {
	b := &broker{path: path}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	return b, errors.Join(err, json.Unmarshal(data, b))
}

// commit commits a transaction.
func (b *broker) commit() error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	dir, err := store.OpenDir(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Replace(b.path, data), dir.Close())
}

// A transactional index commits in two phases.
type transactional interface {
	Judge() stream.Judge
	Prepare(bloomlsh.Position) error
	Confirm() error
	Committed() bloomlsh.Position
	Close() error
}

type filterIndex struct {
	*bloomlsh.Store
	judge stream.Judge
}

func (f filterIndex) Judge() stream.Judge { return f.judge }

// start runs the program, or what judges like its consumer, or for a caller.
func start() {
	if len(os.Args) == 6 && os.Args[1] == naming {
		if err := filterNamed(os.Args[2], os.Args[3], os.Args[4], os.Args[5]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) < 4 || os.Args[1] != consuming {
		command.Main()
		return
	}
	last := len(os.Args) - 2
	if err := consume(os.Args[2:last], os.Args[last], os.Args[last+1]); err != nil {
		log.Fatal(err)
	}
}

func consume(args []string, topic, brokerFile string) (err error) {
	parsed, err := config.Parse(append([]string{"kafka", "--brokers", "-", "--group", "g", "--from", "a", "--to", "b"},
		args...), "test", nil)
	if err != nil {
		return err
	}
	c := parsed.(*config.Kafka)
	b, err := openBroker(brokerFile)
	if err != nil {
		return err
	}
	sketchers, keys, err := method.SketcherOf(c.Filter.Method)
	if err != nil {
		return err
	}
	index, err := openTransactional(c, keys, b)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if at := index.Committed().Records; at != b.Offset {
		return errors.New("the index is not as of the broker's last transaction")
	}
	data, err := os.ReadFile(topic)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[b.Offset : len(lines)-1]
	for sketcher := sketchers(); len(lines) > 0; {
		n := min(transaction, len(lines))
		if err := consumeTransaction(index, sketcher, b, lines[:n]); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

// openTransactional opens the index. An undecided commit counts if the broker has committed its
// transaction.
func openTransactional(c *config.Kafka, keys identity.KeyKind, b *broker) (transactional, error) {
	decide := func(prepared, _ bloomlsh.Position) (bool, error) { return prepared.Records <= b.Offset, nil }
	if c.Filter.Memory.Kind == "exact" {
		return method.OpenExactConsumer(c.Filter.Method, keys, decide)
	}
	j, err := method.For(c.Filter.Method).Open(method.Opening{Method: c.Filter.Method, Keys: keys, Decide: decide,
		Records: filters.Endless})
	if err != nil {
		return nil, err
	}
	return filterIndex{j.Filters.Store, j.Judge}, nil
}

// consumeTransaction judges some records and commits them on both sides, in the order in which the
// consumer does: the index is prepared, the broker commits, the index is confirmed.
func consumeTransaction(index transactional, sketcher stream.Sketcher, b *broker, lines [][]byte) error {
	batch := stream.Batch{Problems: make([]stream.Problem, len(lines))}
	for _, line := range lines {
		var record struct{ Text string }
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		batch.Words, _ = sketcher.Append(batch.Words, []byte(record.Text))
		batch.Ends = append(batch.Ends, len(batch.Words))
	}
	verdicts := make([]stream.Verdict, len(lines))
	if _, err := index.Judge().Decide(batch, verdicts); err != nil {
		return err
	}
	names, _ := index.(stream.Sink)
	for i, v := range verdicts {
		d := stream.Decided{Input: "topic/0", Record: b.Offset}
		d.Verdict, d.Fate = v, stream.Duplicate
		if !v.Duplicate {
			b.Produced, d.Fate = append(b.Produced, string(lines[i])), stream.Unseen
		}
		if names != nil {
			if err := names.Observe(&d); err != nil {
				return err
			}
		}
		b.Offset++
	}
	if err := index.Prepare(bloomlsh.Position{Records: b.Offset}); err != nil {
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	return index.Confirm()
}
