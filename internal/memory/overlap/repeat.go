package overlap

import "github.com/mithril-stream/mithril-stream/stream"

// AppendSeen appends, for each piece of a record of the last batch, whether it was seen. It
// requires KeepPieces.
func (j *Judge) AppendSeen(dst []bool, b stream.Batch, record int) []bool {
	seen, sketch := j.Seen(record), b.Sketch(record)
	for i := range piecesIn(sketch) {
		is := len(seen) > 0 && seen[0].Start == pieceOf(sketch, i).start
		if is {
			seen = seen[1:]
		}
		dst = append(dst, is)
	}
	return dst
}

// Repeat treats a batch as judged, without asking the memory. next returns for one piece after the
// other whether it was seen, as AppendSeen reported it.
func (j *Judge) Repeat(b stream.Batch, next func() (seen bool, err error)) error {
	j.reset()
	for record := range b.Len() {
		sketch := b.Sketch(record)
		for i := range piecesIn(sketch) {
			seen, err := next()
			if err != nil {
				return err
			}
			if p := pieceOf(sketch, i); seen {
				j.seen = append(j.seen, Piece{p.start, p.end})
			}
		}
		j.endRecord()
	}
	return nil
}
