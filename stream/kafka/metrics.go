package kafka

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Metrics are what a consumer tells about itself. They count what is committed, so that nothing
// counts twice.
type Metrics struct {
	Registry *prometheus.Registry

	records  *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	lag      *prometheus.GaugeVec
	commits  prometheus.Histogram
	restarts prometheus.Counter
	inserted prometheus.Gauge
	capacity prometheus.Gauge
	fill     prometheus.Gauge
	memory   prometheus.Gauge

	joined   atomic.Bool  // the consumer has its partitions
	progress atomic.Int64 // when it was last heard of by the brokers, in Unix nanoseconds
}

// NewMetrics returns metrics in a registry of their own, together with the metrics of the process.
func NewMetrics() *Metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		records: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mithril_stream_records_total",
			Help: "Records committed, by what they were found to be."}, []string{"verdict"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mithril_stream_bytes_total",
			Help: "Bytes of keys and values committed, read and written."}, []string{"direction"}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "mithril_stream_lag_records",
			Help: "Offsets behind the last record that was fetched, as of that fetch."}, []string{"partition"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "mithril_stream_commit_seconds",
			Help:    "Time from the last record of a commit to its end, in which nothing is read.",
			Buckets: prometheus.ExponentialBuckets(0.001, 1.5, 28)}),
		restarts: prometheus.NewCounter(prometheus.CounterOpts{Name: "mithril_stream_restarts_total",
			Help: "Sessions that ended with an error and were begun anew."}),
		inserted: gauge("mithril_stream_index_records", "Records in the index."),
		capacity: gauge("mithril_stream_index_capacity_records", "Records that the index holds before it grows."),
		fill:     gauge("mithril_stream_index_fill_ratio", "Records in the index by its capacity."),
		memory:   gauge("mithril_stream_index_bytes", "Memory of the index."),
	}
	m.Registry.MustRegister(m.records, m.bytes, m.lag, m.commits, m.restarts, m.inserted, m.capacity, m.fill, m.memory,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, verdict := range verdicts { // so that they are there before the first commit
		m.records.WithLabelValues(verdict)
	}
	for _, direction := range []string{"in", "out"} {
		m.bytes.WithLabelValues(direction)
	}
	return m
}

// fetched notes how far a partition goes beyond what was polled of it.
func (m *Metrics) fetched(p kgo.FetchTopicPartition) {
	if n := len(p.Records); n > 0 {
		m.lag.WithLabelValues(strconv.Itoa(int(p.Partition))).Set(float64(max(0,
			p.LastStableOffset-p.Records[n-1].Offset-1)))
	}
}

func (c *counts) records() (n uint64) {
	for _, count := range c.fates {
		n += count
	}
	return n
}

func (m *Metrics) committed(c counts, s *State, u bloomlsh.Usage, took time.Duration) {
	for fate, count := range c.fates {
		m.records.WithLabelValues(verdicts[stream.Fate(fate)]).Add(float64(count))
	}
	m.bytes.WithLabelValues("in").Add(float64(c.in))
	m.bytes.WithLabelValues("out").Add(float64(c.out))
	m.commits.Observe(took.Seconds())
	m.use(u)
}

func (m *Metrics) use(u bloomlsh.Usage) {
	m.inserted.Set(float64(u.Inserted))
	m.capacity.Set(float64(u.Capacity))
	m.fill.Set(float64(u.Inserted) / float64(max(1, u.Capacity)))
	m.memory.Set(float64(u.Bytes))
}

// gone forgets the lag of partitions that others read now.
func (m *Metrics) gone(partitions []int32) {
	for _, partition := range partitions {
		m.lag.DeleteLabelValues(strconv.Itoa(int(partition)))
	}
}

func (m *Metrics) left()      { m.joined.Store(false) }
func (m *Metrics) restarted() { m.restarts.Inc() }
