package formats

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/warc"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Cut is the format of records as a stream has it. Their texts are in Fields, of which there must
// be one where the format has fields.
func Cut(s Settings, maxRecord int) (stream.Format, error) { return of(s.Name).cut(s, maxRecord) }

func cutObjects(format func([]stream.Field) stream.Format) func(Settings, int) (stream.Format, error) {
	return func(s Settings, _ int) (stream.Format, error) {
		fields, err := ParseFields(s.Fields)
		if err != nil {
			return nil, err
		}
		return format(fields), nil
	}
}

func cutArray(s Settings, _ int) (stream.Format, error) {
	fields, err := ParseFields(s.Fields)
	return stream.JSONArrayAt(s.RecordsAt, fields), err
}

func cutRows(s Settings, _ int) (stream.Format, error) {
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

func cutText(s Settings, _ int) (stream.Format, error) {
	if s.Multiline == "" {
		return stream.Text(s.Separator), nil
	}
	begins, err := stream.ParseBeginning(s.Multiline)
	if err != nil {
		return nil, err
	}
	return stream.Events(begins), nil
}

// CheckMultiline reports what is wrong with the lines that begin a record, if that is said.
func (s Settings) CheckMultiline() error {
	if s.Multiline == "" {
		return nil
	}
	if _, err := stream.ParseBeginning(s.Multiline); err != nil {
		return fmt.Errorf("%s %s: %w", MultilineFlag, s.Multiline, err)
	}
	return nil
}

func cutArchive(_ Settings, maxRecord int) (stream.Format, error) { return warc.Format(maxRecord), nil }

func cutColumns(s Settings, _ int) (stream.Format, error) {
	if _, err := ParseFields(s.Fields); err != nil {
		return nil, err
	}
	return stream.Rows(s.Fields), nil
}

// ParseFields takes the paths of fields.
func ParseFields(paths []string) ([]stream.Field, error) {
	fields := make([]stream.Field, len(paths))
	for i, path := range paths {
		var err error
		if fields[i], err = stream.ParseField(path); err != nil {
			return nil, err
		}
	}
	return fields, nil
}
