package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// samplingInterval is how often lag and memory are looked at.
const samplingInterval = 5 * time.Second

// soaking writes at a part of the peak rate for a while, and watches lag and memory.
func (b *bench) soaking(ctx context.Context, peak float64) error {
	if err := b.broker.Create(ctx, 1, "soak"); err != nil {
		return err
	}
	c, err := b.start(ctx, "soak", "soak")
	if err != nil {
		return err
	}
	defer c.Process.Kill()
	rate := b.part * peak
	fmt.Printf("\n%s at %.0f records/s\n\n| after | records | lag, records | memory, MB |\n|---|---|---|---|\n", b.soak, rate)
	var most float64
	started, sampled, written := time.Now(), time.Now(), 0
	for tick := time.NewTicker(10 * time.Millisecond); time.Since(started) < b.soak; <-tick.C {
		for due := int(rate * time.Since(started).Seconds()); written < due; written++ {
			value := fmt.Appendf(nil, `{"round":%d,%s`, written/len(b.values), b.values[written%len(b.values)][1:])
			b.broker.Client.Produce(ctx, &kgo.Record{Topic: "soak", Value: value}, nil)
		}
		if time.Since(sampled) < samplingInterval {
			continue
		}
		sampled = time.Now()
		m, err := c.metrics()
		if err != nil {
			return err
		}
		lag := m.gauge("mithril_stream_lag_records")
		most = max(most, lag)
		if n := int(time.Since(started) / samplingInterval); n%12 == 0 || n == 6 {
			fmt.Printf("| %s | %d | %.0f | %.0f |\n", time.Since(started).Round(time.Second), m.records(), lag, m.gauge("process_resident_memory_bytes")/1e6)
		}
	}
	m, err := c.metrics()
	if err != nil {
		return err
	}
	fmt.Printf("\nmost lag %.0f records, %.1f s of the stream; commits: p50 %s, p99 %s of %d\n", most, most/rate, m.latency(0.5), m.latency(0.99), m.commits())
	return c.stop()
}
