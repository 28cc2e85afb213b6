package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// samplingInterval is how often lag and memory are looked at.
	samplingInterval = 5 * time.Second
	// besideTime is how long the peak is measured while a writer shares the broker's core.
	besideTime = 30 * time.Second
)

// A watch is what was seen of a consumer while records were written.
type watch struct {
	rate float64 // records a second that it consumed, in the second half
	most float64 // records that it lagged at most
	last metrics
}

// soaking finds the peak while something writes, and then writes at a part of it for a while.
func (b *bench) soaking(ctx context.Context, peak float64) error {
	beside, err := b.write(ctx, "beside", peak, besideTime, nil)
	if err != nil {
		return err
	}
	rate := b.part * beside.rate
	fmt.Printf("\npeak while records are written on the broker's core: %.0f records/s\n\n%s at %.0f records/s\n\n",
		beside.rate, b.soak, rate)
	fmt.Println("| after | records | lag, records | memory, MB |\n|---|---|---|---|")
	w, err := b.write(ctx, "soak", rate, b.soak, func(after time.Duration, m metrics) {
		if n := int(after / samplingInterval); n%12 == 0 || n == 6 {
			fmt.Printf("| %s | %d | %.0f | %.0f |\n", after.Round(time.Second), m.records(), m.lag(),
				m.gauge("process_resident_memory_bytes")/1e6)
		}
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nmost lag %.0f records, %.1f s of the stream; commits: p50 %s, p99 %s of %d\n",
		w.most, w.most/rate, w.last.latency(0.5), w.last.latency(0.99), w.last.commits())
	return nil
}

// write writes to a new topic at a rate for some time, and has a consumer read it meanwhile.
func (b *bench) write(ctx context.Context, topic string, rate float64, lasting time.Duration,
	sampled func(time.Duration, metrics)) (w watch, err error) {
	if err := b.broker.Create(ctx, 1, topic); err != nil {
		return w, err
	}
	c, err := b.start(ctx, topic, topic)
	if err != nil {
		return w, err
	}
	defer c.Process.Kill()
	started, looked, written := time.Now(), time.Now(), 0
	var half uint64
	var halfAt time.Time
	for tick := time.NewTicker(10 * time.Millisecond); time.Since(started) < lasting; <-tick.C {
		for due := int(rate * time.Since(started).Seconds()); written < due; written++ {
			value := fmt.Appendf(nil, `{"round":%d,%s`, written/len(b.values), b.values[written%len(b.values)][1:])
			b.broker.Client.Produce(ctx, &kgo.Record{Topic: topic, Value: value}, nil)
		}
		if time.Since(looked) < samplingInterval {
			continue
		}
		looked = time.Now()
		if w.last, err = c.metrics(); err != nil {
			return w, err
		}
		w.most = max(w.most, w.last.lag())
		if half == 0 && time.Since(started) > lasting/2 {
			half, halfAt = w.last.records(), time.Now()
		}
		if sampled != nil {
			sampled(time.Since(started), w.last)
		}
	}
	if w.last, err = c.metrics(); err != nil {
		return w, err
	}
	w.rate = float64(w.last.records()-half) / time.Since(halfAt).Seconds()
	return w, c.stop()
}

func (m metrics) lag() float64 { return m.gauge("mithril_stream_lag_records") }
