package columns

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// kindsByName are the type names in a schema given by the user.
var kindsByName = map[string]Kind{
	"bool": Bool, "int64": Integer, "double": Number, "string": String, "json": JSON,
}

// ParseSchema parses names and types of columns: NAME:TYPE,NAME:TYPE.
func ParseSchema(s string) ([]Column, error) {
	var list []Column
	for item := range strings.SplitSeq(s, ",") {
		colon := strings.LastIndexByte(item, ':')
		if colon < 0 {
			return nil, fmt.Errorf("%q is not NAME:TYPE, as in id:int64", item)
		}
		c := Column{Name: strings.TrimSpace(item[:colon])}
		var known bool
		if c.Kind, known = kindsByName[strings.TrimSpace(item[colon+1:])]; !known {
			return nil, fmt.Errorf("%q is not a type: use one of %s", item[colon+1:],
				strings.Join(slices.Sorted(maps.Keys(kindsByName)), ", "))
		}
		if slices.ContainsFunc(list, func(other Column) bool { return other.Name == c.Name }) {
			return nil, fmt.Errorf("%q is named twice", c.Name)
		}
		list = append(list, c)
	}
	return list, nil
}

// NewTable returns a table with fixed columns, which accept no other values. With fromText all
// values are strings, as in CSV, and are parsed as the type of the column.
func NewTable(list []Column, fromText bool) *Table {
	t := &Table{fixed: true, fromText: fromText}
	for _, c := range list {
		i := t.add(c.Name)
		t.columns[i].Kind = c.Kind
	}
	return t
}

// fit returns an error if a value does not fit a column.
func (t *Table) fit(c Column, value []byte) error {
	if t.reads(c, value) {
		if value = text(new([]byte), value); len(value) == 0 {
			return nil
		}
		if c.Kind == JSON && !json.Valid(value) || c.Kind != JSON && !literal(value) {
			return misfit(c, value)
		}
	}
	kind := kindOf(value)
	if kind == long && c.Kind == Integer || join(c.Kind, kind) == c.Kind {
		return nil
	}
	return misfit(c, value)
}

// literal reports whether text is a JSON number or Boolean.
func literal(text []byte) bool {
	s := string(text)
	if s == "true" || s == "false" {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "+-.0123456789eE") == "" && s[0] != '+'
}

func misfit(c Column, value []byte) error {
	for name, kind := range kindsByName {
		if kind == c.Kind {
			return fmt.Errorf("column %q is %s, and its value is %.40s", c.Name, name, value)
		}
	}
	return nil
}

// read returns a value of a column as JSON.
func (t *Table) read(c Column, value []byte) []byte {
	if t.reads(c, value) {
		return text(new([]byte), value)
	}
	return value
}

// reads reports whether a text parses as the type of a column.
func (t *Table) reads(c Column, value []byte) bool {
	return t.fromText && value[0] == '"' && c.Kind != String
}
