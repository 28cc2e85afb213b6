package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A source polls records and passes them to a stream as its input. After each commit interval, or
// earlier if a rebalance waits or the consumer stops, it makes a mark and waits until everything
// before is committed. No partition is revoked between its first poll and the mark.
type source struct {
	s    *session
	stop context.Context // done when no more records should be read

	polled  []*kgo.Record // not passed on yet
	next    map[int32]int64
	open    bool      // there are records since the last mark, with a transaction
	due     time.Time // when the next mark is due
	marked  *commitMark
	holding bool // rebalances are blocked
	closed  chan struct{}

	rebalanceWaits atomic.Bool // a rebalance is waiting
	wake           atomic.Pointer[context.CancelFunc]
}

// recordTag is the tag of records passed on.
type recordTag struct {
	records []*kgo.Record
	out     []kgo.Record // space for the records produced from them
}

// A commitMark is the tag of a mark.
type commitMark struct {
	next map[int32]int64 // next offset of each partition with records since the last mark
	done chan struct{}
}

const (
	pollRecords = 2048
	handBytes   = 256 << 10
	idleTime    = time.Second // maximum time that a rebalance waits while there is nothing to read
)

// Skip is for resumed runs; a consumer continues from the offsets of its group instead.
func (r *source) Skip(stream.Position) error { return nil }

// Close is called when nothing more is read.
func (r *source) Close() error {
	close(r.closed)
	return nil
}

// ReadRecords passes on polled records, or a mark.
func (r *source) ReadRecords(ctx context.Context, to *stream.Records) error {
	for {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case r.marked != nil:
			if err := r.await(ctx); err != nil {
				return err
			}
		case len(r.polled) > 0:
			r.deliver(to)
			return nil
		case r.open && (r.stop.Err() != nil || r.rebalanceWaits.Load() || !time.Now().Before(r.due)):
			r.marked = &commitMark{maps.Clone(r.next), make(chan struct{})}
			to.Tag = r.marked
			return nil
		case r.stop.Err() != nil:
			return io.EOF
		default:
			if err := r.poll(ctx); err != nil {
				return err
			}
		}
	}
}

// await waits until everything before the mark is committed, and releases the partitions for a
// moment.
func (r *source) await(ctx context.Context) error {
	select {
	case <-r.marked.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.marked, r.open = nil, false
	clear(r.next)
	r.release()
	return nil
}

func (r *source) release() {
	r.holding = false
	r.rebalanceWaits.Store(false)
	r.s.client.AllowRebalance()
}

// blockRebalance blocks rebalances until release.
func (r *source) blockRebalance(ctx context.Context) error {
	if r.holding {
		return nil
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	r.s.client.PollRecords(stopped, 1) // returns nothing, but counts as a poll
	r.holding = true
	if !r.s.rebalanced.Swap(false) {
		return nil
	}
	// The library aborts the transaction after a rebalance, since it cannot know that none was
	// open.
	if _, err := r.s.transactions.End(ctx, kgo.TryAbort); err != nil {
		return err
	}
	return r.s.keepShared()
}

// poll waits for records, at most until a mark is due.
func (r *source) poll(ctx context.Context) error {
	if err := r.blockRebalance(ctx); err != nil {
		return err
	}
	until := time.Now().Add(idleTime)
	if r.open {
		until = r.due
	}
	waiting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	defer context.AfterFunc(r.stop, cancel)()
	r.wake.Store(&cancel)
	if r.rebalanceWaits.Load() {
		cancel()
	}
	fetches := r.s.client.PollRecords(waiting, pollRecords)
	r.wake.Store(nil)
	for _, e := range fetches.Errors() {
		var joining *kgo.ErrGroupSession
		switch {
		case errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
		case errors.As(e.Err, &joining) && !isRefusal(e.Err):
			r.s.opts.outage.warn(time.Now(), "the group does not answer, trying again", "error", joining.Err)
		default:
			return explainFetch(e.Topic, e.Partition, e.Err)
		}
	}
	return r.store(fetches)
}

// store stores polled records. The first ones since a mark begin a transaction. Where a transaction
// of the topic has ended, only the offset moves.
func (r *source) store(fetches kgo.Fetches) (err error) {
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) == 0 || err != nil {
			return
		}
		first, last := p.Records[0], p.Records[len(p.Records)-1]
		if known := r.s.state.Next[p.Partition]; first.Offset < known {
			err = fmt.Errorf("%s/%d: offset %d comes after %d: the group's offsets have been set back", p.Topic,
				p.Partition, first.Offset, known-1)
			return
		}
		r.next[p.Partition] = last.Offset + 1
		for _, record := range p.Records {
			if !record.Attrs.IsControl() {
				r.polled = append(r.polled, record)
			}
		}
	})
	switch {
	case err != nil:
		return err
	case len(r.next) == 0:
		r.release()
	case !r.open:
		r.open, r.due = true, time.Now().Add(r.s.opts.CommitInterval)
		return r.s.transactions.Begin()
	}
	return nil
}

// deliver passes on some of the polled records.
func (r *source) deliver(to *stream.Records) {
	n := 0
	for ; n < len(r.polled) && len(to.Buf) < handBytes; n++ {
		m := r.polled[n]
		of := stream.Record{Text: record.Span{Start: len(to.Buf)}, Time: max(0, m.Timestamp.Unix())}
		switch {
		case m.Value == nil:
			of.Problem = record.NoText
		case len(m.Value) > r.s.opts.Stream.MaxRecord:
			of.Problem = record.TooLong
		default:
			to.Buf = append(to.Buf, m.Value...)
		}
		of.Text.End = len(to.Buf)
		to.List = append(to.List, of)
		to.Bytes += uint64(len(m.Key) + len(m.Value))
	}
	records := r.polled[:n:n]
	r.polled = r.polled[n:]
	to.Tag = &recordTag{records, make([]kgo.Record, 0, n)}
	to.Place = func(i int) (string, uint64) { return place(records[i]), uint64(records[i].Offset) }
}

// place returns the name of a record's partition.
func place(r *kgo.Record) string { return fmt.Sprintf("%s/%d", r.Topic, r.Partition) }

// blocked is called when a rebalance is waiting for release.
func (r *source) blocked() {
	r.rebalanceWaits.Store(true)
	if wake := r.wake.Load(); wake != nil {
		(*wake)()
	}
}
