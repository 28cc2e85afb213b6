package formats

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/warc"
)

// Cut returns the format of the records of a stream. Fields says where their texts are. A format
// with fields needs at least one.
func Cut(s layout.Settings, maxRecord int) (record.Format, error) {
	return of(s.Name).cut(s, maxRecord)
}

func cutObjects(format func([]record.Field) record.Format) func(layout.Settings, int) (record.Format, error) {
	return func(s layout.Settings, _ int) (record.Format, error) {
		fields, err := layout.ParseFields(s.Fields)
		if err != nil {
			return nil, err
		}
		return format(fields), nil
	}
}

func cutArray(s layout.Settings, _ int) (record.Format, error) {
	fields, err := layout.ParseFields(s.Fields)
	return record.JSONArrayAt(s.RecordsAt, fields), err
}

func cutRows(s layout.Settings, _ int) (record.Format, error) {
	for _, field := range s.Fields {
		if _, ok := record.IsWholeRecord(field); ok {
			continue
		}
		for _, name := range record.Alternatives(strings.TrimSuffix(field, "?")) {
			if number, err := strconv.Atoi(name); s.NoHeader && (err != nil || number < 1) {
				return nil, fmt.Errorf("--field %s: with --no-header a column has a number, from 1", field)
			}
		}
	}
	switch {
	case s.Name == "csv":
		return record.Escaped(record.CSV(s.Delimiter, !s.NoHeader, s.Fields), s.Escape), nil
	case s.Quoted:
		return record.Escaped(record.CSV('\t', !s.NoHeader, s.Fields), s.Escape), nil
	}
	return record.TSV(!s.NoHeader, s.Fields), nil
}

func cutText(s layout.Settings, _ int) (record.Format, error) {
	if s.Multiline == "" {
		return record.Text(s.Separator), nil
	}
	begins, err := record.ParseBeginning(s.Multiline)
	if err != nil {
		return nil, err
	}
	return record.Events(begins), nil
}

func cutArchive(s layout.Settings, maxRecord int) (record.Format, error) {
	archive := warc.Format(maxRecord)
	for _, field := range s.Fields {
		if err := record.CheckName(archive, strings.TrimSuffix(field, "?")); err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
	}
	return record.ByValues(archive, s.Fields), nil
}

func cutColumns(s layout.Settings, _ int) (record.Format, error) {
	if _, err := layout.ParseFields(s.Fields); err != nil {
		return nil, err
	}
	return record.Rows(s.Fields), nil
}
