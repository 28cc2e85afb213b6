package counts

import (
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// AppendJSON appends the group as a JSON object. by holds the fields of Selection.By, name the name
// of the kept record, as JSON.
func (g Group) AppendJSON(dst []byte, by []string, name []byte) []byte {
	dst = append(append(dst, `{"id":`...), name...)
	dst = strconv.AppendUint(append(dst, `,"size":`...), g.Size, 10)
	if g.IsTimed {
		dst = AppendTime(append(dst, `,"first":"`...), g.First)
		dst = append(AppendTime(append(dst, `","last":"`...), g.Last), '"')
	}
	if len(g.By) > 0 {
		dst = AppendBy(append(dst, `,"by":`...), by, g.By)
	}
	return append(dst, '}')
}

// AppendTime appends a time in UTC.
func AppendTime(dst []byte, second int64) []byte {
	return time.Unix(second, 0).UTC().AppendFormat(dst, time.RFC3339)
}

// AppendBy appends an object with a member for each field, as written by AppendValues.
func AppendBy(dst []byte, fields []string, by [][]Count) []byte {
	dst = append(dst, '{')
	for i, list := range by {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendQuoted(dst, []byte(fields[i])), ':')
		dst = AppendValues(dst, list)
	}
	return append(dst, '}')
}

// AppendValues appends an object that maps each value to the number of its records.
func AppendValues(dst []byte, list []Count) []byte {
	dst = append(dst, '{')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendQuoted(dst, []byte(c.Value)), ':')
		dst = strconv.AppendUint(dst, c.Records, 10)
	}
	return append(dst, '}')
}
