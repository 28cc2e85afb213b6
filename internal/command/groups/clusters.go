package groups

import (
	"bufio"
	"bytes"
	"encoding/json"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"io"
)

// A cluster is a group in the form in which it is written.
type cluster struct {
	Representative json.RawMessage   `json:"representative"`
	Duplicates     []json.RawMessage `json:"duplicates"`
	AvgSimilarity  float64           `json:"avg_similarity"` // of the representative with the duplicates
}

// A clusterWriter writes groups, one per line. The lines form an array, unless only lines are
// wanted.
type clusterWriter struct {
	out   *bufio.Writer
	lines bool
	begun bool
	line  bytes.Buffer
}

func (w *clusterWriter) write(c cluster) error {
	w.line.Reset()
	switch {
	case w.lines:
	case w.begun:
		w.line.WriteString(",\n")
	default:
		w.line.WriteString("[\n")
	}
	w.begun = true
	if err := jsonout.WriteLine(&w.line, c); err != nil {
		return err
	}
	line := w.line.Bytes()
	if !w.lines {
		line = bytes.TrimSuffix(line, []byte("\n"))
	}
	_, err := w.out.Write(line)
	return err
}

func (w *clusterWriter) end() error {
	switch {
	case w.lines:
	case w.begun:
		w.out.WriteString("\n]\n") // Flush returns its error
	default:
		w.out.WriteString("[]\n")
	}
	return w.out.Flush()
}

// A mergedGroup says which groups of earlier days are now part of another one. It names them by the
// records that were kept of them.
type mergedGroup struct {
	Group json.RawMessage `json:"group"` // its first record, which stays
	// records that were kept on earlier days, and no longer represent a group
	Merged []json.RawMessage `json:"merged"`
	By     []json.RawMessage `json:"by"` // the records of the group that came this day
}

// A mergedWriter writes merged groups, one object per line.
type mergedWriter struct{ out *bufio.Writer }

func newMergedWriter(file io.Writer) *mergedWriter {
	return &mergedWriter{bufio.NewWriter(file)}
}

func (w *mergedWriter) write(m mergedGroup) error { return jsonout.WriteLine(w.out, m) }
