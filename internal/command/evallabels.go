package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// labels holds the labels of records from a separate file, by the names of the records. It is a
// sink for the records of that file.
type labels struct {
	path, id string            // the file, and its field with the names of records
	of       map[string]string // labels in JSON, by the names of records
	asked    map[string]bool   // names of records that have asked for their labels
	wrong    error             // what Observe has found
}

// readLabels reads the file, whatever its format.
func readLabels(ctx context.Context, c *config.Eval, std files.Streams) (l *labels, err error) {
	std.First = nil
	paths, err := std.Paths([]string{c.Labels})
	if err != nil {
		return nil, err
	}
	wanted := formats.Request{
		Settings: layout.Settings{Lines: layout.Lines{Separator: "\n"}}, Paths: paths,
		MaxRecord: c.Filter.Input.MaxRecord,
		Texts:     formats.Texts{Textless: true}, Destinations: formats.Destinations{Unwritten: true},
	}
	source, err := formats.Choose(ctx, wanted, std)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	for flag, field := range map[string]string{"--id": c.ID, "--cluster": c.Cluster} {
		if err := record.CheckName(source.Format, field); err != nil {
			return nil, usage.Error(fmt.Errorf("%s: %s: %w", c.Labels, flag, err))
		}
	}
	l = &labels{path: c.Labels, id: c.ID, of: map[string]string{}, asked: map[string]bool{}}
	reading, err := stream.New(stream.Options{
		Source: stream.Source{
			Inputs: source.Inputs, Format: source.Format, MaxRecord: c.Filter.Input.MaxRecord,
			SinkData: stream.SinkData{ID: c.ID, Fields: []string{c.Cluster}},
		},
		Method:  stream.Method{Judge: stream.KeepAll()},
		Outputs: stream.Outputs{Sinks: []stream.Sink{stream.SinkFunc(l.Observe)}}, Threads: 1,
	})
	if err != nil {
		return nil, err
	}
	switch _, err := reading.Do(ctx); {
	case l.wrong != nil:
		return nil, l.wrong
	case err != nil:
		return nil, err
	case len(l.of) == 0:
		return nil, fmt.Errorf("%s has no label in a field %s: name that field with --cluster", c.Labels, c.Cluster)
	}
	return l, nil
}

// Observe adds a label.
func (l *labels) Observe(d *stream.Decided) error {
	id, label := shown.Plain(d.ID), string(d.Fields[0])
	before, known := l.of[id]
	switch {
	case len(d.ID) == 0:
		l.wrong = fmt.Errorf("%s:%d has no %s, a text or a number that says which record the label is of: name "+
			"that field with --id", d.Input, d.Record, l.id)
	case known && label != "" && before != label:
		l.wrong = fmt.Errorf("%s:%d: the record %q has another label above: give each record one", d.Input, d.Record,
			id)
	case label != "":
		l.of[id] = label
	}
	return l.wrong
}

// label returns the label of a record, or "" if it has none.
func (l *labels) label(id []byte) string {
	name := shown.Plain(id)
	label, known := l.of[name]
	if known {
		l.asked[name] = true
	}
	return label
}

// check reports labels that belong to no record. It returns an error if none belongs to any.
func (l *labels) check() (note string, err error) {
	var left string
	for id := range l.of {
		if !l.asked[id] && (left == "" || id < left) {
			left = id
		}
	}
	switch count := len(l.of) - len(l.asked); {
	case len(l.asked) == 0:
		return "", usage.Error(fmt.Errorf("%s: no record has the %s of a label, such as %q: --id names the field of "+
			"the records that the labels name", l.path, l.id, left))
	case count > 0:
		note = fmt.Sprintf("Of the labels in %s, %s name no record, such as %q.", l.path, units.Count(uint64(count)),
			left)
	}
	return note, nil
}
