package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A session is a membership in the group with an index that matches the group's offsets. The first
// error ends it.
type session struct {
	opts    *Options
	cluster *cluster
	index   Index
	state   *State // of the last committed transaction

	membership
	source   *source
	sink     *sink
	stream   *stream.Run
	commits  int
	rejected bool // an unreadable record was reported
}

// A membership is the place of a session in its group.
type membership struct {
	transactions *kgo.GroupTransactSession
	client       *kgo.Client // of transactions
	rebalanced   atomic.Bool // partitions were revoked since the last mark
	assignment   assignment
	lagNow       chan struct{} // requests an update of the lag
}

// open makes the index and the group consistent.
func (s *session) open(ctx context.Context) (err error) {
	o := s.opts
	o.findSeeds(ctx)
	asking, err := kgo.NewClient(o.base()...)
	if err != nil {
		return permanentError{err}
	}
	defer asking.Close()
	if s.cluster, err = o.describeTopics(ctx, asking); err != nil {
		return err
	}
	wanted := &State{Cluster: s.cluster.id, Group: o.Group, Topic: o.From, TopicID: s.cluster.topics[o.From].id}
	if err := s.beforeCreating(ctx, asking); err != nil {
		return err
	}
	s.index, err = o.OpenIndex(func(prepared, before bloomlsh.Position) (bool, error) {
		return s.decide(ctx, asking, wanted, prepared)
	})
	if err != nil {
		return err
	}
	if s.state = StateOf(s.index.Committed()); s.state == nil {
		if err := o.checkNew(ctx, asking); err != nil {
			return err
		}
		return s.adopt(ctx, wanted)
	}
	o.Metrics.use(s.index.Usage())
	if err := s.state.belongs(wanted); err != nil {
		return fmt.Errorf("%s: %w", o.IndexName, err)
	}
	if err := o.fence(ctx, s.state.transactionalID()); err != nil {
		return err
	}
	group, err := o.stableOffsets(ctx, asking)
	if err != nil {
		return err
	}
	if err := s.state.check(group); err != nil {
		return fmt.Errorf("%s: %w", o.IndexName, err)
	}
	return o.checkOwn(s.state, group)
}

// beforeCreating returns an error if the index would have to be created and must not be.
func (s *session) beforeCreating(ctx context.Context, asking *kgo.Client) error {
	if s.opts.IndexExists == nil {
		return nil
	}
	exists, err := s.opts.IndexExists()
	if err != nil {
		return permanentError{err}
	}
	if exists {
		return nil
	}
	return s.opts.checkNew(ctx, asking)
}

// decide reports whether the last commit of the index counts.
func (s *session) decide(ctx context.Context, asking *kgo.Client, wanted *State,
	prepared bloomlsh.Position) (bool, error) {
	state := StateOf(prepared)
	if state == nil {
		return false, permanentError{errors.New("the last commit of the index was prepared by something other than a " +
			"consumer")}
	}
	if err := state.belongs(wanted); err != nil {
		return false, err
	}
	if err := s.opts.fence(ctx, state.transactionalID()); err != nil {
		return false, err
	}
	group, err := s.opts.stableOffsets(ctx, asking)
	if err != nil {
		return false, err
	}
	counts := state.counts(group)
	s.opts.Log.Info("the last commit of the index was undecided", "commit", state.Sequence, "counts", counts)
	return counts, nil
}

// adopt assigns the index to this consumer.
func (s *session) adopt(ctx context.Context, wanted *State) error {
	if err := s.opts.Adopt(s.index.Committed()); err != nil {
		return permanentError{err}
	}
	wanted.Instance = rand.Text()
	position, err := wanted.position()
	if err != nil {
		return err
	}
	if err := s.index.Commit(position); err != nil {
		return permanentError{err}
	}
	s.state = wanted
	return s.opts.fence(ctx, wanted.transactionalID())
}

