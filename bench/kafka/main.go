// Command kafka measures the consumer between two topics of a real broker, against the pipe on the
// same records.
//
//	go build -o bin/mithril-stream . && cd bench
//	go run ./pipe english --count 400000 > /tmp/english.jsonl
//	taskset -c 1 go run ./kafka -records /tmp/english.jsonl [-soak 10m]
//
// The program has core 0 to itself, with one thread for Go code; the broker and this command share
// core 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
)

func main() {
	log.SetFlags(0)
	var b bench
	flag.StringVar(&b.program, "program", "../bin/mithril-stream", "what to measure")
	flag.StringVar(&b.records, "records", "", "a file of JSON Lines")
	flag.IntVar(&b.rounds, "rounds", 3, "how often the consumer and the pipe take turns")
	flag.DurationVar(&b.soak, "soak", 0,
		"how long to run at a part of the peak rate; 10m for the figures of the documents")
	flag.Float64Var(&b.part, "part", 0.8, "the part of the peak rate for -soak")
	flag.Parse()
	if b.records == "" || flag.NArg() > 0 {
		log.Fatal("usage: kafka -records FILE.jsonl [-program PROGRAM] [-rounds N] [-soak TIME]")
	}
	if err := b.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	program, records string
	rounds           int
	soak             time.Duration
	part             float64

	dir    string
	broker *kafkatest.Broker
	values [][]byte
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.program, err = filepath.Abs(b.program); err != nil {
		return err
	}
	if b.values, err = readLines(b.records); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "bench-kafka-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	b.broker, err = kafkatest.New(kafkatest.Options{Dir: b.dir, Java: []string{"taskset", "-c", "1", "java"}})
	if err != nil {
		return err
	}
	defer b.broker.Close()
	var bytes int
	for _, v := range b.values {
		bytes += len(v)
	}
	fmt.Printf("%d records of %d bytes, Apache Kafka %s\n\n", len(b.values), bytes/len(b.values), kafkatest.Version)
	peak, err := b.throughput(ctx)
	if err != nil || b.soak == 0 {
		return err
	}
	return b.soaking(ctx, peak)
}

// throughput lets the consumer and the pipe take turns, and returns the consumer's records a
// second.
func (b *bench) throughput(ctx context.Context) (peak float64, err error) {
	if err := b.broker.Create(ctx, 1, "crawl"); err != nil {
		return 0, err
	}
	if err := b.load(ctx, "crawl"); err != nil {
		return 0, err
	}
	fmt.Println("|  | consumer, records/s | pipe, records/s | ratio | CPU time ratio (pipe / consumer) " +
		"|\n|---|---|---|---|---|")
	var rates, ratios []float64
	for round := range b.rounds + 1 {
		consumer, err := b.consume(ctx, round)
		if err != nil {
			return 0, err
		}
		pipe, err := b.pipe()
		if err != nil {
			return 0, err
		}
		name := fmt.Sprint("round ", round)
		if round == 0 {
			name = "warming up, does not count"
		} else {
			rates, ratios = append(rates, consumer.rate), append(ratios, consumer.rate/pipe.rate)
		}
		fmt.Printf("| %s | %.0f | %.0f | %.2f | %.2f |\n", name, consumer.rate, pipe.rate, consumer.rate/pipe.rate,
			pipe.cpu/consumer.cpu)
		if round == b.rounds {
			fmt.Printf("\ncommit latency at 1 s in the last round: p50 %s, p99 %s of %d commits\n", consumer.p50,
				consumer.p99, consumer.commits)
		}
	}
	slices.Sort(rates)
	slices.Sort(ratios)
	fmt.Printf("median: %.0f records/s, %.2f of the pipe\n", rates[len(rates)/2], ratios[len(ratios)/2])
	return rates[len(rates)/2], nil
}
