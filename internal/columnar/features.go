package columnar

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// FeaturesKey is the key of the metadata in which Hugging Face datasets describes the columns of a
// file: among others, what the numbers of a ClassLabel mean.
const FeaturesKey = "huggingface"

// A described is such metadata.
type described struct {
	all      map[string]json.RawMessage // "info" and others
	info     map[string]json.RawMessage // "features" and others
	features map[string]json.RawMessage // by column
}

// parseFeatures parses such metadata; ok is false for anything else.
func parseFeatures(metadata string) (d described, ok bool) {
	ok = json.Unmarshal([]byte(metadata), &d.all) == nil && json.Unmarshal(d.all["info"], &d.info) == nil &&
		json.Unmarshal(d.info["features"], &d.features) == nil && d.features != nil
	return d, ok
}

// UniteFeatures returns the metadata of a file with those of the columns that only another file
// has. If a column has other names for its classes there, the numbers of the one file would mean
// something else with the names of the other, which is an error. Either may be empty.
func UniteFeatures(mine, other string) (string, error) {
	a, isKnown := parseFeatures(mine)
	b, isOtherKnown := parseFeatures(other)
	if !isKnown || !isOtherKnown {
		return mine, nil
	}
	isAdded := false
	for column, feature := range b.features {
		if _, isThere := a.features[column]; !isThere {
			a.features[column], isAdded = feature, true
			continue
		}
		var x, y any
		if json.Unmarshal(a.features[column], &x) == nil && json.Unmarshal(feature, &y) == nil && !sameClasses(x, y) {
			return "", classesError(column)
		}
	}
	if !isAdded {
		return mine, nil
	}
	return a.String(), nil
}

// WithoutFeatures returns such metadata without those of some columns, whose values have another
// form now.
func WithoutFeatures(metadata string, columns []string) string {
	d, ok := parseFeatures(metadata)
	if !ok || len(columns) == 0 {
		return metadata
	}
	for _, column := range columns {
		delete(d.features, column)
	}
	return d.String()
}

// A classesError names a column whose classes differ. Of JSON, their numbers alone would be left.
type classesError string

func (e classesError) Error() string {
	return fmt.Sprintf("the classes of column %q have other names, or another order, so that their numbers "+
		"would change their meaning; give each an output of its own, with --output-dir, or change the numbers first",
		string(e))
}

// sameClasses reports whether two features agree about classes, also below lists and structs.
func sameClasses(a, b any) bool {
	if x, isList := a.([]any); isList {
		y, _ := b.([]any)
		for i := range min(len(x), len(y)) {
			if !sameClasses(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	x, isObject := a.(map[string]any)
	y, isOther := b.(map[string]any)
	if !isObject || !isOther {
		return true
	}
	if x["_type"] == "ClassLabel" && y["_type"] == "ClassLabel" && !reflect.DeepEqual(x["names"], y["names"]) {
		return false
	}
	for name := range x {
		if !sameClasses(x[name], y[name]) {
			return false
		}
	}
	return true
}

// String is the metadata, whose parts were valid JSON.
func (d described) String() string {
	d.info["features"], _ = json.Marshal(d.features)
	d.all["info"], _ = json.Marshal(d.info)
	text, _ := json.Marshal(d.all)
	return string(text)
}