// run consumes until stop is done, which is not an error, or until an error occurs.
func (s *session) run(ctx, stop context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := s.opts
	s.assignment = assignment{metrics: o.Metrics, partitions: map[int32]bool{}}
	s.lagNow = make(chan struct{}, 1)
	s.transactions, err = kgo.NewGroupTransactSession(append(o.consuming(s.state, s.cluster.topics),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client,
			parts map[string][]int32) {
			s.assigned(parts[o.From])
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client,
			parts map[string][]int32) {
			s.lost("revoked", parts[o.From])
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client,
			parts map[string][]int32) {
			s.lost("lost", parts[o.From])
		}),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) { s.source.blocked() }),
	)...)
	if err != nil {
		return permanentError{err}
	}
	s.client = s.transactions.Client()
	s.source = &source{s: s, stop: stop, next: map[int32]int64{}, closed: make(chan struct{})}
	s.sink = &sink{ctx: ctx, opts: o, client: s.client, fail: cancel}
	defer func() { s.leave(err, err == nil || isPermanent(err)) }()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel(nil)
	watching.Go(func() { s.watchLag(ctx) })

	opts := o.Stream
	open := func() (stream.RecordReader, error) { return s.source, nil }
	opts.Inputs = []stream.Input{{Name: o.From, OpenRecords: open}}
	opts.Method.Judge, opts.Sinks = lasting(s.index.Judge), []stream.Sink{s.sink}
	if named := s.index.Named; named != nil {
		s.sink.name = s.index.Name
		opts.Sinks = []stream.Sink{&placed{Sink: named, partitions: map[int32]string{}}, s.sink}
	}
	if o.Counts != "" && s.index.EachGrown == nil {
		return permanentError{errors.New("internal error: the index does not count")}
	}
	opts.Mark = func(tag any) error { return s.commit(ctx, tag.(*commitMark)) }
	if s.stream, err = stream.New(opts); err != nil {
		return permanentError{err}
	}
	_, err = s.stream.Do(ctx)
	if errors.As(err, new(*stream.UnreadableError)) {
		err = configurationError{fmt.Errorf("%w: give --format or --field; or --on-error keep to pass such messages on",
			err)}
	}
	cancel(err)
	<-s.source.closed
	return err
}

// lasting makes the errors of a judge end the consumer, since the next session would meet them
// again. Examples are a full index and a full disk.
func lasting(j stream.Judge) stream.Judge {
	decide, prefetch := j.Decide, j.Prefetch
	j.Decide = func(b stream.Batch, out []stream.Verdict) (int, error) {
		judged, err := decide(b, out)
		return judged, ofIndex(err)
	}
	if prefetch != nil {
		j.Prefetch = func(batches []stream.Batch) error { return ofIndex(prefetch(batches)) }
	}
	return j
}

// ofIndex marks an error of the index as permanent. A full index requires another configuration.
func ofIndex(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bloomlsh.ErrFull):
		return configurationError{err}
	}
	return permanentError{err}
}

func (s *session) assigned(partitions []int32) {
	s.assignment.add(partitions)
	select {
	case s.lagNow <- struct{}{}:
	default: // already requested
	}
	slices.Sort(partitions)
	s.opts.Log.Info("partitions assigned", "topic", s.opts.From, "partitions", partitions)
	s.opts.Metrics.joined.Store(true)
}

func (s *session) lost(how string, partitions []int32) {
	s.rebalanced.Store(true)
	if len(partitions) > 0 {
		slices.Sort(partitions)
		s.opts.Log.Info("partitions "+how, "topic", s.opts.From, "partitions", partitions)
		s.assignment.remove(partitions)
	}
}

// commit commits everything up to a mark, on all sides or on none.
func (s *session) commit(ctx context.Context, m *commitMark) error {
	started := time.Now()
	if s.index.EachGrown != nil {
		s.index.EachGrown(s.sink.sendCount)
	}
	if err := s.sink.flush(); err != nil {
		return err
	}
	next := s.state.after(m.next)
	next.Records += s.sink.counts.records()
	next.Shared = next.Shared || s.isShared()
	next.Duplicates += s.sink.counts.fates[stream.Duplicate]
	position, err := next.position()
	if err != nil {
		return permanentError{err}
	}
	if err := s.index.Prepare(position); err != nil {
		return permanentError{fmt.Errorf("prepare the index: %w", err)}
	}
	if err := s.commitTransaction(ctx, next); err != nil {
		return err
	}
	if err := s.index.Confirm(); err != nil {
		return permanentError{fmt.Errorf("confirm the index: %w", err)}
	}
	s.state = next
	s.commits++
	s.opts.Metrics.committed(s.sink.counts, next, s.index.Usage(), time.Since(started))
	s.sink.counts = counts{}
	s.reportRejects()
	close(m.done)
	return nil
}

