package stream

import (
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// timeOf is when a record was made, by a field of it, or by what a RecordReader says.
func (w *worker) timeOf(r record.View, said int64) (second int64, ok bool) {
	if w.timing.times == nil {
		return said, said != 0
	}
	w.timing.time = w.timing.times.Append(w.timing.time[:0], r)
	value := w.timing.time
	if len(value) > 0 && value[0] == '"' {
		value = jsontext.AppendUnquoted(nil, value)
	}
	return timestamp.Parse(value)
}
