// Package textfield finds the text field of JSON records, for users who have not named it.
package textfield

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// The usual names of texts in published data sets, most common first: those that are the text
// whatever else there is, and those considered after conversations and pairs.
var (
	usual = []string{"text", "content", "raw_content"}
	other = []string{"body", "document", "article", "markdown", "code", "message"}
)

// Limits on what is examined.
const (
	maxRecords = 100
	maxDepth   = 4
)

// A Field is a field that holds strings.
type Field struct {
	Path    string // in the syntax of stream.ParseField
	Records int    // records that have it
	Bytes   int    // total length of the strings
}

// A Choice is the set of fields that make up the text of records.
type Choice struct {
	Paths     []string // in the syntax of stream.ParseField; none if there is no text
	LeavesOut string   // the system prompt, if there is one that is not part of the text
}

// Find returns the fields with the text of some records: the first of the usual names that at least
// half of the records have, or a conversation, or a task and its answer, or else the field with the
// most bytes, if it contains words. all lists the fields that hold strings, the longest first.
func Find(records [][]byte) (chosen Choice, all []Field) {
	found := map[string]*Field{}
	shapes := map[string]*Choice{}
	votes := map[string]int{}
	count, spaces, wide := 0, map[string]int{}, map[string]int{}
	for _, record := range records[:min(len(records), maxRecords)] {
		var value map[string]any
		if json.Unmarshal(jsontext.WithoutNonFinite(record), &value) != nil {
			continue
		}
		count++
		if s := shapeOf(value); len(s.paths) > 0 {
			key := strings.Join(s.paths, "\x00")
			if votes[key]++; shapes[key] == nil {
				shapes[key] = &Choice{Paths: s.paths}
			}
			shapes[key].LeavesOut = cmp.Or(shapes[key].LeavesOut, s.leavesOut)
		}
		w := walker{seen: map[string]bool{}, found: found, spaces: spaces, wide: wide}
		w.members("", value, 0)
	}
	for _, f := range slices.SortedFunc(maps.Values(found), byBytes) {
		all = append(all, *f)
	}
	isUsual := func(name string) bool { return found[name] != nil && 2*found[name].Records >= count }
	if i := slices.IndexFunc(usual, isUsual); i >= 0 {
		return Choice{Paths: usual[i : i+1]}, all
	}
	for _, key := range slices.Sorted(maps.Keys(shapes)) {
		if 2*votes[key] >= count {
			return *shapes[key], all
		}
	}
	if i := slices.IndexFunc(other, isUsual); i >= 0 {
		return Choice{Paths: other[i : i+1]}, all
	}
	// A text has spaces between its words, or is in a script without spaces and longer than any
	// name. The longest field may be a URL, a hash, or a base64 image.
	for _, f := range all {
		isLong := f.Bytes/f.Records >= 200 && wide[f.Path] >= 2*f.Records
		if 2*f.Records >= count && (spaces[f.Path] >= 2*f.Records || isLong) {
			return Choice{Paths: []string{f.Path}}, all
		}
	}
	return Choice{}, all
}

func byBytes(a, b *Field) int {
	if a.Bytes != b.Bytes {
		return b.Bytes - a.Bytes
	}
	return strings.Compare(a.Path, b.Path)
}

// A walker visits the fields of one record.
type walker struct {
	seen   map[string]bool
	found  map[string]*Field
	spaces map[string]int
	wide   map[string]int // bytes of non-ASCII characters, without their first bytes
}

func (w *walker) members(path string, value map[string]any, depth int) {
	for key, member := range value {
		w.value(join(path, key), member, depth+1)
	}
}

func (w *walker) value(path string, value any, depth int) {
	switch v := value.(type) {
	case string:
		w.add(path, v)
	case map[string]any:
		if depth < maxDepth {
			w.members(path, v, depth)
		}
	case []any:
		if depth == maxDepth {
			return
		}
		for _, element := range v {
			w.value(path+"[]", element, depth+1)
		}
	}
}

func (w *walker) add(path, text string) {
	f := w.found[path]
	if f == nil {
		f = &Field{Path: path}
		w.found[path] = f
	}
	if !w.seen[path] {
		w.seen[path] = true
		f.Records++
	}
	f.Bytes += len(text)
	w.spaces[path] += len(bytes.Fields([]byte(text))) - 1
	w.wide[path] += len(text) - utf8.RuneCountInString(text)
}

// join appends a key to a path, and escapes special characters.
func join(path, key string) string {
	var b strings.Builder
	b.WriteString(path)
	if path != "" {
		b.WriteByte('.')
	}
	if key == "" {
		return b.String() // no path can express it
	}
	for i, r := range key {
		if strings.ContainsRune(`.\*[?{`, r) || i == 0 && path == "" && r == '/' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
