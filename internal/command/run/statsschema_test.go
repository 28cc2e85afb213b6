package run

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestStatsSchemaHasEachMember compares the schema of --stats with the types that are written: the
// members of each, and which of them are always there.
func TestStatsSchemaHasEachMember(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/stats.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type definition struct {
		Properties map[string]struct {
			Ref   string `json:"$ref"`
			Items struct {
				Ref string `json:"$ref"`
			}
		}
		Required []string
	}
	var schema struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	compared := 0
	var compare func(kind reflect.Type, name string)
	compare = func(kind reflect.Type, name string) {
		compared++
		is := schema.Defs[name]
		fields := jsonFields(kind)
		got, want := slices.Sorted(maps.Keys(is.Properties)), slices.Sorted(maps.Keys(fields))
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q in the schema and %q in %s", name, got, want, kind)
		}
		for member, field := range fields {
			always := !strings.Contains(field.Tag.Get("json"), ",omitempty")
			if slices.Contains(is.Required, member) != always {
				t.Errorf("%s.%s: required is %v in the schema", name, member, !always)
			}
			next := field.Type
			for next.Kind() == reflect.Pointer || next.Kind() == reflect.Slice {
				next = next.Elem()
			}
			property := is.Properties[member]
			ref := strings.TrimPrefix(property.Ref+property.Items.Ref, "#/$defs/")
			if next.Kind() == reflect.Struct {
				compare(next, ref)
			}
		}
	}
	compare(reflect.TypeFor[runStats](), "stats")
	if compared < 9 {
		t.Errorf("only %d types were compared", compared)
	}
}

// jsonFields are the members that a struct has as JSON, those of embedded structs among them.
func jsonFields(kind reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for i := range kind.NumField() {
		field := kind.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			maps.Copy(fields, jsonFields(field.Type))
		case name != "":
			fields[name] = field
		}
	}
	return fields
}
