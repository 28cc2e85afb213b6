package stream

import (
	"bytes"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// converts reports whether the records of a lane are written as JSON that they were not.
func (o *Options) converts(l lane) bool {
	return l != toRejects && o.Convert && o.Format.NewConverter() != nil
}

// A converting is the link that makes records JSON objects, one a line.
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

// process leaves pieces as they are: a record that is no longer in the batch cannot be converted.
func (c *converting) process(r *passing) error {
	if !r.isWhole() {
		return nil
	}
	c.scratch = c.convert(record.KeepScratch(c.scratch)[:0], record.TrimBOM(r.line[:r.body]), r.table)
	r.line, r.own = c.scratch, false
	r.body = len(bytes.TrimSuffix(r.line, newline))
	return nil
}
