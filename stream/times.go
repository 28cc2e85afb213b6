package stream

import (
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// timeOf is when a record was made, by a field of it, or by what a RecordReader says.
func (w *worker) timeOf(r *reading, said int64) (second int64, ok bool) {
	if w.timing.times == notNamed {
		return said, said != 0
	}
	value := r.value(w.timing.times)
	if len(value) > 0 && value[0] == '"' {
		value, _ = jsontext.Unquote(&w.timing.plain, value, 0)
		w.timing.plain = record.KeepScratch(w.timing.plain)
	}
	return timestamp.Parse(value)
}
