package command

import (
	"github.com/mithril-stream/mithril-stream/sa/substr"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A passageCollector passes the texts of all records to the finder, in the first reading.
type passageCollector struct {
	recordTexts
	finder      *substr.Finder
	check       recordCheck
	refusal     error // why an input is refused
	notesPlaces bool
	places      []textPlace // of each text, for reports
	text        []byte      // scratch
}

type textPlace struct {
	record uint64
	field  int
}

// collect adds the texts of a record, and writes nothing.
func (c *passageCollector) collect(dst []byte, r stream.Editable) (_ []byte, changed bool, err error) {
	if c.isLong(r) {
		return dst, true, nil
	}
	found, err := c.in(r)
	if err != nil {
		c.refusal = c.check.check(c.input, r.Body, c.reject(err))
		return dst, true, c.refusal
	}
	if c.refusal = c.check.check(c.input, r.Body, nil); c.refusal != nil {
		return dst, true, c.refusal
	}
	c.finder.BeginRecord()
	for _, l := range found {
		c.text = l.AppendText(c.text[:0], r.Body)
		c.counts.all += uint64(len(c.text))
		if c.notesPlaces {
			c.places = append(c.places, textPlace{c.counts.records, l.Field})
		}
		if err := c.finder.Add(c.text); err != nil {
			return dst, true, err
		}
	}
	return dst, true, nil
}

// ended returns the error of a reading that has ended with err.
func (c *passageCollector) ended(err error) error {
	if c.refusal != nil {
		return c.refusal // which already says where
	}
	if err != nil {
		return err
	}
	if err := c.check.end(); err != nil {
		return err
	}
	if c.check.records > 0 && c.finder.Texts() == 0 {
		return c.check.noText(c.fields)
	}
	return nil
}
