package groups

import (
	"bufio"
	"bytes"
	"encoding/json"

	"github.com/mithril-stream/mithril-stream/command/files"
)

// A cluster is a group as it is written.
type cluster struct {
	Representative json.RawMessage   `json:"representative"`
	Duplicates     []json.RawMessage `json:"duplicates"`
	AvgSimilarity  float64           `json:"avg_similarity"` // of the representative with the duplicates
}

// A clusterWriter writes groups: each on a line, and around them what makes an array of the lines,
// unless lines alone are wanted.
type clusterWriter struct {
	out   *bufio.Writer
	lines bool
	begun bool
	line  bytes.Buffer
}

func newClusterWriter(file *files.Output, lines bool) *clusterWriter {
	return &clusterWriter{out: bufio.NewWriterSize(file, 64<<10), lines: lines}
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
	encoder := json.NewEncoder(&w.line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
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
		w.out.WriteString("\n]\n") // its error comes with Flush
	default:
		w.out.WriteString("[]\n")
	}
	return w.out.Flush()
}
