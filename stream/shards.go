package stream

import "io"

// Shards has Output divided into streams that follow each other, each of them whole: with the
// header of a table, or the brackets of an array. Options.Output is the first of them, or the one
// that a run which is resumed goes on with; without it a Sink writes what is kept, and only Records
// can say how much. If neither Records nor Bytes is set there is one for each input.
//
// What is Aside counts as bytes, but not as a record. It may begin a shard: what describes a record
// often stands before it.
type Shards struct {
	Records uint64 // that are written to one, after which the next begins; 0 is any number
	Bytes   uint64 // the same of the bytes: the record that reaches them is the last one

	// Next is called when a shard is through, with what was written to it, before sinks are told of
	// a record of the next one, and returns the writer of that. number counts from 0, which is the
	// first.
	Next func(done Shard, number int) (io.Writer, error)
}

// A Shard describes what was written to one.
type Shard struct {
	Read    uint64 // records that came while it was written
	Written uint64 // of them, those that are in it
	Bytes   uint64
	Lost    string `json:",omitempty"` // why the input could not be read any further, of the last such input
}

// byInput reports whether there is a shard for each input.
func (s *Shards) byInput() bool { return s.Records == 0 && s.Bytes == 0 }

// isFull reports whether the next record goes into the next shard.
func (s *Shards) isFull(at Shard) bool {
	return s.Records > 0 && at.Written >= s.Records || s.Bytes > 0 && at.Bytes >= s.Bytes
}
