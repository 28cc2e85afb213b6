// Package kafka runs the filter as a consumer: it reads a topic, writes the unseen records to
// another one, and commits both together with the index, exactly once.
//
// A session joins the group and runs one stream (package stream): the source polls records and
// hands them over; the sink produces those that go on; every commit interval the source makes a
// mark, after which everything is committed:
//
//  1. all records produced are acknowledged, inside of the open transaction;  2. the index's part
//
// is prepared: its log has a frame with the offsets, flushed to disk;  3. the offsets are added to
// the transaction, and the transaction is committed;  4. the index's part is confirmed.
//
// Whatever goes wrong ends the session. The next one ends the transaction that was left open, asks
// the group whether the last frame of the index counts, takes it back if not, and goes on after
// the group's offsets. docs/recipes/kafka.md goes through every place where it may break.
package kafka

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// How the partition of a record in an output topic is chosen.
const (
	PartitionBySource = "source" // by the partition that it came from
	PartitionByKey    = "key"    // by the hash of its key, as other clients do
)

// Options is what a consumer needs. All of it is set unless it says otherwise.
type Options struct {
	Brokers []string
	TLS     *tls.Config    // nil for connections in the clear
	SASL    sasl.Mechanism // nil for none

	Group      string
	InstanceID string // of the static member; empty: one that is made with the index
	From       string // topics
	To         string
	Duplicates string // may be empty
	Rejects    string // may be empty
	Counts     string // may be empty; it needs an Index that is a Counter

	PartitionBy   string
	VerdictHeader string // the name of a header that says what a record was found to be; may be empty
	// The names of headers that name the original of a duplicate and say how similar they are, if
	// the Index knows; may be empty.
	OriginalHeader, SimilarityHeader string

	Compression    string // of what is produced: none, gzip, snappy, lz4 or zstd
	CommitInterval time.Duration

	IndexName string // for messages
	// NewIndex lets an index go on at the offsets of the group that has not taken in what was read
	// before them. Without it such an index is refused: it is probably not the one that was meant.
	NewIndex bool
	// IndexExists reports whether OpenIndex would open an index instead of creating one, so that
	// nothing is created where a new index is refused. It may be nil.
	IndexExists func() (bool, error)
	// OpenIndex opens the index, or creates it.
	OpenIndex func(bloomlsh.Decide) (Index, error)
	// Adopt is asked about an index that was last committed by something else than a consumer.
	Adopt func(bloomlsh.Position) error
	// Stream says how records are read and sketched. Its inputs, outputs and judge are set here.
	Stream stream.Options

	Log     *slog.Logger
	Metrics *Metrics

	outage *outage // that warnings are summed up by; Run sets it
	agreed bool    // the index was found to be the group's, when it was opened first
	// is added to the commit interval where a broker wants to know how long to wait for us; 0 for
	// graceTime
	grace time.Duration
}

// timeout is how long brokers are to wait for this consumer, with a transaction or with a
// rebalance.
func (o *Options) timeout() time.Duration {
	return o.CommitInterval + cmp.Or(o.grace, graceTime)
}

// An Index is what a consumer remembers: a store, and who judges by it.
type Index interface {
	stream.Judge
	Store
}

// Names is what an Index is too if it knows originals. As a stream.Sink it is told of each record,
// to remember what it is called: its input is TOPIC/PARTITION, its number the offset.
type Names interface {
	stream.Sink
	// Name appends what the record of a stream.Verdict.Original is called.
	Name(dst []byte, record uint64) []byte
}

// Counter is what an Index is too if it counts the copies of each record that it knows.
type Counter interface {
	Names
	// EachGrown hands over the records that copies came of since it was last called, in their
	// order: the name of each, and how often it came so far, as a JSON object that the callee may
	// keep.
	EachGrown(do func(name string, count []byte))
}

// A Store is an index that can be committed in two steps, as bloomlsh.OpenPrepared opens it.
type Store interface {
	Commit(bloomlsh.Position) error
	Prepare(bloomlsh.Position) error
	Confirm() error
	Committed() bloomlsh.Position
	Usage() bloomlsh.Usage
	Close() error
}

// Judged is a store with a judge that asks it.
func Judged(store Store, judge stream.Judge) Index { return judged{store, judge} }

type judged struct {
	Store
	judge stream.Judge
}

func (j judged) Judge(b stream.Batch, out []stream.Verdict) (int, error) {
	return j.judge.Judge(b, out)
}

const graceTime = 60 * time.Second

// firstTimeout is how long a program that has never reached the brokers tries.
const firstTimeout = 30 * time.Second

// A permanentError is one that trying again does not cure.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// IsConfiguration reports whether a consumer has ended with something that its configuration, or
// that of the brokers, must be changed for: topics that are not there, rights, an index that is not
// the group's. To start it again as it is does not help, as it may with a disk that was full.
func IsConfiguration(err error) bool {
	return errors.As(err, new(configurationError)) || errors.As(err, new(*MismatchError)) || isRefusal(err) ||
		errors.Is(err, bloomlsh.ErrParameters) || errors.Is(err, bloomlsh.ErrVersion)
}

// A configurationError is one for which the configuration must be changed.
type configurationError struct{ error }

func (e configurationError) Unwrap() error { return e.error }

func isPermanent(err error) bool {
	return errors.As(err, new(permanentError)) || IsConfiguration(err) ||
		errors.Is(err, bloomlsh.ErrCorrupt) || errors.Is(err, bloomlsh.ErrMemory) || errors.Is(err, fs.ErrPermission)
}
