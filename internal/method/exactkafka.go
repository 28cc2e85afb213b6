package method

import (
	"encoding/json"
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// An ExactConsumer is the exact memory of a consumer.
type ExactConsumer struct{ *Exact }

// OpenExactConsumer opens or creates the exact memory of a consumer.
func OpenExactConsumer(c spec.Method, keys identity.KeyKind, decide index.Decide) (ExactConsumer, error) {
	j, err := For(c).Open(Opening{Method: c, Keys: keys, Decide: decide, Records: Endless})
	if err != nil {
		return ExactConsumer{}, err
	}
	return ExactConsumer{j.Exact}, nil
}

// EachGrown returns a function that passes on the groups that have grown since its last call, for a
// memory that counts groups.
func (x ExactConsumer) EachGrown() func(do func(name string, count []byte)) {
	tallies := counts.NewTallies(x.Counts)
	return func(do func(name string, count []byte)) {
		var name, count []byte
		_ = tallies.EachGrown(func(g counts.Group) error {
			name = x.Exact.Name(name[:0], g.Record)
			count = g.AppendJSON(nil, nil, name)
			do(string(x.Name(nil, g.Record)), count)
			return nil
		})
	}
}

// Commit commits the index.
func (x ExactConsumer) Commit(at bloomlsh.Position) error { return x.writer.Commit(at) }

// Prepare prepares a commit of the index.
func (x ExactConsumer) Prepare(at bloomlsh.Position) error { return x.writer.Prepare(at) }

// Confirm confirms what was prepared.
func (x ExactConsumer) Confirm() error { return x.writer.Confirm() }

// Committed returns the position of the last commit of the index.
func (x ExactConsumer) Committed() bloomlsh.Position { return x.writer.Committed() }

// Usage counts signatures. The only limit is the range of the counter.
func (x ExactConsumer) Usage() bloomlsh.Usage {
	return bloomlsh.Usage{Inserted: x.size.entries.Load(), Capacity: math.MaxUint32 - 1, Bytes: x.size.bytes.Load()}
}

// Name appends the name of a record.
func (x ExactConsumer) Name(dst []byte, record uint64) []byte {
	var name string
	_ = json.Unmarshal(x.Exact.Name(nil, record), &name) // it is a place, in quotes
	return append(dst, name...)
}

// Close closes the memory and its index.
func (x ExactConsumer) Close() error { return x.close() }
