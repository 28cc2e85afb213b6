// Package kafka runs the filter as a consumer: it reads a topic, writes the unseen records to
// another one, and commits both together with the index, exactly once.
//
// A session joins the group and runs one stream (package stream). The source polls records and
// passes them on; the sink produces the records to keep. After each commit interval the source
// makes a mark, at which everything so far is committed:
//
//  1. wait until all records produced in the open transaction are acknowledged;
//  2. prepare the index: its log gets a frame with the offsets, flushed to disk;
//  3. add the offsets to the transaction, and commit it;
//  4. confirm the index.
//
// Any error ends the session. The next session ends the transaction that was left open, compares
// the offsets of the group with the last frame of the index, takes that frame back if it was not
// committed, and continues from the group's offsets. docs/recipes/kafka.md covers every point of
// failure.
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
	PartitionBySource = "source" // by its source partition
	PartitionByKey    = "key"    // by the hash of its key, as other clients do
)

// Options configures a consumer. Fields are required unless noted otherwise.
type Options struct {
	Cluster
	Topics

	Produced
	CommitInterval time.Duration

	Opening
	// Stream configures how records are read and sketched. Its inputs, outputs and judge are set by
	// this package.
	Stream stream.Options

	Log     *slog.Logger
	Metrics *Metrics

	answering []string // of Brokers, those that could be connected to; empty for all

	outage *outage // collects warnings; set by Run
	agreed bool    // the index was found to be the group's when it was first opened
	// grace is added to the commit interval in timeouts given to brokers; 0 for graceTime
	grace time.Duration
}

// Cluster says how the brokers are reached, and as which consumer of a group.
type Cluster struct {
	Brokers []string
	TLS     *tls.Config    // nil for unencrypted connections
	SASL    sasl.Mechanism // nil for none

	Group      string
	InstanceID string // of the static member; empty for one created with the index
}

// Topics names the topics that a consumer reads and writes.
type Topics struct {
	From       string
	To         string
	Duplicates string // optional
	Rejects    string // optional
	Counts     string // optional; requires Index.EachGrown
}

// Produced describes the records that are written.
type Produced struct {
	PartitionBy   string
	VerdictHeader string // optional name of a header with the verdict on a record
	// Optional names of headers with the original of a duplicate and their similarity, for an Index
	// that knows them.
	OriginalHeader, SimilarityHeader string

	Compression string // of produced records: none, gzip, snappy, lz4 or zstd
}

// Opening says how the index of a consumer is opened.
type Opening struct {
	IndexName string // for messages
	// NewIndex allows an index that has not seen the records before the group's offsets. Without it
	// such an index is refused, since it is probably the wrong one.
	NewIndex bool
	// IndexExists reports whether OpenIndex would open an existing index, so that nothing is
	// created where a new index is refused. It may be nil.
	IndexExists func() (bool, error)
	// OpenIndex opens or creates the index.
	OpenIndex func(bloomlsh.Decide) (Index, error)
	// Adopt is called with the position of an index that was last committed by something other than
	// a consumer. An error refuses the index.
	Adopt func(bloomlsh.Position) error
}

// timeout returns how long brokers should wait for this consumer to end a transaction or to
// rebalance.
func (o *Options) timeout() time.Duration {
	return o.CommitInterval + cmp.Or(o.grace, graceTime)
}

// An Index is a store with a judge that uses it.
type Index struct {
	Store
	Judge stream.Judge
	// Named receives the name of each record, and Name appends that of the record with the number
	// in stream.Verdict.Original. The input of a record is TOPIC/PARTITION, its number the offset.
	// They are nil if the index does not know originals.
	Named stream.Sink
	Name  func(dst []byte, record uint64) []byte
	// EachGrown calls do for each record that received copies since the last call, in order, with
	// its name and its number of copies, as a JSON object that the callee may keep. It is nil if
	// the index does not count them.
	EachGrown func(do func(name string, count []byte))
}

// A Store is an index with two-phase commit, as opened by bloomlsh.OpenPrepared.
type Store interface {
	Commit(bloomlsh.Position) error
	Prepare(bloomlsh.Position) error
	Confirm() error
	Committed() bloomlsh.Position
	Usage() bloomlsh.Usage
	Close() error
}

const graceTime = 60 * time.Second

// firstTimeout is the time to keep trying if the brokers were never reached.
const firstTimeout = 30 * time.Second

// A permanentError is an error that retrying does not cure.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// IsConfiguration reports whether the consumer ended because its configuration, or that of the
// brokers, has to be changed: missing topics or rights, or an index that is not the group's.
// Restarting without a change does not help, as it may after a full disk.
func IsConfiguration(err error) bool {
	return errors.As(err, new(configurationError)) || errors.As(err, new(*MismatchError)) || isRefusal(err) ||
		errors.Is(err, bloomlsh.ErrParameters) || errors.Is(err, bloomlsh.ErrVersion)
}

// A configurationError is an error that requires a change of the configuration.
type configurationError struct{ error }

func (e configurationError) Unwrap() error { return e.error }

func isPermanent(err error) bool {
	return errors.As(err, new(permanentError)) || IsConfiguration(err) ||
		errors.Is(err, bloomlsh.ErrCorrupt) || errors.Is(err, bloomlsh.ErrMemory) || errors.Is(err, fs.ErrPermission)
}
