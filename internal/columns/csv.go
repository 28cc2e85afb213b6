package columns

import "bytes"

// AppendHeader appends the column names as a row of CSV (RFC 4180, with line feeds).
func AppendHeader(dst []byte, columns []Column) []byte {
	for i, c := range columns {
		dst = appendField(dst, []byte(c.Name), i, len(columns))
	}
	return append(dst, '\n')
}

// AppendRow appends a row of values, as returned by Table.Row, as CSV: strings as their text, null
// and missing values as nothing, anything else as JSON. scratch is reused for one string at a time.
func AppendRow(scratch *[]byte, dst []byte, columns []Column, row [][]byte) []byte {
	for i, value := range row {
		var field []byte
		switch {
		case IsNull(value):
		case value[0] == '"':
			field = text(scratch, value)
		default:
			field = value
		}
		dst = appendField(dst, field, i, len(columns))
	}
	return append(dst, '\n')
}

// appendField appends field i of n. A single empty field is quoted, since readers skip empty lines.
func appendField(dst, field []byte, i, n int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if !bytes.ContainsAny(field, ",\"\r\n") && (n > 1 || len(field) > 0) {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for {
		quote := bytes.IndexByte(field, '"')
		if quote < 0 {
			break
		}
		dst = append(append(dst, field[:quote+1]...), '"')
		field = field[quote+1:]
	}
	return append(append(dst, field...), '"')
}
