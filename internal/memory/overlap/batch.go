package overlap

// A LastBatch holds the pieces that were seen in the records of the last batch.
type LastBatch struct {
	before uint64  // number of records before it
	seen   []Piece // concatenated
	ends   []int   // where those of each record end in seen
}

// reset begins another batch.
func (b *LastBatch) reset() {
	b.before += uint64(len(b.ends))
	b.seen, b.ends = b.seen[:0], b.ends[:0]
}

// endRecord ends the pieces of a record.
func (b *LastBatch) endRecord() { b.ends = append(b.ends, len(b.seen)) }

// Number returns the number of a record of the last batch among all records, from 1.
func (b *LastBatch) Number(record int) uint64 { return b.before + uint64(record) + 1 }

// Seen returns the pieces of a record of the last batch that were seen, in order. They are valid
// until the next batch is judged.
func (b *LastBatch) Seen(record int) []Piece {
	start := 0
	if record > 0 {
		start = b.ends[record-1]
	}
	return b.seen[start:b.ends[record]]
}