// isShared reports whether other members have partitions of the topic.
func (s *session) isShared() bool {
	return s.assignment.count() < s.cluster.topics[s.opts.From].partitions
}

// keepShared records in the index that it shares the topic, since no commit may follow the loss of
// partitions. Call it while everything is committed and no rebalance can begin.
func (s *session) keepShared() error {
	if s.state.Shared || s.assignment.count() == 0 || !s.isShared() {
		return nil
	}
	next := *s.state
	next.Shared = true
	position, err := next.position()
	if err == nil {
		err = s.index.Commit(position)
	}
	if err != nil {
		return permanentError{err}
	}
	s.state = &next
	return nil
}

// rebalancePatience is the time that a rebalance may wait for the commit of a transaction.
const rebalancePatience = 3 * time.Second

// commitTransaction commits the offsets together with the produced records.
//
// The library asks the group for a last heartbeat first. If the group has just removed this
// consumer, that heartbeat is never sent: the goroutine that would send it waits until the
// partitions can be revoked, and they are held until the commit is done. So the commit would wait
// for itself. Therefore the partitions are released after a while; a rebalance before the end of
// the commit aborts it.
func (s *session) commitTransaction(ctx context.Context, next *State) error {
	defer time.AfterFunc(rebalancePatience, s.client.AllowRebalance).Stop()
	done, err := s.transactions.End(kgo.PreTxnCommitFnContext(ctx, next.signOffsets), kgo.TryCommit)
	switch {
	case err != nil:
		return fmt.Errorf("commit the transaction: %w", err)
	case !done:
		return errors.New("the transaction was aborted: the group has rebalanced, or the coordinator has moved")
	}
	return nil
}

// signOffsets adds the mark of the commit to its offsets, and checks that these equal those in the
// index.
func (s *State) signOffsets(r *kmsg.TxnOffsetCommitRequest) error {
	text, offsets := mark{s.Instance, s.Sequence}.String(), 0
	for _, t := range r.Topics {
		for i := range t.Partitions {
			p := &t.Partitions[i]
			if p.Offset != s.Next[p.Partition] || !slices.Contains(s.Changed, p.Partition) {
				return permanentError{fmt.Errorf("internal error: offset %d is to be committed for "+
					"%s/%d, the index has %d",
					p.Offset, t.Topic, p.Partition, s.Next[p.Partition])}
			}
			p.Metadata = &text
			offsets++
		}
	}
	if offsets != len(s.Changed) {
		return permanentError{fmt.Errorf("internal error: %d offsets are to be committed, the index has %d", offsets,
			len(s.Changed))}
	}
	return nil
}

// reportRejects logs where the first unreadable record was.
func (s *session) reportRejects() {
	if first := s.stream.Stats().FirstReject; first != nil && !s.rejected {
		s.rejected = true
		s.opts.Log.Warn("a record could not be read; the metrics count those that follow", "first", first.String())
	}
}

// leaveTimeout bounds the end of a session.
const leaveTimeout = 10 * time.Second

// leave discards uncommitted work. A consumer that leaves for good returns its partitions to
// the group at once.
func (s *session) leave(why error, forGood bool) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if _, err := s.transactions.End(ctx, kgo.TryAbort); err != nil {
		s.opts.Log.Debug("the transaction could not be aborted; the next session aborts it", "error", err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.transactions.CloseAllowingRebalance()
	}()
	select {
	case <-closed:
	case <-ctx.Done(): // the brokers are unreachable; the library gives up by itself
	}
	if forGood {
		if err := s.opts.resign(ctx, s.opts.memberID(s.state)); err != nil {
			s.opts.Log.Warn("the group will notice only after a while that this consumer has gone", "error", err)
		}
	}
	s.opts.Metrics.sessionEnded(why)
}
