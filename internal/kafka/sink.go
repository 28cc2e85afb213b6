package kafka

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A sink produces records to the topics where they belong, all within the open transaction.
type sink struct {
	ctx    context.Context
	opts   *Options
	client *kgo.Client
	name   func(dst []byte, record uint64) []byte // of an original; nil if these are unknown
	counts counts                                 // since the last commit
	failed atomic.Pointer[error]
	fail   context.CancelCauseFunc // ends the session
}

// counts holds the numbers of records that are committed together.
type counts struct {
	fates    [stream.Dropped + 1]uint64
	in, out  uint64 // bytes
	produced uint64 // records
}

var verdicts = [...]string{
	stream.Unseen: "unseen", stream.Duplicate: "duplicate", stream.Tolerated: "unreadable",
	stream.Diverted: "unreadable",
	stream.Blank:    "empty", stream.Dropped: "empty",
}

// Observe sends a record to the topics that its verdict requires.
func (k *sink) Observe(d *stream.Decided) error {
	h, f := d.Tag.(*recordTag), d.Fate
	m := h.records[d.Number]
	k.counts.fates[f]++
	k.counts.in += uint64(len(m.Key) + len(m.Value))
	if f.IsKept() {
		k.produce(h, m, k.opts.To, d)
	}
	if f == stream.Duplicate && k.opts.Duplicates != "" {
		k.produce(h, m, k.opts.Duplicates, d)
	}
	if (f == stream.Tolerated || f == stream.Diverted) && k.opts.Rejects != "" {
		k.produce(h, m, k.opts.Rejects, d)
	}
	return k.err()
}

// Flush does nothing: producing is asynchronous.
func (k *sink) Flush() error { return nil }

// produce sends a record unchanged; only its offset and partition depend on the topic.
func (k *sink) produce(h *recordTag, m *kgo.Record, topic string, d *stream.Decided) {
	h.out = append(h.out, kgo.Record{
		Topic: topic, Partition: m.Partition, Key: m.Key, Value: m.Value, Headers: m.Headers, Timestamp: m.Timestamp,
	})
	out := &h.out[len(h.out)-1]
	out.Headers = k.appendHeaders(out.Headers[:len(out.Headers):len(out.Headers)], d)
	k.send(out, func() string { return fmt.Sprintf("%s:%d", place(m), m.Offset) })
}

// sendCount sends the number of copies of a record.
func (k *sink) sendCount(name string, count []byte) {
	k.send(&kgo.Record{Topic: k.opts.Counts, Key: []byte(name), Value: count},
		func() string { return "the count of " + strconv.Quote(name) })
}

// send produces a record in the open transaction. of describes the record for errors.
func (k *sink) send(r *kgo.Record, of func() string) {
	k.counts.out += uint64(len(r.Key) + len(r.Value))
	k.counts.produced++
	k.client.Produce(k.ctx, r, func(r *kgo.Record, err error) {
		if err != nil {
			err = explainProduce(r, of(), err)
			if k.failed.CompareAndSwap(nil, &err) {
				k.fail(err)
			}
		}
	})
}

// appendHeaders appends the headers with the verdict on a record.
func (k *sink) appendHeaders(headers []kgo.RecordHeader, d *stream.Decided) []kgo.RecordHeader {
	add := func(name string, value []byte) {
		if name != "" {
			headers = append(headers, kgo.RecordHeader{Key: name, Value: value})
		}
	}
	if k.opts.VerdictHeader != "" {
		add(k.opts.VerdictHeader, []byte(verdicts[d.Fate]))
	}
	if k.name != nil && d.Verdict.Original != 0 {
		add(k.opts.OriginalHeader, k.name(nil, d.Verdict.Original))
		add(k.opts.SimilarityHeader, stream.AppendSimilarity(nil, d.Verdict.Similarity))
	}
	return headers
}

// placed passes records to a sink with their partitions as inputs, and with their timestamps, in
// seconds, as the only field.
type placed struct {
	stream.Sink
	partitions map[int32]string // names of partitions
	record     stream.Decided   // scratch space
	fields     [1][]byte        // of record
}

var epoch = time.Unix(0, 0)

func (p *placed) Observe(d *stream.Decided) error {
	m := d.Tag.(*recordTag).records[d.Number]
	name, known := p.partitions[m.Partition]
	if !known {
		name = place(m)
		p.partitions[m.Partition] = name
	}
	p.record = *d
	p.record.Input, p.record.Record = name, uint64(m.Offset)
	second := p.fields[0][:0]
	if !m.Timestamp.Before(epoch) { // brokers use -1 for no timestamp
		second = strconv.AppendInt(second, m.Timestamp.Unix(), 10)
	}
	p.fields[0] = second
	p.record.Fields = p.fields[:]
	return ofIndex(p.Sink.Observe(&p.record))
}

// Flush writes names to the index.
func (p *placed) Flush() error { return ofIndex(p.Sink.Flush()) }

// err returns the reason why a record could not be produced, or nil.
func (k *sink) err() error {
	if err := k.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// flush waits until all produced records are acknowledged.
func (k *sink) flush() error {
	if err := k.client.Flush(k.ctx); err != nil {
		return context.Cause(k.ctx)
	}
	return k.err()
}
