package stream

// A packing is the link that replaces records by compressed streams of their own, which a
// RecordReader or a worker has made.
type packing struct{ passive }

func newPacking(p plan) link {
	if _, _, _, packed := p.writer(); !packed {
		return nil
	}
	return packing{}
}

func (packing) process(r *passing) error {
	if r.own {
		at := r.batch.records[r.index].packed
		r.line = r.batch.packed[at.Start:at.End]
		r.body = len(r.line)
	}
	return nil
}
