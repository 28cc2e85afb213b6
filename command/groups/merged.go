package groups

import (
	"bufio"
	"encoding/json"

	"github.com/mithril-stream/mithril-stream/command/files"
)

// A mergedGroup says which groups of earlier days, by what was kept of them, are part of another.
type mergedGroup struct {
	Group  json.RawMessage   `json:"group"`  // its first record, which stays
	Merged []json.RawMessage `json:"merged"` // were kept on earlier days, and stand for no group any more
	By     []json.RawMessage `json:"by"`     // the records of the group that came this day
}

// A mergedWriter writes what is merged, an object on each line.
type mergedWriter struct {
	out     *bufio.Writer
	encoder *json.Encoder
}

func newMergedWriter(file *files.Output) *mergedWriter {
	w := &mergedWriter{out: bufio.NewWriter(file)}
	w.encoder = json.NewEncoder(w.out)
	w.encoder.SetEscapeHTML(false)
	return w
}

func (w *mergedWriter) write(m mergedGroup) error { return w.encoder.Encode(m) }
