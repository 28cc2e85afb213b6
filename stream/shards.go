package stream

import "io"

// Shards divides Output into a sequence of streams. Each is complete, with the header of a table or
// the brackets of an array. Options.Output is the first of them, or the one that a resumed run
// continues. Without Output, a Sink writes the kept records, and shards can only be limited by
// Records. If neither Records nor Bytes is set, there is one shard per input.
//
// Records that are Aside count as bytes, but not as records. One of them may begin a shard, since
// what describes a record often precedes it.
type Shards struct {
	Records uint64 // that are written to one, after which the next begins; 0 is any number
	Bytes   uint64 // the same of the bytes: the record that reaches them is the last one

	// Next is called at the end of a shard with what was written to it, and before sinks observe a
	// record of the next shard. It returns the writer of the next shard. number is that shard's,
	// counted from 0.
	Next func(done Shard, number int) (io.Writer, error)
}

// A Shard describes what was written to a shard.
type Shard struct {
	Read    uint64 // records that came while it was written
	Written uint64 // of them, those that are in it
	Bytes   uint64
	Lost    string `json:",omitempty"` // why the input could not be read any further, of the last such input
}

// byInput reports whether there is a shard for each input.
func (s *Shards) byInput() bool { return s.Records == 0 && s.Bytes == 0 }

// isFull reports whether the next record goes to the next shard.
func (s *Shards) isFull(at Shard) bool {
	return s.Records > 0 && at.Written >= s.Records || s.Bytes > 0 && at.Bytes >= s.Bytes
}
