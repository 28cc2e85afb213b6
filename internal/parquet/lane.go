package parquet

import "io"

// A laneReader reads a lane sequentially; going back is rare.
type laneReader struct {
	of   *ahead
	unit *unit
	*lane
}

// ReadAt reads len(p) bytes, which must exist.
func (l *laneReader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < l.from || off+int64(len(p)) > l.to {
		return 0, io.ErrUnexpectedEOF
	}
	for l.of.pass(l.lane, off); n < len(p); {
		took, err := l.read(p[n:], off)
		if err != nil {
			return n, err
		}
		n, off = n+took, off+int64(took)
		if len(p) > firstBytes { // a page, which would otherwise be held twice
			l.of.pass(l.lane, off)
		}
	}
	return n, nil
}

// read reads the part of p that is in one piece.
func (l *laneReader) read(p []byte, off int64) (int, error) {
	piece := l.shared
	if piece == nil {
		var before int64
		if piece, before = l.own(off, off+int64(len(p))); piece == nil {
			n := min(int64(len(p)), before)
			return int(n), l.of.file.Fetch(l.of.ctx, p[:n], off)
		}
	}
	buf, err := l.of.need(piece)
	if err != nil {
		return 0, err
	}
	return copy(p, buf[off-piece.from:]), nil
}

// own returns the piece of a long lane that contains the byte from. It returns nil if that piece
// was released, as happens after looking far ahead for a long header; from is then before bytes
// ahead of the first piece. The following pieces, up to the byte to, are requested along with it.
func (l *laneReader) own(from, to int64) (of *piece, before int64) {
	first := l.made
	if len(l.pieces) > 0 {
		first = l.pieces[0].from
	}
	if from < first {
		return nil, first - from
	}
	a := l.of
	for l.made <= from || l.made < to && l.length <= a.maxHeld-a.held && a.running.Load() < fetches {
		a.begin(l.unit.extend(l.lane, a.window))
	}
	at := 0
	for l.pieces[at].to <= from {
		at++
	}
	return l.pieces[at], 0
}
