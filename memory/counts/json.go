package counts

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/stream"
)

// AppendBy appends an object with a member for each field, which is what AppendValues writes.
func AppendBy(dst []byte, fields []string, by [][]Count) []byte {
	dst = append(dst, '{')
	for i, list := range by {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(stream.AppendQuoted(dst, []byte(fields[i])), ':')
		dst = AppendValues(dst, list)
	}
	return append(dst, '}')
}

// AppendValues appends an object with a member for each value: how many records have it.
func AppendValues(dst []byte, list []Count) []byte {
	dst = append(dst, '{')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(stream.AppendQuoted(dst, []byte(c.Value)), ':')
		dst = strconv.AppendUint(dst, c.Records, 10)
	}
	return append(dst, '}')
}
