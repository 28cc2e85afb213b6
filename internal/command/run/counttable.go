package run

import (
	"io"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// A groupTable writes a row for each group, with all requested columns.
type groupTable struct {
	groupNames
	what counts.Selection
	rows *formats.Results

	row  [][]byte // scratch
	text []byte   // of the values of a row
}

func newGroupTable(names groupNames, to io.Writer, format string) (*groupTable, error) {
	what := names.memory.Counts.Selection()
	schema := "id:string,size:int64"
	if what.Time != "" {
		schema += ",first:string,last:string"
	}
	if len(what.By) > 0 {
		schema += ",by:json"
	}
	rows, err := formats.NewResults(to, format, schema)
	return &groupTable{groupNames: names, what: what, rows: rows}, err
}

func (t *groupTable) write(g counts.Group) error {
	t.take(g)
	t.row, t.text = append(t.row[:0], t.name), t.text[:0]
	t.add(strconv.AppendUint(t.text, g.Size, 10))
	if t.what.Time != "" {
		t.addTime(g.First, g.IsTimed)
		t.addTime(g.Last, g.IsTimed)
	}
	if len(t.what.By) > 0 {
		t.add(counts.AppendBy(t.text, t.what.By, g.By))
	}
	return t.rows.Add(t.row)
}

// add adds the value that was last appended to the text.
func (t *groupTable) add(text []byte) {
	t.row = append(t.row, text[len(t.text):])
	t.text = text
}

func (t *groupTable) addTime(second int64, isKnown bool) {
	text := t.text
	if isKnown {
		text = jsontext.AppendQuoted(text, counts.AppendTime(nil, second))
	}
	t.add(text)
}
