package stream

import (
	"fmt"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// timeOf returns the time of a record, from one of its fields or from its RecordReader.
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

// A noTime describes what the first record of a batch without a readable time has instead.
type noTime struct {
	record int    // its number in the batch
	found  string // what its field has, in words; empty if there is no such record
}

// noteUntimed notes that the next record of the batch has no time.
func (w *worker) noteUntimed(b *batch, r *reading) {
	if b.noTime.found != "" || w.timing.times == notNamed {
		return
	}
	found := fmt.Sprintf("field %q has no value", w.timing.field)
	if value := r.value(w.timing.times); len(value) > 0 {
		found = fmt.Sprintf("field %q is %s", w.timing.field, beginning(value))
	}
	b.noTime = noTime{record: len(b.records), found: found}
}

// beginning returns the beginning of a value, for a message.
func beginning(value []byte) string {
	const most = 60
	if len(value) <= most {
		return string(value)
	}
	end := most
	for end > 0 && !utf8.RuneStart(value[end]) {
		end--
	}
	return string(value[:end]) + "…"
}
