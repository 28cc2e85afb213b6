package run

import (
	"bufio"
	"io"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
)

// A groupWriter writes what is counted of groups.
type groupWriter struct {
	write func(g counts.Group) error
	close func() error // writes what is buffered
}

// newGroupWriter returns a writer for the groups of a memory in a format of results.
func newGroupWriter(m *exact.Memory, to io.Writer, format string) (groupWriter, error) {
	names := groupNames{memory: m}
	if format == "jsonl" || format == "tsv" {
		lines := &groupLines{groupNames: names, out: bufio.NewWriterSize(to, 64<<10), columns: format == "tsv"}
		return groupWriter{lines.write, lines.out.Flush}, nil
	}
	table, err := newGroupTable(names, to, format)
	if err != nil {
		return groupWriter{}, err
	}
	return groupWriter{table.write, table.rows.Close}, nil
}

// groupNames are the names of the records of a group.
type groupNames struct {
	memory *exact.Memory
	name   []byte // of the kept record, as JSON
}

func (n *groupNames) take(g counts.Group) {
	n.name = n.memory.Name(n.name[:0], g.Record)
}

// groupLines writes a line for each group.
type groupLines struct {
	groupNames
	out     *bufio.Writer
	columns bool // as columns, not as JSON

	line, by []byte // scratch
}

func (w *groupLines) write(g counts.Group) error {
	w.take(g)
	if w.columns {
		w.line = w.appendColumns(w.line[:0], g)
	} else {
		w.line = g.AppendJSON(w.line[:0], w.memory.Counts.Selection().By, w.name)
	}
	_, err := w.out.Write(append(w.line, '\n'))
	return err
}

// appendColumns appends a line. All lines have the same columns.
func (w *groupLines) appendColumns(dst []byte, g counts.Group) []byte {
	dst = append(appendColumn(dst, w.name), '\t')
	dst = strconv.AppendUint(dst, g.Size, 10)
	if w.memory.Counts.Selection().Time != "" {
		dst = append(dst, '\t')
		if g.IsTimed {
			dst = counts.AppendTime(dst, g.First)
		}
		dst = append(dst, '\t')
		if g.IsTimed {
			dst = counts.AppendTime(dst, g.Last)
		}
	}
	for _, list := range g.By {
		w.by = counts.AppendValues(w.by[:0], list)
		dst = append(append(dst, '\t'), columnEscapes.Replace(string(w.by))...)
	}
	return dst
}
