package formats

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/warc"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Cut returns the format of records for a stream. Their texts are in Fields; a format with fields
// needs one.
func Cut(s layout.Settings, maxRecord int) (stream.Format, error) {
	return of(s.Name).cut(s, maxRecord)
}

func cutObjects(format func([]stream.Field) stream.Format) func(layout.Settings, int) (stream.Format, error) {
	return func(s layout.Settings, _ int) (stream.Format, error) {
		fields, err := layout.ParseFields(s.Fields)
		if err != nil {
			return nil, err
		}
		return format(fields), nil
	}
}

func cutArray(s layout.Settings, _ int) (stream.Format, error) {
	fields, err := layout.ParseFields(s.Fields)
	return stream.JSONArrayAt(s.RecordsAt, fields), err
}

func cutRows(s layout.Settings, _ int) (stream.Format, error) {
	for _, field := range s.Fields {
		if number, err := strconv.Atoi(field); s.NoHeader && (err != nil || number < 1) {
			return nil, fmt.Errorf("--field %s: with --no-header a column has a number, from 1", field)
		}
	}
	switch {
	case s.Name == "csv":
		return stream.Escaped(stream.CSV(s.Delimiter, !s.NoHeader, s.Fields), s.Escape), nil
	case s.Quoted:
		return stream.Escaped(stream.CSV('\t', !s.NoHeader, s.Fields), s.Escape), nil
	}
	return stream.TSV(!s.NoHeader, s.Fields), nil
}

func cutText(s layout.Settings, _ int) (stream.Format, error) {
	if s.Multiline == "" {
		return stream.Text(s.Separator), nil
	}
	begins, err := stream.ParseBeginning(s.Multiline)
	if err != nil {
		return nil, err
	}
	return stream.Events(begins), nil
}

func cutArchive(s layout.Settings, maxRecord int) (stream.Format, error) {
	archive := warc.Format(maxRecord)
	for _, field := range s.Fields {
		if err := stream.CheckID(archive, strings.TrimSuffix(field, "?")); err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
	}
	return stream.ByValues(archive, s.Fields), nil
}

func cutColumns(s layout.Settings, _ int) (stream.Format, error) {
	if _, err := layout.ParseFields(s.Fields); err != nil {
		return nil, err
	}
	return stream.Rows(s.Fields), nil
}
