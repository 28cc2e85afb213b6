package exact

import (
	"encoding/json"
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// A Consumer is the exact memory of a consumer.
type Consumer struct{ *Memory }

// EachGrown returns a function that passes on the groups that have grown since its last call, for a
// memory that counts groups.
func (x Consumer) EachGrown() func(do func(name string, count []byte)) {
	tallies := counts.NewTallies(x.Counts)
	return func(do func(name string, count []byte)) {
		var name, count []byte
		_ = tallies.EachGrown(func(g counts.Group) error {
			name = x.Memory.Name(name[:0], g.Record)
			count = g.AppendJSON(nil, nil, name)
			do(string(x.Name(nil, g.Record)), count)
			return nil
		})
	}
}

// Commit commits the index.
func (x Consumer) Commit(at bloomlsh.Position) error { return x.writer.Commit(at) }

// Prepare prepares a commit of the index.
func (x Consumer) Prepare(at bloomlsh.Position) error { return x.writer.Prepare(at) }

// Confirm confirms what was prepared.
func (x Consumer) Confirm() error { return x.writer.Confirm() }

// Committed returns the position of the last commit of the index.
func (x Consumer) Committed() bloomlsh.Position { return x.writer.Committed() }

// Usage counts signatures. The only limit is the range of the counter.
func (x Consumer) Usage() bloomlsh.Usage {
	entries, bytes := x.Size()
	return bloomlsh.Usage{Inserted: entries, Capacity: math.MaxUint32 - 1, Bytes: bytes}
}

// Name appends the name of a record.
func (x Consumer) Name(dst []byte, record uint64) []byte {
	var name string
	_ = json.Unmarshal(x.Memory.Name(nil, record), &name) // it is a place, in quotes
	return append(dst, name...)
}
