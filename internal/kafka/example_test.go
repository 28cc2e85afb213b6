package kafka_test

import (
	"context"
	"log/slog"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A consumer that runs until ctx is done. It needs brokers, so the example is compiled only.
func Example() {
	params := sketch.Default()
	sketcher, err := sketch.New(params)
	if err != nil {
		panic(err)
	}
	field, err := record.ParseField("text")
	if err != nil {
		panic(err)
	}
	options := kafka.Options{
		Cluster:        kafka.Cluster{Brokers: []string{"localhost:9092"}, Group: "dedup"},
		Topics:         kafka.Topics{From: "crawl", To: "unique"},
		Produced:       kafka.Produced{PartitionBy: kafka.PartitionBySource, Compression: "snappy"},
		CommitInterval: 5 * time.Second,
		Opening: kafka.Opening{
			IndexName: "idx",
			OpenIndex: func(decide bloomlsh.Decide) (kafka.Index, error) {
				store, err := bloomlsh.OpenPrepared("idx", bloomlsh.Params{Bands: params.Bands}, nil, decide)
				if err != nil {
					return kafka.Index{}, err
				}
				judge := stream.ByVotes(stream.BandIndex{Observe: store.Observe}, 1)
				return kafka.Index{Store: store, Judge: judge}, nil
			},
			Adopt: func(bloomlsh.Position) error { return nil },
		},
		Stream: stream.Options{
			Source: stream.Source{Format: record.Messages(record.JSONLines([]record.Field{field}))},
			Method: stream.Method{NewSketcher: func() stream.Sketcher { return sketcher.Clone() }},
		},
		Log: slog.Default(), Metrics: kafka.NewMetrics("dedup", "crawl", "dev"),
	}
	if err := kafka.Run(context.Background(), options); err != nil {
		slog.Error("the consumer has ended", "error", err)
	}
}
