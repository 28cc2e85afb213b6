package stream

import (
	"bytes"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// converts reports whether the records of a lane become JSON and come in another format.
func (o *Options) converts(l lane) bool {
	return l != toRejects && o.Convert && o.Format.NewConverter() != nil
}

// A converting is the link that turns records into JSON objects, one per line.
type converting struct {
	passive
	convert func(dst, record []byte, t *record.Table) []byte
	scratch []byte
}

func newConverting(p plan) link {
	if !p.converts(p.lane) {
		return nil
	}
	return &converting{convert: p.Format.NewConverter()}
}

// process leaves pieces unchanged, since only whole records can be converted.
func (c *converting) process(r *passing) error {
	if !r.isWhole() {
		return nil
	}
	c.scratch = c.convert(record.KeepScratch(c.scratch)[:0], record.TrimBOM(r.line[:r.body]), r.table)
	r.line, r.own = c.scratch, false
	r.body = len(bytes.TrimSuffix(r.line, newline))
	return nil
}
