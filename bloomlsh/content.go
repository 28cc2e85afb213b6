package bloomlsh

import (
	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// A content receives what is read from an index directory: it builds an index in memory or, for
// verification, nothing. It gets only the generations that are still remembered.
type content interface {
	// base receives a stored generation.
	base(b *baseFile) error
	// open is called when the log opens a generation.
	open(generation int, g geometry) error
	// keys receives the keys of one record in the log, which belong to the generation opened last.
	keys(keys []Key) error
	// commit receives the counts at the end of the log.
	commit(c counted) error
}

// read passes to c, in order, everything that is committed and has not been forgotten since. A
// generation that a window has closed may still have a base file, or keys in the log.
func (d *directory) read(c content) error {
	r := logContent{directory: d, content: c, forgotten: d.forgotten(), generation: d.lastBase(),
		keys: make([]Key, d.params.recordKeys())}
	for _, base := range d.bases {
		if base.generation <= r.forgotten {
			continue
		}
		if err := c.base(base); err != nil {
			return err
		}
	}
	if len(d.bases) > 0 {
		last := d.bases[len(d.bases)-1]
		r.full, r.inserted = last.capacity, last.inserted
	}
	if err := d.EachFrame(r.frame); err != nil {
		return err
	}
	last, place := d.last, d.LogEnd()
	if d.params.doubles() {
		r.full = r.inserted
	}
	if last.inserted > r.full || d.params.doubles() && last.inserted < r.inserted {
		return index.Corrupt(place, "the last commit claims %d records in generation %d", last.inserted, r.generation)
	}
	if err := d.checkTimes(r.generation); err != nil {
		return index.Corrupt(place, "%v", err)
	}
	return c.commit(last)
}

// A logContent passes the frames of a log to a content.
type logContent struct {
	*directory
	content
	forgotten  int    // number of generations no longer remembered
	generation int    // the generation opened last
	full       uint64 // its capacity
	inserted   uint64 // records in the only generation
	keys       []Key  // scratch for one record
}

// frame passes on the contents of a frame.
func (r *logContent) frame(f framelog.Frame) error {
	switch f.Kind {
	case framelog.Generation:
		r.generation++
		g, err := r.checkGeneration(f, r.generation)
		if err != nil {
			return index.Corrupt(r.PlaceOf(f), "%v", err)
		}
		r.full = g.capacity
		if r.generation > r.forgotten {
			return r.content.open(r.generation, g)
		}
	case framelog.Entries:
		return r.frameOfKeys(f.Payload, r.PlaceOf(f))
	}
	return nil
}

func (r *logContent) frameOfKeys(payload []byte, place string) error {
	size := keySize * len(r.keys)
	if r.generation == 0 || len(payload)%size != 0 {
		return index.Corrupt(place, "a frame of keys of %d bytes in generation %d", len(payload), r.generation)
	}
	if r.generation <= r.forgotten {
		return nil
	}
	for ; len(payload) > 0; payload = payload[size:] {
		decodeKeys(payload, r.keys)
		if err := r.params.checkRecord(r.keys); err != nil {
			return index.Corrupt(place, "%v", err)
		}
		if err := r.content.keys(r.keys); err != nil {
			return err
		}
		r.inserted++
	}
	return nil
}
