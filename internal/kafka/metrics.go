package kafka

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Metrics holds the metrics of a consumer. They count only what is committed, so nothing counts
// twice.
type Metrics struct {
	Registry *prometheus.Registry

	records  *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	lag      *prometheus.GaugeVec
	commits  prometheus.Histogram
	last     prometheus.Gauge // time of the last commit
	restarts prometheus.Counter
	inserted prometheus.Gauge
	capacity prometheus.Gauge
	fill     prometheus.Gauge
	memory   prometheus.Gauge

	health
}

// health says whether a consumer works.
type health struct {
	problem  atomic.Pointer[string] // why there is no session; nil if unknown
	joined   atomic.Bool            // whether the consumer has its partitions
	progress atomic.Int64           // last contact with the brokers, in Unix nanoseconds
}

// NewMetrics returns metrics in a registry of their own, along with the metrics of the process. All
// have the labels group and topic, which is the topic being read. version is the version of the
// program.
func NewMetrics(group, topic, version string) *Metrics {
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
			Help: "Offsets between the last one committed and the end of a partition."}, []string{"partition"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "mithril_stream_commit_seconds",
			Help:    "Time from the last record of a commit to its end, in which nothing is read.",
			Buckets: prometheus.DefBuckets}), // .005 to 10 s
		last: gauge("mithril_stream_last_commit_timestamp_seconds",
			"Unix time of the last commit, or of the start if there was none yet."),
		restarts: prometheus.NewCounter(prometheus.CounterOpts{Name: "mithril_stream_restarts_total",
			Help: "Sessions that ended with an error and were begun anew."}),
		inserted: gauge("mithril_stream_index_records", "Records in the index."),
		capacity: gauge("mithril_stream_index_capacity_records", "Records that the index holds before it grows."),
		fill:     gauge("mithril_stream_index_fill_ratio", "Records in the index by its capacity."),
		memory:   gauge("mithril_stream_index_bytes", "Memory of the index."),
	}
	info := gauge("mithril_stream_build_info", "1, with the version of the program.")
	info.Set(1)
	labels := prometheus.Labels{"group": group, "topic": topic}
	prometheus.WrapRegistererWith(prometheus.Labels{"version": version}, m.Registry).MustRegister(info)
	prometheus.WrapRegistererWith(labels, m.Registry).MustRegister(
		m.records, m.bytes, m.lag, m.commits, m.last, m.restarts, m.inserted, m.capacity, m.fill, m.memory,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.last.SetToCurrentTime()
	for _, verdict := range verdicts { // makes them present before the first commit
		m.records.WithLabelValues(verdict)
	}
	for _, direction := range []string{"in", "out"} {
		m.bytes.WithLabelValues(direction)
	}
	return m
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
	m.last.SetToCurrentTime()
	m.use(u)
}

func (m *Metrics) use(u bloomlsh.Usage) {
	m.inserted.Set(float64(u.Inserted))
	m.capacity.Set(float64(u.Capacity))
	m.fill.Set(float64(u.Inserted) / float64(max(1, u.Capacity)))
	m.memory.Set(float64(u.Bytes))
}

// sessionEnded records the end of a session, or of an attempt to begin one, and its reason.
func (m *Metrics) sessionEnded(why error) {
	m.joined.Store(false)
	if why != nil {
		problem := why.Error()
		m.problem.Store(&problem)
	}
}

func (m *Metrics) restarted() { m.restarts.Inc() }
