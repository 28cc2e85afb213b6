package groups

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// A file whose checksums are right may still speak of signatures that cannot be.
func TestGroupsOfImpossibleSketches(t *testing.T) {
	for name, parameters := range map[string][]sketchfile.Parameter{
		"no slots":       {{Name: "rows", Value: "1"}, {Name: "bands", Value: "2"}, {Name: "words", Value: "2"}},
		"no rows":        {{Name: "num-perm", Value: "8"}, {Name: "bands", Value: "2"}, {Name: "words", Value: "2"}},
		"not a number":   signedHeader("many", "1", "2", ".8", "2"),
		"negative":       signedHeader("-8", "1", "2", ".8", "2"),
		"too many rows":  signedHeader("8", "5", "2", ".8", "2"),
		"other length":   signedHeader("8", "1", "2", ".8", "3"),
		"huge":           signedHeader("4611686018427387904", "1", "2", ".8", "2"),
		"no probability": signedHeader("8", "1", "2", "NaN", "2"),
		"no threshold":   signedHeader("8", "1", "2", "", "2"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.sketch")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w, err := sketchfile.NewWriter(f, sketchfile.Header{Parameters: parameters})
			if err = errors.Join(err, w.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
			c := &config.Groups{Filter: config.Filter{Input: config.Input{Paths: []string{path}}}}
			c.Filter.Memory.Kind, c.Filter.Output.Flags = spec.MemoryExact, os.DevNull
			if err := Run(context.Background(), c, files.Standard()); !errors.Is(err, sketchfile.ErrCorrupt) {
				t.Errorf("%v", err)
			}
		})
	}
}

func signedHeader(slots, rows, bands, threshold, words string) []sketchfile.Parameter {
	return []sketchfile.Parameter{
		{Name: "num-perm", Value: slots}, {Name: "rows", Value: rows}, {Name: "bands", Value: bands},
		{Name: "threshold", Value: threshold}, {Name: "words", Value: words},
	}
}
