package config

import (
	"reflect"
	"testing"
)

// TestEveryCommandTakesLists checks that every command that takes files as arguments also takes a
// list.
func TestEveryCommandTakesLists(t *testing.T) {
	all := map[string]any{"the filter": new(FilterFlags)}
	for _, c := range commands {
		all[c.name] = c.flags()
	}
	for name, of := range all {
		flags := reflect.ValueOf(of).Elem()
		reads := false
		for _, names := range []string{"Inputs", "Sketches", "Files", "Sample"} {
			reads = reads || flags.FieldByName(names).IsValid()
		}
		if takes := flags.FieldByName("FilesFrom").IsValid(); takes != reads {
			t.Errorf("%s: it reads files: %t, and takes --files-from: %t", name, reads, takes)
		}
	}
}
