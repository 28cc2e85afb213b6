package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	dto "github.com/prometheus/client_model/go"
	"github.com/twmb/franz-go/pkg/kgo"
)

// cost is what one run took. cpu is seconds a record.
type cost struct {
	rate, cpu float64
	p50, p99  time.Duration
	commits   uint64
}

// onCore0 runs the program where nothing else is.
func (b *bench) onCore0(args ...string) *exec.Cmd {
	cmd := exec.Command("taskset", append([]string{"-c", "0", b.program}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return cmd
}

// pipe runs the filter over the file.
func (b *bench) pipe() (c cost, err error) {
	in, err := os.Open(b.records)
	if err != nil {
		return c, err
	}
	defer in.Close()
	cmd := b.onCore0("-q")
	cmd.Stdin = in
	started, n := time.Now(), float64(len(b.values))
	seconds, err := turns.Run(cmd)
	c.rate, c.cpu = n/time.Since(started).Seconds(), seconds/n
	return c, err
}

// consume lets a new consumer read the whole topic. Its rate is that between the first commit and
// the last but one: the last waits for the end of its interval.
func (b *bench) consume(ctx context.Context, round int) (result cost, err error) {
	c, err := b.start(ctx, fmt.Sprint("round-", round), "crawl")
	if err != nil {
		return result, err
	}
	var first, before, last uint64
	var firstAt, beforeAt, lastAt time.Time
	for deadline := time.Now().Add(5 * time.Minute); last < uint64(len(b.values)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return result, errors.Join(errors.New("the consumer does not come to the end"), c.Process.Kill())
		}
		m, err := c.metrics()
		if err != nil {
			return result, errors.Join(err, c.Process.Kill())
		}
		if n := m.records(); n > last {
			before, beforeAt = last, lastAt
			last, lastAt = n, time.Now()
			if first == 0 {
				first, firstAt = n, lastAt
			}
			result.p50, result.p99, result.commits = m.latency(0.5), m.latency(0.99), m.commits()
		}
	}
	if err := c.stop(); err != nil {
		return result, err
	}
	if before <= first {
		return result, errors.New("all was consumed in two commits: measure with more records")
	}
	result.rate = float64(before-first) / beforeAt.Sub(firstAt).Seconds()
	result.cpu = turns.CPU(c.Cmd) / float64(last)
	return result, nil
}

type metrics map[string]*dto.MetricFamily

func (m metrics) records() (n uint64) {
	for _, x := range m["mithril_stream_records_total"].GetMetric() {
		n += uint64(x.GetCounter().GetValue())
	}
	return n
}

func (m metrics) gauge(name string) (sum float64) {
	for _, x := range m[name].GetMetric() {
		sum += x.GetGauge().GetValue()
	}
	return sum
}

func (m metrics) histogram() *dto.Histogram {
	return m["mithril_stream_commit_seconds"].GetMetric()[0].GetHistogram()
}

func (m metrics) commits() uint64 { return m.histogram().GetSampleCount() }

// latency is a quantile of the commits' times, rounded up to the bound of its bucket.
func (m metrics) latency(quantile float64) time.Duration {
	h := m.histogram()
	for _, bucket := range h.GetBucket() {
		if float64(bucket.GetCumulativeCount()) >= quantile*float64(h.GetSampleCount()) {
			return time.Duration(bucket.GetUpperBound() * float64(time.Second)).Round(100 * time.Microsecond)
		}
	}
	return 0
}

// load writes all records to a topic.
func (b *bench) load(ctx context.Context, topic string) error {
	var failed error
	for _, v := range b.values {
		b.broker.Client.Produce(ctx, &kgo.Record{Topic: topic, Value: v}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed = err
			}
		})
	}
	return errors.Join(b.broker.Client.Flush(ctx), failed)
}

func readLines(path string) (lines [][]byte, err error) {
	text, err := os.ReadFile(path)
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")), err
}
