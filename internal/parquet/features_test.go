package parquet

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// fileOf is a file of one row, with these columns of texts and these features.
func fileOf(t *testing.T, features string, columns ...string) *File {
	t.Helper()
	var types []Type
	for _, name := range columns {
		types = append(types, Type{Name: name, Kind: TextKind, Nullable: true})
	}
	var out bytes.Buffer
	b, err := NewTypedBuilder(&out, types, []string{"pandas", columnar.FeaturesKey, "ARROW:schema"},
		[]string{"p", features, "s"}, Form{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		b.Column(i).Value([]byte("a"))
	}
	if err := errors.Join(b.EndRow(), b.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestUnionsKeepFeatures: a column more leaves what is said of the others, and brings what is said
// of it; classes with other names are refused.
func TestUnionsKeepFeatures(t *testing.T) {
	of := func(features string) string { return `{"info":{"features":{` + features + `}}}` }
	label := `"label":{"_type":"ClassLabel","names":["neg","pos"]}`
	a, b := fileOf(t, of(label), "label"), fileOf(t, of(label+`,"url":{"_type":"Value"}`), "label", "url")
	u, err := a.Union(b)
	if err != nil {
		t.Fatal(err)
	}
	keys, values := u.withoutColumns().Metadata()
	if got, want := strings.Join(keys, " "), "pandas "+columnar.FeaturesKey; got != want {
		t.Errorf("metadata %q, want %q", got, want)
	}
	if got, want := values[1], of(label+`,"url":{"_type":"Value"}`); got != want {
		t.Errorf("features %s, want %s", got, want)
	}
	if same, err := b.Union(a); err != nil || same.valueOf("pandas") != "p" {
		t.Errorf("%v, %v", same, err)
	}
	other := fileOf(t, of(`"label":{"_type":"ClassLabel","names":["pos","neg"]}`), "label")
	if _, err := u.Union(other); err == nil || !strings.Contains(err.Error(), `the classes of column "label"`) {
		t.Errorf("other classes: %v", err)
	}
}
